"""Corrections, forks and broken chains (spec/policy.md §2.4)."""

from __future__ import annotations

import pytest

from domain.resolver.policies import SURFACE_ALL, Conflict
from tests.policy.builders import (
    LATER,
    ask,
    assertion,
    correction,
    expiry,
    supersession,
    told,
    tombstone,
)


def test_a_chain_with_a_gap_is_held_back_whole_until_the_gap_closes() -> None:
    root, second = assertion("a", 1), correction("b", "a", 2)
    third, fourth = correction("c", "b", 3), correction("d", "c", 4)
    held = {"a": "selected", "c": "target_unknown by b", "d": "target_unknown by b"}
    assert told(ask(root, third, fourth)) == held
    closed = {"a": "corrected by b", "b": "corrected by c", "c": "corrected by d"}
    assert told(ask(fourth, third, root, second)) == {**closed, "d": "selected"}


def test_a_correction_of_something_in_another_session_is_held_back_as_if_it_were_absent() -> None:
    own = correction("b", "a", 2)
    assert told(ask(own)) == {"b": "target_unknown by a"}
    assert ask(own, assertion("a", 1, session="s-lagoon")) == ask(own)


def test_what_is_no_statement_corrects_and_is_corrected_by_nothing() -> None:
    events = [assertion("a", 1), tombstone("t", "gone", 2), correction("b", "t", 3)]
    assert told(ask(*events)) == {"a": "selected", "b": "target_unknown by t"}


def test_a_correction_with_another_key_does_nothing_nor_do_those_that_correct_it() -> None:
    events = [
        assertion("a", 1),
        correction("b", "a", 2, key="other"),
        correction("c", "b", 3, key="other"),
    ]
    assert told(ask(*events)) == {"a": "selected"}
    found = {"b": "key_mismatch by a", "c": "key_mismatch by b"}
    assert told(ask(*events, key="other")) == found


def test_a_correction_that_comes_back_to_the_first_key_stays_without_effect() -> None:
    events = [assertion("a", 1), correction("b", "a", 2, key="other"), correction("c", "b", 3)]
    assert told(ask(*events)) == {"a": "selected", "c": "key_mismatch by b"}


@pytest.mark.parametrize("order", [1, -1])
def test_a_cycle_is_held_back_with_all_that_leads_into_it(order: int) -> None:
    events = [
        correction("b", "c", 1),
        correction("c", "d", 2),
        correction("d", "b", 3),
        correction("a", "d", 4),
        correction("e", "e", 5),
    ][::order]
    held = dict.fromkeys("abcd", "target_unknown by b")
    assert told(ask(*events)) == {**held, "e": "target_unknown by e"}


def test_the_newest_direct_correction_is_named() -> None:
    events = [assertion("a", 1), correction("b", "a", 4), correction("c", "a", 3)]
    assert told(ask(*events))["a"] == "corrected by b"


@pytest.mark.parametrize("policy", [SURFACE_ALL])
def test_both_ends_of_a_fork_are_surfaced_where_nothing_is_decided(policy: str) -> None:
    events = [assertion("a", 1), correction("b", "a", 4), correction("c", "a", 3)]
    answer = ask(*events, policy=policy)
    assert answer.selected == ("b", "c")
    assert answer.conflicts == (Conflict(("b", "c"), None, None),)


def test_in_a_fork_the_later_start_of_validity_is_preferred() -> None:
    events = [
        assertion("a", 1),
        correction("b", "a", 9, valid_from=10),
        correction("c", "a", 3, valid_from=20),
    ]
    answer = ask(*events)
    assert told(answer) == {"a": "corrected by b", "b": "shadowed by c", "c": "selected"}
    assert answer.conflicts == (Conflict(("b", "c"), "c", "correction_order"),)


def test_absent_bounds_are_inherited_through_the_whole_chain_and_null_opens() -> None:
    root = assertion("a", 5, valid_from=10, valid_until=20, expires_at=40)
    absent = [root, correction("b", "a", 6), correction("c", "b", 7)]
    opened = [*absent, correction("d", "c", 8, valid_until=None)]
    assert told(ask(*absent, as_of=9))["c"] == "not_yet_valid"
    assert told(ask(*absent, as_of=10))["c"] == "selected"
    assert told(ask(*absent, as_of=20))["c"] == "validity_ended"
    assert told(ask(*opened, as_of=39))["d"] == "selected"
    assert told(ask(*opened, as_of=40))["d"] == "expired"


def test_a_start_that_was_opened_is_the_recording_of_the_correction() -> None:
    events = [assertion("a", 5, valid_from=2), correction("b", "a", 7, valid_from=None)]
    assert told(ask(*events, as_of=6))["b"] == "not_yet_valid"
    assert told(ask(*events, as_of=7))["b"] == "selected"


def test_of_two_statements_with_one_id_the_earliest_recorded_counts() -> None:
    one, other = assertion("a", 1, "first"), assertion("a", 2, "second")
    for events in ([one, other], [other, one]):
        (item,) = ask(*events).items
        assert item.value == "first"


def test_a_chain_of_thousands_is_walked_without_recursion() -> None:
    count = 3000
    chain = [correction(f"c{n:05}", f"c{n - 1:05}", n) for n in range(count, 0, -1)]
    answer = ask(*chain, assertion("c00000", 0), as_of=count * 2)
    assert answer.selected == (f"c{count:05}",)
    assert len(answer.excluded) == count


def test_an_expiry_or_a_supersession_of_any_version_reaches_its_whole_lineage() -> None:
    lineage = [assertion("a", 1), correction("b", "a", 9), assertion("z", 2, key="else")]
    lineage += [correction("c", "b", 10)]
    for target in "abc":
        assert told(ask(*lineage, expiry("e", target, 3, 10)))["c"] == "expired by e"
        found = told(ask(*lineage, supersession("s", [target], "z", 3)))
        assert found["c"] == "superseded by s"


def test_the_newest_expiry_counts_whatever_a_statement_says_and_null_opens() -> None:
    root = assertion("a", 1, expires_at=5)
    assert told(ask(root))["a"] == "expired"
    assert told(ask(root, expiry("e", "a", 3, LATER + 1)))["a"] == "selected"
    assert told(ask(root, expiry("f", "a", 4, 6), expiry("e", "a", 3, None)))["a"] == "expired by f"
    assert told(ask(root, expiry("e", "a", 4, None), expiry("f", "a", 3, 6)))["a"] == "selected"


def test_of_two_ends_at_one_instant_that_of_the_statement_is_named() -> None:
    root = assertion("a", 1, valid_until=50)
    assert told(ask(root, expiry("e", "a", 3, 50), as_of=50))["a"] == "validity_ended"
    assert told(ask(root, expiry("e", "a", 3, 49), as_of=49))["a"] == "expired by e"
    assert told(ask(root, expiry("e", "a", 3, 51), as_of=50))["a"] == "validity_ended"


def test_a_canonical_memory_never_steps_back_behind_itself() -> None:
    events = [assertion("a", 1), assertion("b", 2), supersession("s", ["a", "b"], "a", 3)]
    assert told(ask(*events)) == {"a": "selected", "b": "superseded by s"}


def test_the_first_of_several_consolidations_is_named() -> None:
    events = [
        assertion("a", 1),
        supersession("t", ["a"], "z", 5),
        supersession("s", ["a"], "y", 4),
    ]
    assert told(ask(*events)) == {"a": "superseded by s"}
