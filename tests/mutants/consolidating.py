"""Faults in proposals: how they stand, who decides, what is suggested, and going back."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_DOMAIN: Final = "tests/domain/test_proposals.py::"
_ROUTES: Final = "tests/http/test_proposals.py::"
_SUGGESTED: Final = "tests/http/test_suggestions.py::"
_INDEX: Final = "tests/consolidation/test_proposal_index.py::"
_EXPORTED: Final = "tests/consolidation/test_exported_rejections.py::"
_AGAIN: Final = "tests/consolidation/test_replay.py::"
_REVERT: Final = "tests/consolidation/test_revert.py::"

CONSOLIDATING: Final = (
    Fault(
        2201,
        "domain/consolidation.py",
        "    if proposal.rejected:",
        "    if proposal.rejected and proposal.erased:",
        "A proposal that was rejected is applied.",
        ("tests/domain/test_consolidation_apply.py::test_what_was_rejected_is_not_applied",),
    ),
    Fault(
        2202,
        "domain/proposals.py",
        "    if proposal.applied is not None:",
        "    if proposal.applied == proposal.members:",
        "A proposal that was applied is rejected afterwards.",
        (_DOMAIN + "test_what_was_applied_cannot_be_rejected",),
    ),
    Fault(
        2203,
        "domain/proposals.py",
        "    if proposal is None or not proposal.home.visible_to(d.context.viewer):",
        "    if proposal is None:",
        "Somebody rejects a proposal that is private to somebody else.",
        (_DOMAIN + "test_a_proposal_that_is_not_there_or_private_to_somebody_else_is_not_found",),
    ),
    Fault(
        2204,
        "domain/proposals.py",
        "(member, known.get(member, version))",
        "(member, version)",
        "A rejection names old versions: forgetting a later one leaves its reason readable.",
        (_DOMAIN + "test_a_rejection_names_its_members_as_they_are_when_it_is_made",),
    ),
    Fault(
        2205,
        "commands/erasure_reach.py",
        '    ConsolidationRejected.TOPIC: "rejections",\n',
        "",
        "An erasure leaves the reason of a rejection, which may quote what is erased.",
        (_ROUTES + "test_an_erasure_takes_the_reason_of_a_rejection_too",),
    ),
    Fault(
        2206,
        "domain/exports.py",
        "        ConsolidationRejected.TOPIC,\n",
        "",
        "A sanitized export has the reason of a rejection that quotes what was forgotten.",
        (_EXPORTED + "test_its_reason_is_left_out_with_what_it_may_quote",),
    ),
    Fault(
        2207,
        "commands/proposals.py",
        'context.require_any("consolidate", "review")',
        'context.require_any("consolidate", "review", "write")',
        "Whoever may write decides against proposals.",
        ("tests/consolidation/test_rejecting.py::test_who_may_neither_consolidate_nor_review",),
    ),
    Fault(
        2208,
        "read_api/proposal_bodies.py",
        "if memory_id in now and now[memory_id].version != version",
        "if memory_id in now and now[memory_id].forgotten",
        "A proposal with a member that was corrected is listed as open.",
        (_ROUTES + "test_a_stale_proposal_says_which_member_changed",),
    ),
    Fault(
        2209,
        "read_api/proposal_bodies.py",
        "said = proposal_answer(state, slots, rationale=rationale and whole)",
        "said = proposal_answer(state, slots, rationale=rationale)",
        "The rationale of a proposal is told although it may quote a member that was forgotten.",
        (_ROUTES + "test_a_stale_proposal_says_which_member_changed",),
    ),
    Fault(
        2210,
        "read_api/proposal_index.py",
        "followed.position = found.last if full else max(head, found.last)",
        "followed.position = max(head, found.last)",
        "Of more proposals than are read at a time the later ones are never listed.",
        (_INDEX + "test_it_is_what_the_streams_say_whenever_it_is_asked",),
    ),
    Fault(
        2211,
        "read_api/duplicates.py",
        "said[copy.slot_ref, value].append(copy)",
        'said[copy.slot_ref, b""].append(copy)',
        "Memories of a slot that say different things are suggested as duplicates.",
        (_SUGGESTED + "test_memories_of_one_slot_and_value_are_suggested_and_nothing_is_written",),
    ),
    Fault(
        2212,
        "read_api/duplicates.py",
        "if len(crowded) == filters.limit and crowded[-1] != last:",
        "if len(crowded) > filters.limit:",
        "Duplicates behind a full page are in no page.",
        (_SUGGESTED + "test_suggestions_come_in_pages_that_neither_repeat_nor_skip",),
    ),
    Fault(
        2213,
        "ops/cli_revert.py",
        '"clear": [name for name in _OPEN if record[name] is None],',
        '"clear": [],',
        "A memory that goes back keeps a confidence or bound that it did not have then.",
        (
            _REVERT
            + "test_content_confidence_and_validity_are_those_of_the_version_and_sources_stay",
        ),
    ),
    Fault(
        2214,
        "ops/cli_revert.py",
        '        "expected_version": expected,',
        '        "expected_version": None,',
        "A memory goes back although somebody has changed it meanwhile.",
        (_REVERT + "test_it_is_refused_where_somebody_has_changed_the_memory_meanwhile",),
    ),
    Fault(
        2215,
        "read_api/proposal_seen.py",
        "known = sum(event.position < self.before for event in history.events)",
        "known = len(history.events)",
        "A proposal is decided again on what came after it.",
        (_AGAIN + "test_what_came_after_it_is_not_seen",),
    ),
    Fault(
        2216,
        "read_api/proposal_seen.py",
        "return self.appended_us - appended_us <= TURN_US",
        "return False",
        "What another process wrote meanwhile makes a proposal differ.",
        (_AGAIN + "test_what_another_process_wrote_meanwhile_was_not_seen",),
    ),
    Fault(
        2217,
        "read_api/proposal_seen.py",
        "return self.appended_us - appended_us <= TURN_US",
        "return True",
        "A proposal that names an older version than there was is not seen to differ.",
        (_AGAIN + "test_a_changed_event_differs_where_it_says_something_else",),
    ),
    Fault(
        2218,
        "read_api/proposal_replay.py",
        "return (EXCEPT_ERASED, first) if lasting is None else (DIFFERS, lasting)",
        "return EXCEPT_ERASED, first",
        "An erasure excuses every difference of a proposal.",
        (_AGAIN + "test_an_erasure_excuses_nothing_that_does_not_depend_on_it",),
    ),
    Fault(
        2219,
        "read_api/proposal_replay.py",
        "if state is None or not state.home.visible_to(context.viewer):",
        "if state is None:",
        "A private proposal is replayed for others.",
        (_AGAIN + "test_it_is_told_to_whom_the_proposal_is[sqlite]",),
    ),
    Fault(
        2220,
        "read_api/proposal_sides.py",
        "start < one.events[0].position < until",
        "one.events[0].position < until",
        "What an earlier consolidation linked counts as a part of a later one.",
        (_AGAIN + "test_who_was_consolidated_before_is_consolidated_again[sqlite]",),
    ),
    Fault(
        2221,
        "domain/consolidation.py",
        "        if _instants(one) != _instants(other):",
        "        if one.bounds.valid_until != other.bounds.valid_until:",
        "Bounds of validity are compared as texts.",
        (
            "tests/domain/test_consolidation.py::test_other_bounds_of_validity_are_disagreements_as_instants",
        ),
    ),
)
