"""Faults in looking around: the neighbourhood of a memory, its drawing, and what waits."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_WALK: Final = "read_api/evidence_walk.py"
_VIEW: Final = "read_api/evidence_view.py"
_PAGES: Final = "read_api/evidence_pages.py"
_LAWS: Final = "tests/claims/test_walk.py::"
_GRAPH: Final = "tests/claims/test_graph.py::"
_PAGED: Final = "tests/claims/test_evidence_pages.py::"
_DAMAGED: Final = "tests/claims/test_damaged_lists.py::"
_INBOX: Final = "tests/claims/test_inbox.py::"
_SQLITE: Final = "[sqlite]"

LOOKING: Final = (
    Fault(
        2701,
        _VIEW,
        "return found.where(*where, _seen(far)) if checked",
        "return found.where(*where) if checked",
        "A relationship to what may not be seen is counted, and breaks the answer.",
        (_GRAPH + "test_what_is_known_to_lead_to_somebody_elses_memory_is_not_told",),
    ),
    Fault(
        2702,
        _VIEW,
        "turns = sorted(",
        "turns = list(",
        "A memory with very many relationships takes the place of all others.",
        (_GRAPH + "test_a_memory_with_very_many_takes_the_place_of_no_other_one[sqlite-9]",),
    ),
    Fault(
        2703,
        _VIEW,
        "stands = not gone and lifecycle in ANSWERING",
        "stands = not gone",
        "A contradiction that was withdrawn is said to stand.",
        (_GRAPH + "test_what_was_withdrawn_is_there_and_does_not_stand" + _SQLITE,),
    ),
    Fault(
        2704,
        _WALK,
        "if depth > self.budgets.depth:\n                return DEPTH",
        "if depth > self.budgets.depth:\n                return None",
        "What lies beyond the depth is left out unsaid.",
        (_LAWS + "test_within_limits_nothing_is_left_out_unsaid",),
    ),
    Fault(
        2705,
        _WALK,
        "if node not in cut and link.more:",
        "if node not in cut and not link.more:",
        "Of relationships that were not read nothing is said.",
        (_LAWS + "test_within_limits_nothing_is_left_out_unsaid",),
    ),
    Fault(
        2706,
        _WALK,
        "if self._read + bound > self.budgets.read:",
        "if bound > self.budgets.read:",
        "Many memories together are read without an end.",
        (_LAWS + "test_no_more_is_read_than_may_be",),
    ),
    Fault(
        2707,
        "domain/claims/ways.py",
        "if not steps and node != claim:",
        "if not steps:",
        "A claim that rests on nothing is its own source.",
        (_GRAPH + "test_a_claim_that_rests_on_nothing_has_no_path" + _SQLITE,),
    ),
    Fault(
        2708,
        "ops/mermaid.py",
        'if category[0] in "LMN" or character in _SAFE:',
        "if character != '\"':",
        "Backticks and brackets of a memory stand in the drawing as they are.",
        ("tests/claims/test_mermaid.py::test_a_label_has_letters_digits_and_entity_codes_alone",),
    ),
    Fault(
        2709,
        "read_api/inbox_claims.py",
        "return last is not None and last.id == state.id",
        "return last is not None",
        "A claim waits for an approval that a later assessment no longer asks for.",
        (
            _INBOX
            + "test_a_claim_that_was_approved_waits_for_another_assessment_and_then_no_more"
            + _SQLITE,
        ),
    ),
    Fault(
        2710,
        "read_api/inbox_sections.py",
        "if OPERATE not in site.context.permissions:",
        'if "read" not in site.context.permissions:',
        "Whoever reads is told what is parked.",
        (_INBOX + "test_a_parked_stream_waits_for_who_may_operate",),
    ),
    Fault(
        2711,
        "read_api/inbox_sections.py",
        "if reason.position in times and Place(reason.position, memory) > place",
        "if reason.position in times",
        "A page of what needs a review begins again where it ended.",
        (_INBOX + "test_pages_of_any_size_tell_everything_once_and_record_nothing" + _SQLITE,),
    ),
    Fault(
        2712,
        "read_api/inbox_parts.py",
        'return Place(found.last + 1, "") if found.looked == look else None',
        "return None",
        "What is behind the events of a page is never listed.",
        (_INBOX + "test_a_page_looks_at_so_many_at_most_and_goes_on",),
    ),
    Fault(
        2713,
        _PAGES,
        "for edge, other in rows if other in ends)",
        "for edge, other in rows)",
        "A relationship to what may not be seen takes a place on a page of evidence.",
        (_PAGED + "test_what_leads_to_somebody_elses_memory_takes_no_place_on_a_page",),
    ),
    Fault(
        2716,
        "read_api/around_damage.py",
        "return EventsRead((), [Damaged(error.position, error.originator_ids)])",
        "return EventsRead(())",
        "A list says nothing of what cannot be read.",
        (_DAMAGED + "test_every_page_tells_each_event_once_whichever_are_damaged",),
    ),
    Fault(
        2714,
        _PAGES,
        "return side == CONTRADICTS or all(one.state.kind != CONTRADICTS for one in edge)",
        "return True",
        "What contradicted a claim before is told on two pages.",
        (
            _PAGED
            + "test_what_contradicted_and_supports_now_is_told_once_and_on_the_side_it_was_on"
            + _SQLITE,
        ),
    ),
    Fault(
        2715,
        _PAGES,
        "if side == CONTRADICTS and after.side != CONTRADICTS:",
        "if side != after.side:",
        "Pages end with what speaks against a claim.",
        (
            _PAGED
            + "test_pages_of_any_size_tell_every_piece_once_those_against_the_claim_first"
            + _SQLITE,
        ),
    ),
)
