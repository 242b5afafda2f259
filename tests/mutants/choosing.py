"""Faults in the temporal policy: who wins a slot, what is told of it, and what is refused."""

from __future__ import annotations

from typing import Final

from tests.mutants.fault import Fault

_POLICIES: Final = "domain/resolver/policies.py"
_CHOICE: Final = "read_api/slot_choice.py"
_RESOLVE: Final = "domain/resolver/resolve.py"
_EVALUATION: Final = "ops/evaluation.py"

_CASES: Final = "tests/policy/test_scenarios.py::test_a_case_is_answered_as_the_specification_says"
_GRAVES: Final = "tests/policy/test_deletion.py::"
_WINNERS: Final = "tests/policy/test_precedence.py::"
_LAWS: Final = "tests/policy/test_laws.py::"
_DOOR: Final = "tests/policy/test_admission.py::"
_RECALL: Final = "tests/recall/test_slot_policy.py::"
_EVALUATE: Final = "tests/policy/test_evaluate.py::"


def _case(id: str) -> str:
    return f"{_CASES}[{id}-resolver]"


CHOOSING: Final = (
    Fault(
        1625,
        _POLICIES,
        "return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        "return self.recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        "Repairing a typo in an outdated fact makes it the newest.",
        (_case("C10"),),
    ),
    Fault(
        1626,
        _POLICIES,
        "return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        "return self.root_recorded_us, 0, self.root_id, self.recorded_us, self.id",
        "Of facts recorded together not the one wins that began later.",
        (_WINNERS + "test_each_component_decides_where_those_before_it_are_equal",),
    ),
    Fault(
        1627,
        _POLICIES,
        "return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        'return self.root_recorded_us, self.from_us, "", self.recorded_us, self.id',
        "A late correction decides between lineages that are otherwise equal.",
        (_WINNERS + "test_each_component_decides_where_those_before_it_are_equal",),
    ),
    Fault(
        1628,
        _POLICIES,
        "return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        "return self.root_recorded_us, self.from_us, self.root_id, 0, self.id",
        "In a fork the older correction is preferred.",
        (_WINNERS + "test_each_component_decides_where_those_before_it_are_equal",),
    ),
    Fault(
        1629,
        _POLICIES,
        "return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id",
        'return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, ""',
        "Which of two equal corrections wins depends on the order of arrival.",
        (_WINNERS + "test_each_component_decides_where_those_before_it_are_equal",),
    ),
    Fault(
        1630,
        _POLICIES,
        "if winner.root_id == loser.root_id:",
        "if winner.id == loser.id:",
        "A fork is told as a disagreement between facts.",
        (_case("C07"),),
    ),
    Fault(
        1631,
        _POLICIES,
        "return self.value is not None and self.value == other.value",
        "return self.value == other.value",
        "Two texts that were erased are told to be equal.",
        (_GRAVES + "test_two_erased_texts_are_not_compared",),
    ),
    Fault(
        1632,
        _POLICIES,
        "decided_by(winner, against[0])",
        "decided_by(winner, others[0])",
        "What decided a conflict is taken from one that agrees with the winner.",
        (_WINNERS + "test_a_conflict_names_what_decided_against_the_closest_of_another_value",),
    ),
    Fault(
        1633,
        _POLICIES,
        "if all(first.says(one) for one in ranked[1:]):",
        "if ranked:",
        "Surfacing everything hides that it disagrees.",
        (_WINNERS + "test_everything_is_surfaced_best_first_and_nothing_decided",),
    ),
    Fault(
        1634,
        _RESOLVE,
        "erased = erasures(known(everything, question.session))",
        "erased = judged.deleted",
        "An audit from before a deletion shows the deleted text.",
        (_case("D17"),),
    ),
    Fault(
        1635,
        _RESOLVE,
        "value=None if payload is None else comparable(payload.value)",
        "value=None if statement.payload is None else comparable(statement.payload.value)",
        "Equality with an erased text is told.",
        (
            _GRAVES + "test_an_erased_winner_blocks_its_slot_and_equality_with_it_is_not_told",
            _LAWS + "test_i2_nothing_is_read_of_an_erased_statement_but_its_structure",
        ),
    ),
    Fault(
        1636,
        _RESOLVE,
        "return -(winner.score or 0.0), -winner.statement.recorded_us, winner.statement.id",
        "return (winner.score or 0.0), -winner.statement.recorded_us, winner.statement.id",
        "The worst match comes first.",
        (_case("R03"),),
    ),
    Fault(
        1637,
        "domain/slots.py",
        'return unicodedata.normalize("NFC", value) if short else value',
        "return value if short else value",
        "The same value in another Unicode spelling is a conflict.",
        (_WINNERS + "test_values_are_equal_in_every_unicode_spelling_and_json_by_content",),
    ),
    Fault(
        1638,
        "domain/resolver/validation.py",
        "one.id in self.deleted or self.lineages.place(one.id).inert",
        "self.lineages.place(one.id).inert",
        "After one version was deleted its lineage can never be corrected again.",
        (_DOOR + "test_what_fits_the_history_is_new",),
    ),
    Fault(
        1639,
        "domain/resolver/validation.py",
        "own = [one for one in history if one.session == event.session]",
        "own = list(history)",
        "That another session holds a target is told.",
        (_DOOR + "test_what_does_not_fit_the_history_is_refused",),
    ),
    Fault(
        1640,
        "domain/resolver/spelling.py",
        "if target is not None and name not in said:",
        "if target is not None and said.get(name) is None:",
        "Null in a correction inherits, where it should open.",
        (_DOOR + "test_each_type_is_read_with_all_that_it_says",),
    ),
    Fault(
        1641,
        "projections/lexical/cosine.py",
        "idf = {word: log(1 + len(texts) / having[word]) for word in having}",
        "idf = {word: log(len(texts) / having[word]) for word in having}",
        "A word that every winner has finds none of them.",
        ("tests/policy/test_cosine.py::test_a_word_that_every_text_has_still_counts",),
    ),
    Fault(
        1651,
        "read_api/workspace_index.py",
        "eligible = eligible & ~index.rows_of(question.without, basis.position)",
        "eligible = eligible & ~index.rows_of((), basis.position)",
        "A policy that chooses one memory of a slot gives all of them.",
        (_RECALL + "test_one_memory_of_a_slot_answers_and_the_basis_names_the_policy",),
    ),
    Fault(
        1652,
        _CHOICE,
        "if index.position > basis.position else []",
        "if index.position < basis.position else []",
        "What was the answer then and is forgotten now gives its place to an older one.",
        (_RECALL + "test_what_was_the_answer_and_is_forgotten_now_still_stands_before_the_others",),
    ),
    Fault(
        1653,
        "read_api/slot_seats.py",
        "return row.dead_versions is not None",
        "return False",
        "A version that had lost its text by the basis keeps others of its slot from answering.",
        (_RECALL + "test_a_version_that_had_no_text_at_the_basis_stands_before_nothing",),
    ),
    Fault(
        1654,
        "read_api/slot_seats.py",
        "if filters != Filters(session_id=filters.session_id, slot=filters.slot):",
        "if filters.tags:",
        "What was forgotten since is taken to be within filters that nothing says it met.",
        (_RECALL + "test_what_was_forgotten_since_stands_before_nothing_outside_its_filters",),
    ),
    Fault(
        1655,
        "projections/lexical/eligibility.py",
        "shared = np.bincount(codes, minlength=1)[codes] > 1",
        "shared = np.bincount(codes, minlength=1)[codes] > 2",
        "Of two memories of a slot both answer.",
        (_RECALL + "test_one_memory_of_a_slot_answers_and_the_basis_names_the_policy",),
    ),
    Fault(
        1656,
        "read_api/slot_seats.py",
        "    _ROW.root_us,",
        '    _ROW.recorded_us.label("root_us"),',
        "Correcting an outdated memory makes it the newest.",
        (_RECALL + "test_a_correction_keeps_the_place_of_the_memory_that_it_corrects",),
    ),
    Fault(
        1661,
        _EVALUATION,
        "return Counter(\n        canonical(",
        "return Counter() and Counter(\n        canonical(",
        "Whatever is excluded is as a case expects.",
        (_EVALUATE + "test_the_order_in_which_a_case_names_what_is_excluded_does_not_matter",),
    ),
    Fault(
        1662,
        _EVALUATION,
        "_leaks(case, _texts_of(left))]",
        "()]",
        "What is left of the events may hold what must not be told.",
        (_EVALUATE + "test_what_must_not_be_told_is_looked_for_in_the_answer_and_in_what_is_left",),
    ),
    Fault(
        1663,
        "ops/cli_evaluate.py",
        'with out.open("xb") as file:',
        'with out.open("wb") as file:',
        "A report is written where a link leads.",
        (_EVALUATE + "test_a_file_that_comes_meanwhile_is_not_written_over",),
    ),
    Fault(
        1664,
        "domain/resolver/meaning.py",
        "found.update(canonical(ended(*bounds)))",
        'found.update(b"")',
        "A policy with another bound has the same meaning.",
        ("tests/policy/test_meaning.py::test_every_policy_keeps_its_meaning",),
    ),
)
