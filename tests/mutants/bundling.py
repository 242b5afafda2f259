"""Faults in the read model of bundles, in what is told of it, and in the tree of Markdown."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_FORGETS: Final = "projections/bundle_forgets.py"
_FOLD: Final = "projections/bundles.py"
_CITATIONS: Final = "projections/bundle_citations.py"
_OWN: Final = "read_api/bundle_questions.py"
_BODIES: Final = "read_api/bundle_bodies.py"
_READ: Final = "read_api/bundles.py"
_TEXT: Final = "read_api/bundle_markdown.py"
_TREE: Final = "ops/bundle_tree.py"
_ROWS: Final = "tests/bundles/test_projection.py::"
_TOLD: Final = "tests/bundles/test_reading.py::"
_MARKDOWN: Final = "tests/bundles/test_markdown.py::"
_EXPORT: Final = "tests/bundles/test_export.py::"
_SQLITE: Final = "[sqlite]"

BUNDLING: Final = (
    Fault(
        3701,
        _FORGETS,
        "covered = [any(covered)] * len(events)",
        "pass",
        "A window that failed first keeps the words that were erased.",
        (
            _ROWS
            + "test_each_time_that_a_window_was_sent_loses_its_words_with_one_of_them"
            + _SQLITE,
        ),
    ),
    Fault(
        3702,
        _FORGETS,
        "event.position < forget.position and version",
        "version",
        "What is said after a memory was forgotten is never shown.",
        (_ROWS + "test_what_is_said_after_the_forget_stays" + _SQLITE,),
    ),
    Fault(
        3703,
        _FORGETS,
        "version >= forget.from_version",
        "version > forget.from_version",
        "The words of a version that was forgotten stay.",
        (_ROWS + "test_a_forgotten_version_takes_what_named_it_or_a_later_one",),
    ),
    Fault(
        3704,
        _FORGETS,
        ' or fact.mode == "expire":',
        ":",
        "An expiry takes the words of a claim.",
        (_ROWS + "test_an_expiry_takes_no_words" + _SQLITE,),
    ),
    Fault(
        3705,
        _FORGETS,
        "append(Forget(FOREVER, 0))",
        "append(Forget(0, 0))",
        "Words that a parked forget may cover come back with the next citation.",
        (_ROWS + "test_a_forget_that_could_not_be_handled_hides_what_it_may_be_about" + _SQLITE,),
    ),
    Fault(
        3706,
        _FORGETS,
        "    connection.execute(_DELETE, named)\n",
        "",
        "What is parked of a memory leaves its earlier forgets, and differs from a rebuild.",
        (_ROWS + "test_a_released_forget_shows_again_what_it_does_not_cover" + _SQLITE,),
    ),
    Fault(
        3707,
        _FOLD,
        "touched = streams_naming(connection, forgotten)",
        "touched = streams_naming(connection, [])",
        "A forget takes nothing of what was followed before it.",
        (_ROWS + "test_the_words_that_name_a_forgotten_memory_leave_the_rows",),
    ),
    Fault(
        3708,
        _FOLD,
        "[event for event in events if event.version <= last]",
        "list(events)",
        "The rows say more than their checkpoint.",
        (_ROWS + "test_the_rows_say_what_was_delivered_though_the_log_is_further_on" + _SQLITE,),
    ),
    Fault(
        3709,
        _FOLD,
        "for table in (BUNDLE_STREAM, BUNDLE_NAMING)",
        "for table in (BUNDLE_STREAM,)",
        "A forget brings back a claim that is parked.",
        (_ROWS + "test_a_parked_stream_leaves_nothing_but_what_others_say" + _SQLITE,),
    ),
    Fault(
        3710,
        _OWN,
        "table.c.workspace == context.workspace, table.c.owner == context.viewer.actor",
        "table.c.workspace == context.workspace",
        "Everybody in a workspace reads the claims of everybody.",
        (_TOLD + "test_what_is_foreign_is_refused_as_what_is_absent" + _SQLITE,),
    ),
    Fault(
        3711,
        _OWN,
        "return mine if session is None else",
        "return mine if session is not None else",
        "Where sessions are strict another session reads what was sent in one.",
        (_TOLD + "test_where_sessions_are_strict_another_session_is_foreign" + _SQLITE,),
    ),
    Fault(
        3712,
        _READ,
        "processed = patched + nothing",
        'processed = patched + nothing + counts.get("failed", 0)',
        "Failed windows count as processed.",
        (_TOLD + "TestCompleteness::test_the_share_is_of_what_was_processed" + _SQLITE,),
    ),
    Fault(
        3713,
        _READ,
        ".order_by(row.decided.desc())",
        ".order_by(row.decided)",
        "Of many failures the oldest are told.",
        (
            _TOLD
            + "TestCompleteness::test_the_latest_failures_are_listed_and_no_more_than_a_hundred"
            + _SQLITE,
        ),
    ),
    Fault(
        3714,
        _BODIES,
        '"mode": then["mode"]',
        '"mode": was["mode"]',
        "A former memory tells how it came, and not how it was replaced.",
        (
            _TOLD
            + "test_former_memories_say_why_they_were_replaced_and_how_the_wording_changed"
            + _SQLITE,
        ),
    ),
    Fault(
        3715,
        _BODIES,
        ' for row in rows if row["cited_as"] == "late"',
        " for row in rows",
        "Every citation is told as a contradiction that came too late.",
        (_TOLD + "test_late_evidence_is_shown_with_what_it_says_instead" + _SQLITE,),
    ),
    Fault(
        3716,
        _TEXT,
        'return _TAG.sub("&lt;", text)',
        "return text",
        "What a user says can put another marker into the Markdown.",
        (_MARKDOWN + "test_markers_are_exactly_the_ids_whatever_the_texts_hold",),
    ),
    Fault(
        3717,
        _TEXT,
        "\\u2028\\u2029",
        "",
        "A title with a line separator is another one in the front matter.",
        (_MARKDOWN + "test_the_front_matter_is_yaml_that_says_what_was_said",),
    ),
    Fault(
        3718,
        _TREE,
        '.strip(".-")',
        "",
        "A path of dots leads out of the directory.",
        (_EXPORT + "test_no_path_leaves_the_directory_and_no_two_are_one",),
    ),
    Fault(
        3719,
        _TREE,
        "if folder.is_symlink():",
        "if not folder.name:",
        "A link leads the files out of the directory.",
        (_EXPORT + "test_a_link_is_not_followed_out_of_the_directory",),
    ),
    Fault(
        3720,
        _FOLD,
        "fresh.items() if lineage not in done}",
        "fresh.items()}",
        "Each citation of a claim costs as much as all before it.",
        (_ROWS + "test_one_more_citation_costs_the_same_however_many_there_are" + _SQLITE,),
    ),
    Fault(
        3721,
        _CITATIONS,
        "if standing.get(lineage) == events[0].version - 1",
        "if events[0].version > 1",
        "A claim that was withheld never comes again when more is said about it.",
        (_ROWS + "test_a_forget_that_could_not_be_handled_hides_what_it_may_be_about" + _SQLITE,),
    ),
    Fault(
        3722,
        _CITATIONS,
        "for event in forgets.hidden(events)",
        "for event in events",
        "A citation that is handled after a forget shows the words that it covers.",
        (_ROWS + "test_a_citation_of_what_was_forgotten_meanwhile_has_no_words" + _SQLITE,),
    ),
    Fault(
        3723,
        "projections/bundle_rows.py",
        "if said is not None and not decides:",
        "if said is not None and decides:",
        "A window shows no event, and its row has those of every time that it was sent.",
        (_ROWS + "test_a_row_of_a_window_holds_its_state_with_what_was_sent_once" + _SQLITE,),
    ),
)
