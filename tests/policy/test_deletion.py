"""Three scopes of deletion, and what an answer from before it may say (spec/policy.md §2.5)."""

from __future__ import annotations

import pytest

from domain.resolver.policies import NEWEST_RECORDED, SURFACE_ALL, Conflict
from tests.policy.builders import KEY, ask, assertion, correction, supersession, told, tombstone


def test_a_lineage_is_deleted_whole_whichever_of_its_versions_is_named() -> None:
    events = [assertion("a", 1), correction("b", "a", 2), correction("c", "b", 9)]
    for target in "abc":
        assert set(told(ask(*events, tombstone("t", target, 3))).values()) == {"deleted by t"}


def test_a_tombstone_for_a_missing_target_covers_what_hangs_on_it() -> None:
    events = [correction("c", "b", 2), correction("d", "c", 3), tombstone("t", "b", 4)]
    assert told(ask(*events)) == {"c": "deleted by t", "d": "deleted by t"}


def test_a_single_version_is_deleted_alone() -> None:
    events = [assertion("a", 1), correction("b", "a", 2), correction("c", "b", 3)]
    found = told(ask(*events, tombstone("t", "b", 9, "event")))
    assert found == {"a": "corrected by b", "b": "deleted by t", "c": "selected"}


def test_a_slot_is_deleted_up_to_and_with_the_instant_of_its_tombstone() -> None:
    events = [assertion(id, at) for id, at in (("a", 4), ("b", 5), ("c", 6))]
    found = told(ask(*events, tombstone("t", KEY, 5, "key")))
    assert found == {"a": "deleted by t", "b": "deleted by t", "c": "selected"}
    assert told(ask(*events, tombstone("t", "other", 5, "key")))["b"] == "shadowed by c"


def test_the_earliest_tombstone_that_covers_a_statement_is_named() -> None:
    graves = [
        tombstone("u", "a", 8),
        tombstone("t", "a", 8, "event"),
        tombstone("r", KEY, 2, "key"),
        tombstone("s", KEY, 9, "key"),
    ]
    assert told(ask(assertion("a", 3), *graves)) == {"a": "deleted by t"}
    assert told(ask(assertion("a", 3), *graves, tombstone("x", KEY, 7, "key"))) == {
        "a": "deleted by x"
    }


def test_tombstones_of_another_session_delete_nothing() -> None:
    graves = [
        tombstone("t", "a", 2, session="s-lagoon"),
        tombstone("u", "a", 2, "event", session="s-lagoon"),
        tombstone("v", KEY, 2, "key", session="s-lagoon"),
    ]
    assert told(ask(assertion("a", 1), *graves)) == {"a": "selected"}


def test_deletion_comes_before_every_other_reason() -> None:
    held, inert = correction("b", "gone", 1), correction("c", "a", 2, key="other")
    root = assertion("a", 1, valid_until=2)
    hidden = [root, correction("d", "a", 3), supersession("s", ["a"], "z", 3)]
    assert told(ask(held, tombstone("t", "b", 9))) == {"b": "deleted by t"}
    assert told(ask(root, inert, tombstone("t", "c", 9, "event"), key="other")) == {
        "c": "deleted by t"
    }
    assert told(ask(*hidden, tombstone("t", "a", 9)))["a"] == "deleted by t"


@pytest.mark.parametrize("policy", [NEWEST_RECORDED, SURFACE_ALL])
def test_what_was_deleted_since_is_no_answer_at_an_earlier_basis_either(policy: str) -> None:
    events = [
        assertion("a", 1, position=1),
        assertion("b", 2, position=2),
        tombstone("t", "b", 3, position=3),
    ]
    answer = ask(*events, policy=policy, as_known_position=2)
    assert told(answer)["b"] == "payload_erased by t"
    assert "value of b" not in repr(answer)


def test_an_erased_winner_blocks_its_slot_and_equality_with_it_is_not_told() -> None:
    events = [
        assertion("a", 1, "same", position=1),
        assertion("b", 2, "same", position=2),
        tombstone("t", "b", 3, position=3),
    ]
    before = ask(*events[:2], as_known_position=2)
    assert told(before) == {"a": "same_value by b", "b": "selected"}
    answer = ask(*events, as_known_position=2)
    assert told(answer) == {"a": "shadowed by b", "b": "payload_erased by t"}
    assert answer.conflicts == (Conflict(("a", "b"), "b", "recorded_at"),)


def test_two_erased_texts_are_not_compared() -> None:
    events = [
        assertion("a", 1, "same", position=1),
        assertion("b", 2, "same", position=2),
        tombstone("t", KEY, 3, "key", position=3),
    ]
    assert told(ask(*events, as_known_position=2))["a"] == "shadowed by b"


def test_a_statement_whose_text_is_gone_without_a_tombstone_is_told_as_erased() -> None:
    gone = assertion("a", 1)
    gone = type(gone)(**{name: getattr(gone, name) for name in gone.__slots__} | {"payload": None})
    assert told(ask(gone)) == {"a": "payload_erased"}


def test_deletion_covers_all_that_has_its_id() -> None:
    events = [assertion("a", 1), assertion("a", 7), tombstone("t", KEY, 5, "key")]
    assert told(ask(*events)) == {"a": "deleted by t"}
    late = [assertion("a", 7), assertion("a", 9, key="other"), tombstone("t", "other", 9, "key")]
    assert told(ask(*late)) == {"a": "deleted by t"}
