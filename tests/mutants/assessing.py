"""Faults in what is decided about claims: by whom, on what, and what replays."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_APPLYING: Final = "domain/validation/assessing.py"
_ASSESSING: Final = "commands/assessing.py"
_DERIVING: Final = "commands/deriving.py"
_LISTING: Final = "read_api/claims.py"
_READING: Final = "read_api/decisions.py"
_REASSESSING: Final = "read_api/reassessing.py"
_REPLAY: Final = "read_api/assessment_replay.py"
_RESTING: Final = "read_api/resting.py"

_DECIDED: Final = "tests/claims/test_assessing.py::"
_DERIVED: Final = "tests/claims/test_deriving.py::"
_REPLAYED: Final = "tests/claims/test_replay.py::"
_REASSESSED: Final = "tests/claims/test_reassessing.py::"

ASSESSING: Final = (
    Fault(
        2431,
        _APPLYING,
        "authors=evidence.claim.authors | {assessor}",
        "authors=evidence.claim.authors",
        "Who assesses a claim approves of it, too.",
        (_DECIDED + "test_a_review_counts_of_somebody_else_alone[sqlite]",),
    ),
    Fault(
        2432,
        _APPLYING,
        "targets=[claim, *read],",
        "targets=[claim],",
        "An assessment does not record what it read.",
        (_DECIDED + "test_an_assessment_records_every_version_that_it_read_and_changes_nothing",),
    ),
    Fault(
        2433,
        _ASSESSING,
        'if verdict == "approved" and context.actor in writers:',
        'if verdict == "approved" and context.actor in evidence.claim.authors:',
        "Who wrote the evidence about a claim approves of it.",
        (_DECIDED + "test_a_review_counts_of_somebody_else_alone[sqlite]",),
    ),
    Fault(
        2434,
        _ASSESSING,
        "memory_decisions.expect_version(assessed.found.evidence.claim.target[1], version)",
        "memory_decisions.expect_version(0, None)",
        "A status is written over a version that nobody expected.",
        (_DECIDED + "test_a_claim_that_changed_is_not_written_over",),
    ),
    Fault(
        2435,
        _ASSESSING,
        "            _expect_shown(assessed)\n        return",
        "            pass\n        return",
        "A shared claim cites an assessment that others cannot look up.",
        (_DECIDED + "test_a_claim_that_others_read_gets_no_status_from_private_evidence",),
    ),
    Fault(
        2436,
        _READING,
        "if state is not None and state.home.visible_to(self.viewer):",
        "if state is not None:",
        "The assessment of a private claim is told to others.",
        (_DECIDED + "test_others_learn_nothing_of_a_private_claim",),
    ),
    Fault(
        2437,
        _REPLAY,
        "position = recorded.seen",
        "position = self._log.head()",
        "A replay looks at what came after the assessment.",
        (_REPLAYED + "test_an_assessment_replays_whatever_came_after_it[sqlite]",),
    ),
    Fault(
        2438,
        _REPLAY,
        "viewer = Viewer(recorded.actor, context.viewer.session)",
        "viewer = context.viewer",
        "A replay weighs evidence that is private to who asks for it.",
        (_REPLAYED + "test_a_replay_sees_what_the_assessor_saw_whoever_asks_for_it[sqlite]",),
    ),
    Fault(
        2439,
        _REPLAY,
        "gather(records, [claim], recorded.as_of_us, reviewed=True)",
        "gather(records, [claim], recorded.as_of_us)",
        "A replay forgets what reviewers said.",
        (_REPLAYED + "test_reviews_and_withdrawals_replay_too[sqlite]",),
    ),
    Fault(
        2440,
        _REPLAY,
        "if history.last.forgotten is not None or at.erased:",
        "if at.erased:",
        "A replay does not name what was forgotten since.",
        (_REPLAYED + "test_what_was_erased_since_is_named[sqlite-tombstone-source]",),
    ),
    Fault(
        2441,
        _REASSESSING,
        "return next(newest, one).id == one.id",
        "return True",
        "A claim is reassessed by an assessment that a later one has replaced.",
        (_REASSESSED + "test_a_page_leaves_what_was_assessed_again_to_the_page_of_that",),
    ),
    Fault(
        2442,
        _RESTING,
        "shown(EDGE_VERSION), _EDGE.kind == SUPPORTS, of_ids(_EDGE.source_id)",
        "shown(EDGE_VERSION), _EDGE.kind == DERIVED_FROM, of_ids(_EDGE.source_id)",
        "What rests on a memory by its support is not found.",
        (_DECIDED + "test_claims_are_listed_by_status_gap_slot_and_what_they_rest_on[sqlite]",),
    ),
    Fault(
        2443,
        _LISTING,
        "query.where(_ROW.memory_id > after)",
        "query.where(_ROW.memory_id >= after)",
        "Pages of claims repeat the last one of the page before.",
        (_DECIDED + "test_pages_of_claims_part_them_and_a_cursor_is_of_its_question",),
    ),
    Fault(
        2444,
        _DERIVING,
        'private = any(state.home.visibility == "private" for state in states)',
        "private = False",
        "A fact tells everybody what was private.",
        (_DERIVED + "test_what_is_made_from_something_private_is_private",),
    ),
    Fault(
        2445,
        _DERIVING,
        "memory_decisions.expect_version(found.version, version)",
        "memory_decisions.expect_version(found.version, found.version)",
        "A fact is made from versions that nobody has named.",
        (
            _DERIVED + "test_what_cannot_be_derived_is_refused_and_nothing_is_written"
            "[version-expected4]",
        ),
    ),
)
