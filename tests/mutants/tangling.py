"""Faults in the meaning of streams that no command makes."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_TANGLED: Final = "domain/tangled.py"
_STREAMS: Final = "domain/memory_streams.py"
_VERSIONS: Final = "domain/tangled_versions.py"
_SEATS: Final = "read_api/slot_seats.py"
_CASES: Final = (
    "tests/policy/test_imported.py::test_a_case_that_no_command_makes_is_answered[sqlite-{}]"
)
_KINDS: Final = "tests/domain/test_tangled.py::"
_IMPORTED: Final = "tests/policy/test_imported.py::"
_STAND_INS: Final = "tests/recall/test_stand_ins.py::"
_RETENTION: Final = "tests/domain/test_retention_laws.py::"


def _case(name: str) -> str:
    return _CASES.format(name)


TANGLING: Final = (
    Fault(
        1901,
        _TANGLED,
        "return [version for *_, version in sorted(found, reverse=True)]",
        "return [version for *_, version in sorted(found)]",
        "Of a fork the branch that should lose is shown.",
        (_case("C07"),),
    ),
    Fault(
        1902,
        _TANGLED,
        "return place.root is not None and not place.inert",
        "return not place.inert",
        "A correction of something unknown is used.",
        (_case("C09"),),
    ),
    Fault(
        1903,
        _STREAMS,
        "odd = odd or (state.forgotten is not None and not _forgets_for_good(fact))",
        "odd = odd or False",
        "An expiry after a tombstone makes a memory one that blocks its slot.",
        (_KINDS + "test_what_comes_after_a_tombstone_dies_with_it",),
    ),
    Fault(
        1914,
        _TANGLED,
        "for lineage in whole:",
        "for lineage in ():",
        "What a tombstone was for and came later answers.",
        (_case("D14"),),
    ),
    Fault(
        1904,
        _TANGLED,
        'yield Tombstone(**common, scope="key", target=step.slot_ref)',
        'yield Tombstone(**common, scope="key", target="")',
        "What arrives late in a forgotten slot answers.",
        (_case("D13"),),
    ),
    Fault(
        1905,
        _STREAMS,
        "return not isinstance(event.facts[0], MemoryRemembered) or len(event.facts) > 1",
        "return False",
        "A stream that begins with a tombstone stops everybody who follows the log.",
        (_case("D14"),),
    ),
    Fault(
        1906,
        _TANGLED,
        "self.own = [step for step in steps if step.session == self.session]",
        "self.own = list(steps)",
        "A session deletes what it does not own.",
        (_case("D15"),),
    ),
    Fault(
        1907,
        _TANGLED,
        "return place.root is not None and not place.inert",
        "return place.root is not None",
        "A correction with another slot is shown.",
        (_KINDS + "test_a_correction_with_another_slot_is_inert",),
    ),
    Fault(
        1908,
        _STREAMS,
        "odd = (fact.targets or before) != before",
        "odd = False",
        "A correction of an older version is taken for one of the version before it.",
        (_case("C07"),),
    ),
    Fault(
        1909,
        "domain/memory_events.py",
        "return (stamp.recorded_us, _name(state, stamp.version)) < (",
        "return (FOREVER, _name(state, stamp.version)) < (",
        "The retention bound is that which came last, not the one recorded last.",
        (_KINDS + "test_the_expiry_recorded_last_counts_and_not_the_one_that_came_last",),
    ),
    Fault(
        1915,
        "read_api/exclusion_causes.py",
        "return [row for row in lineage if row.version == last.retained_by]",
        "return [row for row in lineage if row.expires_us == last.expires_us][:1]",
        "An explanation names an expiry that another one has replaced.",
        (_IMPORTED + "test_an_explanation_names_the_expiry_recorded_last_of_equal_ones[sqlite]",),
    ),
    Fault(
        1916,
        "domain/memory_events.py",
        'return state._replace(lifecycle="expired", bounds=bounds)',
        "return state._replace(bounds=bounds)",
        "An expiry that a host records late hides nothing.",
        (
            _RETENTION
            + "test_what_has_expired_is_hidden_since_that_was_recorded_first_in_every_order",
        ),
    ),
    Fault(
        1917,
        "domain/stand_ins.py",
        "start = max(start, other.until_us)",
        "start = branch.until_us",
        "A branch does not answer after the time of a better one.",
        (_STAND_INS + "test_the_branch_that_holds_is_found_by_its_words_and_by_no_other",),
    ),
    Fault(
        1918,
        "projections/lexical/memtable.py",
        "family = [document_id, *self.places.stand_ins(document_id)]",
        "family = [document_id]",
        "The words of a branch that stood in stay in the index when its memory is forgotten.",
        ("tests/recall_index/test_imported.py::test_a_forgotten_memory_takes_its_stand_ins_along",),
    ),
    Fault(
        1919,
        "read_api/memory_view.py",
        "said = standing(row, self._as_of_us, row.record)",
        "said = standing(row, row.from_us)",
        "The text of the preferred branch is given where another one answers.",
        (_STAND_INS + "test_a_seed_leads_to_the_branch_that_holds",),
    ),
    Fault(
        1920,
        "projections/recall_fold.py",
        "if shows in gone:",
        "if shows in gone and name == state.id:",
        "What stood in for a branch is found at older bases after it was forgotten.",
        ("tests/recall_index/test_imported.py::test_a_forgotten_stand_in_leaves_no_words",),
    ),
    Fault(
        1910,
        _VERSIONS,
        "hidden = [one.without_payload() if one.version in forgotten else one for one in events]",
        "hidden = list(events)",
        "The text of a deleted branch is kept in the read models.",
        (_KINDS + "test_a_text_that_is_forgotten_is_in_no_version",),
    ),
    Fault(
        1911,
        _SEATS,
        "branch=one.version != answering,",
        "branch=False,",
        "Two branches of a fork are taken for one candidate, and no conflict is told.",
        (_case("C07"),),
    ),
    Fault(
        1912,
        "domain/memory_decisions.py",
        'return {} if state.tangle is None else {"targets": [(state.id, state.shows)]}',
        "return {}",
        "An update of a forked memory corrects the branch that came last, not what is shown.",
        (_KINDS + "test_an_update_of_a_tangled_memory_corrects_what_it_shows",),
    ),
    Fault(
        1913,
        "projections/recall_fold.py",
        "gone = forgotten_texts(events)",
        "gone = frozenset[int]()",
        "The index keeps a version of a tangled memory whose text was forgotten.",
        ("tests/recall_index/test_imported.py::test_a_forgotten_branch_is_found_at_no_basis",),
    ),
)
