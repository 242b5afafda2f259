"""Identity guards: who holds a key; and receipts: which command was recorded under one."""

from __future__ import annotations

from typing import Any

from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.decisions import Fact
from domain.guards import GuardState, guard_stream
from domain.receipts import apply_receipt, receipt_answer, receipt_stream
from tests.builders import command_recorded, identity_claimed, identity_released
from tests.circumstances import GUARD, MEMORY, OTHER, RECEIPT, recorded
from tests.specification import given

SECRET = b"i" * 32
CLAIM = Fact(GUARD, identity_claimed(MEMORY))
RELEASE = Fact(GUARD, identity_released(MEMORY))


def test_a_key_that_nobody_claimed_is_free() -> None:
    assert given().guard() is None


def test_a_key_is_held_from_its_claim_to_its_release() -> None:
    assert given(CLAIM).guard() == GuardState(MEMORY)
    assert given(CLAIM, RELEASE).guard() == GuardState(None)
    assert given(CLAIM, RELEASE, Fact(GUARD, identity_claimed(OTHER))).guard() == GuardState(OTHER)


words = st.text(max_size=4)
scopes = st.tuples(
    words, st.sampled_from(["memory", "relationship"]), words, st.none() | words, st.none() | words
)


@for_all(scopes, scopes)
def test_two_keys_share_a_guard_only_if_all_of_their_scope_is_the_same(
    one: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    assert (guard_stream(SECRET, *one) == guard_stream(SECRET, *other)) == (one == other)


@for_all(words, words, words)
def test_the_receipts_of_two_actors_or_workspaces_never_meet(
    workspace: str, actor: str, key: str
) -> None:
    own = receipt_stream(SECRET, workspace, actor, key)
    assert own.startswith("receipt_")
    assert own != receipt_stream(SECRET, workspace + "x", actor, key)
    assert own != receipt_stream(SECRET, workspace, actor + "x", key)
    assert own != receipt_stream(SECRET, workspace, actor, key + "x")
    assert receipt_stream(SECRET, "a", "bc", key) != receipt_stream(SECRET, "ab", "c", key)


def test_the_secret_keeps_streams_from_being_guessed() -> None:
    assert guard_stream(SECRET, "w", "memory", "k") != guard_stream(b"j" * 32, "w", "memory", "k")
    assert receipt_stream(SECRET, "w", "a", "k") != receipt_stream(b"j" * 32, "w", "a", "k")


def test_a_receipt_answers_what_was_committed_and_where() -> None:
    event = recorded(command_recorded(), stream=RECEIPT, position=7, correlation="corr")
    state = apply_receipt(None, event)
    assert state is not None
    assert receipt_answer(state, replayed=True) == {
        "committed_id": MEMORY,
        "committed_version": 1,
        "audit_correlation_id": "corr",
        "replayed": True,
        "position": 7,
    }


def test_a_receipt_holds_no_content() -> None:
    fields = set(command_recorded().structure()) | set(command_recorded().sealed() or {})
    assert fields == {
        "targets", "operation", "idempotency_key", "fingerprint", "committed_id",
        "committed_version",
    }  # fmt: skip
