"""Faults in the temporal policy: what is known, and which statements may answer."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_DELETION: Final = "domain/resolver/deletion.py"
_ELIGIBILITY: Final = "domain/resolver/eligibility.py"
_HOLDING: Final = "domain/resolver/holding.py"
_KNOWLEDGE: Final = "domain/resolver/knowledge.py"
_LINEAGES: Final = "domain/resolver/lineages.py"

_CASES: Final = "tests/policy/test_scenarios.py::test_a_case_is_answered_as_the_specification_says"
_BROKEN: Final = "tests/policy/test_lineages.py::"
_GRAVES: Final = "tests/policy/test_deletion.py::"
_LAWS: Final = "tests/policy/test_laws.py::"


def _case(id: str) -> str:
    return f"{_CASES}[{id}-resolver]"


RESOLVING: Final = (
    Fault(
        1601,
        _HOLDING,
        "if as_of_us < from_us:",
        "if as_of_us <= from_us:",
        "A statement does not hold at the instant at which it begins.",
        (_case("B01"),),
    ),
    Fault(
        1602,
        _HOLDING,
        "if as_of_us < min(until_us, expires_us):",
        "if as_of_us <= min(until_us, expires_us):",
        "A statement still holds at the instant at which it ends.",
        (_case("B03"),),
    ),
    Fault(
        1603,
        _HOLDING,
        "if until_us <= expires_us",
        "if until_us < expires_us",
        "Of two ends at one instant the retention is named.",
        (_BROKEN + "test_of_two_ends_at_one_instant_that_of_the_statement_is_named",),
    ),
    Fault(
        1604,
        _KNOWLEDGE,
        "event.appended_us <= as_known_us)",
        "event.recorded_us <= as_known_us)",
        "What a late writer says it had recorded slips into a closed audit.",
        (_case("C09"),),
    ),
    Fault(
        1605,
        _KNOWLEDGE,
        "if event.session == session\n",
        "if event.session.lower() == session.lower()\n",
        "A session that is spelled alike is taken for the same.",
        (_case("S02"),),
    ),
    Fault(
        1606,
        _KNOWLEDGE,
        "_content(copy) < _content(other)",
        "copy.position < other.position",
        "Of two statements with one id the first to arrive counts, another one on each replica.",
        (_LAWS + "test_i1_no_order_of_arrival_changes_an_answer",),
    ),
    Fault(
        1607,
        _LINEAGES,
        "end = min(_from(list(passed), at.id))",
        "end = at.id",
        "What a cycle is called depends on the order of the events.",
        (_BROKEN + "test_a_cycle_is_held_back_with_all_that_leads_into_it",),
    ),
    Fault(
        1608,
        _LINEAGES,
        "above.inert or other_slot",
        "other_slot",
        "A correction of something that has no effect is an answer.",
        (_BROKEN + "test_a_correction_with_another_key_does_nothing_nor_do_those_that_correct_it",),
    ),
    Fault(
        1609,
        _LINEAGES,
        "_or(one.valid_from, above.span.from_us, one.recorded_us)",
        "_or(one.valid_from, one.recorded_us, one.recorded_us)",
        "A correction holds from its own recording on, and not for the time of its target.",
        (_case("C02"),),
    ),
    Fault(
        1610,
        _LINEAGES,
        "_or(one.valid_from, above.span.from_us, one.recorded_us)",
        "_or(one.valid_from, above.span.from_us, above.span.from_us)",
        "A start that is opened is inherited all the same.",
        (_BROKEN + "test_a_start_that_was_opened_is_the_recording_of_the_correction",),
    ),
    Fault(
        1611,
        _LINEAGES,
        "if other is None or age(one) > age(other):",
        "if other is None:",
        "Which of two corrections is named depends on the order of arrival.",
        (_case("D10"),),
    ),
    Fault(
        1612,
        _LINEAGES,
        "if one.target is not None and not self._places[one.id].inert:",
        "if one.target is not None:",
        "A correction with another key retires what it names.",
        (_BROKEN + "test_a_correction_with_another_key_does_nothing_nor_do_those_that_correct_it",),
    ),
    Fault(
        1613,
        _DELETION,
        "self._whole.setdefault(lineages.of(one.target), one)",
        "self._whole.setdefault(one.target, one)",
        "A deletion reaches only what hangs below its target, and not the rest of the lineage.",
        (_GRAVES + "test_a_lineage_is_deleted_whole_whichever_of_its_versions_is_named",),
    ),
    Fault(
        1614,
        _DELETION,
        "self._events.setdefault(one.target, one)",
        "self._whole.setdefault(lineages.of(one.target), one)",
        "Deleting one version deletes all of its lineage.",
        (_case("D09"),),
    ),
    Fault(
        1615,
        _DELETION,
        "bisect_left(later, statement.recorded_us, key",
        "bisect_left(later, statement.recorded_us + 1, key",
        "A slot's deletion spares what was recorded at its own instant.",
        (_GRAVES + "test_a_slot_is_deleted_up_to_and_with_the_instant_of_its_tombstone",),
    ),
    Fault(
        1616,
        _DELETION,
        "if other is None or age(grave) < age(other):",
        "if other is None:",
        "Not the earliest of several deletions is named.",
        (_GRAVES + "test_the_earliest_tombstone_that_covers_a_statement_is_named",),
    ),
    Fault(
        1617,
        "domain/resolver/expiry.py",
        "key=lambda one: (one.recorded_us, one.id, _bound(one))",
        "key=_bound",
        "The latest bound counts, so that a retention can never be shortened.",
        (_BROKEN + "test_the_newest_expiry_counts_whatever_a_statement_says_and_null_opens",),
    ),
    Fault(
        1618,
        "domain/resolver/expiry.py",
        "lineages.of(one.target): Retention",
        "one.target: Retention",
        "The expiry of a correction does not reach the rest of its lineage.",
        (
            _BROKEN + "test_an_expiry_or_a_supersession_of_any_version_reaches_its_whole_lineage",
            _case("E03"),
        ),
    ),
    Fault(
        1619,
        "domain/resolver/supersession.py",
        "if lineage != front:",
        "if lineage:",
        "A canonical memory that is a member steps back behind itself.",
        (_BROKEN + "test_a_canonical_memory_never_steps_back_behind_itself",),
    ),
    Fault(
        1620,
        _ELIGIBILITY,
        "if grave is not None:\n            return",
        "if grave is not None and place.root is not None:\n            return",
        "What hangs on a missing target is held back, although it was deleted.",
        (_GRAVES + "test_deletion_comes_before_every_other_reason",),
    ),
    Fault(
        1621,
        _ELIGIBILITY,
        "if place.root is None:",
        "if place.root is None and place.inert:",
        "A correction of something that never arrived is an answer.",
        (_case("C09"),),
    ),
    Fault(
        1622,
        _ELIGIBILITY,
        "if correction is not None:",
        "if correction is not None and correction.id not in self.deleted:",
        "Deleting a correction brings the corrected text back.",
        (_case("D09"),),
    ),
    Fault(
        1623,
        _ELIGIBILITY,
        "if front is not None:",
        "if front is not None and front in self.deleted:",
        "What was consolidated away still answers.",
        (_case("K01"),),
    ),
    Fault(
        1624,
        _ELIGIBILITY,
        'retained.by if reason == "expired" else None',
        "retained.by",
        "An expiry is blamed for what had ended by itself.",
        (_BROKEN + "test_of_two_ends_at_one_instant_that_of_the_statement_is_named",),
    ),
)
