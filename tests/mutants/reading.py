"""Faults in what reading routes say of the past."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_PAST: Final = "tests/http/test_past_memory.py::"
_ROUTES: Final = "tests/http/test_slots.py::"
_VISIBLE: Final = (
    "tests/http/test_one_visibility.py::test_every_route_tells_of_a_memory_what_the_table_says"
)
_SLOTS: Final = "tests/recall/test_slot_reading.py::"
_STAND_INS: Final = "tests/recall/test_stand_ins.py::"
_HISTORY: Final = "tests/recall/test_slot_history.py::"

READING: Final = (
    Fault(
        1801,
        "read_api/past_basis.py",
        "wanted = asked.as_known_position",
        "wanted = self.log.head()",
        "A memory is shown as it is, whatever position was asked for.",
        (_PAST + "test_what_was_known_at_a_position_is_what_was_read_then",),
    ),
    Fault(
        1802,
        "read_api/past_basis.py",
        'wanted = self.log.position_at(parse_instant(asked.as_known_at, "as_known_at"))',
        'wanted = 1 + self.log.position_at(parse_instant(asked.as_known_at, "as_known_at"))',
        "What was stored a moment later is known.",
        (_PAST + "test_a_time_of_storing_names_the_same_basis_as_the_position",),
    ),
    Fault(
        1834,
        "read_api/past_basis.py",
        "position = wanted if wanted <= seen else whole_appends(self.log, seen)",
        "position = min(wanted, seen)",
        "Half of what was stored at once is told while read models follow.",
        ("tests/asof/test_whole_appends.py::test_slots_and_graphs_tell_no_half_of_an_append",),
    ),
    Fault(
        1803,
        "read_api/past_records.py",
        "    MEMORY_VERSION.c.forgotten.is_(None),\n",
        "",
        "What was forgotten can be read at an earlier basis.",
        (_PAST + "test_what_is_forgotten_is_gone_from_every_basis",),
    ),
    Fault(
        1804,
        "read_api/past_records.py",
        'return {"reason": found[0].reason} if found else None',
        "return None",
        "A memory that was no answer is shown as one that was.",
        (_PAST + "test_validity_is_half_open_at_the_instant_that_is_asked_for",),
    ),
    Fault(
        1805,
        "domain/visibility.py",
        "here = viewer.session is None or self.session == viewer.session",
        "here = True",
        "Strict sessions see each other's records when they write.",
        ("tests/domain/test_visibility.py::test_a_strict_session_sees_its_own_records_alone",),
    ),
    Fault(
        1806,
        "projections/lexical/eligibility.py",
        "return mine & self._session.any_of([basis.session], rows)",
        "return mine",
        "The index finds memories of other strict sessions.",
        (
            "tests/lexical/test_contract_of_an_index.py::test_where_sessions_are_strict_a_memory_is_found_in_its_own_alone",
        ),
    ),
    Fault(
        1807,
        "read_api/basis.py",
        "        or_(_SESSION.is_(None), row.session == _SESSION),\n",
        "",
        "The read models show records of other strict sessions.",
        ("tests/recall/test_laws.py::test_index_and_tables_know_the_rule_of_the_domain",),
    ),
    Fault(
        1808,
        "domain/guards.py",
        'parts = (f"session {parts[0]}", *parts[1:], session)',
        "pass",
        "An identity key of one strict session leads to the memory of another.",
        (
            "tests/laws/test_isolation.py::test_another_session_changes_no_byte_where_sessions_are_strict",
        ),
    ),
    Fault(
        1809,
        "commands/workspace_settings.py",
        "refuse_late_isolation(known.settings, after, holds_records=self.holds_records())",
        "pass",
        "Sessions become strict over records that were shared.",
        ("tests/http/test_settings.py::test_who_may_see_a_record_is_settled_before_the_first",),
    ),
    Fault(
        1810,
        "read_api/raw_events.py",
        'if by["actor"] == viewer.actor and viewer.session in (None, by["session"]):',
        'if by["actor"] == viewer.actor:',
        "The log shows the commands of an actor's other strict sessions.",
        (
            "tests/laws/test_isolation.py::test_another_session_changes_no_byte_where_sessions_are_strict",
        ),
    ),
    Fault(
        1811,
        "read_api/exclusion_causes.py",
        "did = graves(lineage) or [row for row in lineage",
        "did = [] and [row for row in lineage",
        "Nobody is told which event forgot a memory.",
        (
            "tests/recall/test_slots.py::test_who_names_a_slot_is_told_which_memory_of_it_was_erased_and_by_what",
        ),
    ),
    Fault(
        1812,
        "read_api/slots.py",
        "        _ROW.erased.is_(False),\n",
        "",
        "Slots of which nothing can be read are listed.",
        (_SLOTS + "test_a_slot_that_only_an_erased_text_has_named_tells_ids_and_is_not_listed",),
    ),
    Fault(
        1813,
        "read_api/slots.py",
        "return self._more or ref < self.last",
        "return self._more",
        "What a page with filters had no room for is on no page.",
        (_SLOTS + "test_what_a_page_with_filters_has_no_room_for_is_on_the_next_one",),
    ),
    Fault(
        1814,
        "read_api/slot_questions.py",
        "as_of = asked.as_of or asked.changed_since",
        "as_of = asked.as_of",
        "What ended since is not among what changed.",
        (_SLOTS + "test_what_ended_since_has_changed_and_for_one_instant_it_has_not",),
    ),
    Fault(
        1815,
        "read_api/slot_choice.py",
        "if not (seat.gone and policy == SURFACE_ALL):",
        "if True:",
        "Where all are surfaced, what was forgotten since is told as an answer of then.",
        (_SLOTS + "test_where_all_are_surfaced_what_is_forgotten_since_is_no_answer_of_then",),
    ),
    Fault(
        1816,
        "read_api/slot_questions.py",
        "return replace(before, as_of_us=bases.log.appended_at(before.position))",
        "return before",
        "What was known at a position is asked for today.",
        (_ROUTES + "test_the_list_tells_what_changed_since_a_position_and_since_a_time",),
    ),
    Fault(
        1817,
        "read_api/recorded_recalls.py",
        "if isinstance(fact, RecallRecorded) and visible_to(context.viewer, fact):",
        "if isinstance(fact, RecallRecorded):",
        "A recall of somebody else is read and replayed by everybody in the workspace.",
        (_VISIBLE + "[owner]", _VISIBLE + "[session]"),
    ),
    Fault(
        1818,
        "read_api/past_basis.py",
        "context.actor, position, as_of_us, context.viewer.session)",
        "context.actor, position, as_of_us)",
        "Slots tell of what other sessions hold where sessions are strict.",
        (_VISIBLE + "[session]",),
    ),
    Fault(
        1831,
        "read_api/slot_members.py",
        "held = [one for one in of_memory if one.holds(at_us)]",
        "held = list(of_memory)",
        "A history of a slot says that a memory was an answer when it did not hold.",
        (_HISTORY + "test_each_event_that_changed_the_answer_is_told_with_what_was_answered_when",),
    ),
    Fault(
        1832,
        "read_api/slot_history.py",
        "return not (gone and was_gone(row))",
        "return not gone",
        "What was forgotten since stands before nobody in the history of its slot.",
        (
            _HISTORY
            + "test_what_is_forgotten_is_in_the_history_by_its_id_alone_and_blocks_as_it_did",
        ),
    ),
    Fault(
        1833,
        "read_api/slot_members.py",
        "return [*held[:1], *others]",
        "return held[:1]",
        "The history of a slot is silent about the other branches of a fork.",
        (_STAND_INS + "test_a_history_tells_what_each_branch_says_when_and_where_they_disagree",),
    ),
)
