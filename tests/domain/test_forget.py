"""forget: hide for now, forget for good, destroy; a lineage, one version, or a whole slot."""

from __future__ import annotations

import pytest

from domain.canonical import JsonObject
from domain.decisions import Fact
from domain.errors import Code
from domain.memory import MemoryState
from domain.memory_decisions import forget
from domain.visibility import Viewer
from tests.builders import (
    erasure_step,
    identity_released,
    memory_forgotten,
    memory_remembered,
    memory_updated,
    said,
    text,
)
from tests.circumstances import (
    GUARD,
    MEMORY,
    START_US,
    an_id,
    decision,
    time_of,
)
from tests.inputs import parsed
from tests.specification import Decide, History, given

ERASURE = an_id("erasure_", 901)
FIRST = Fact(MEMORY, memory_remembered(payload=said(identity_key="K", tags=["t"])))
SECOND = Fact(MEMORY, memory_updated(payload={"content": text("two")}))
LATER = time_of(1000)


def forgetting(*, key: bool = False, actor: str = "ana", **changes: object) -> Decide:
    said_input = parsed("forget", **changes)
    guard = GUARD if key else None
    return lambda history: forget(decision(actor=actor), said_input, history.memory(), guard)


def memory(history: History) -> MemoryState:
    state = history.memory()
    assert state is not None
    return state


def test_expire_hides_at_once_and_keeps_all() -> None:
    history = given(FIRST)
    outcome = history.when(forgetting(key=True, mode="expire", expires_at=LATER))
    outcome.then(
        Fact(MEMORY, memory_forgotten(mode="expire", lifecycle="expired", expires_at=LATER))
    )
    state = memory(given(*history.facts, *outcome.facts))
    assert (state.lifecycle, state.bounds.expires_at) == ("expired", LATER)
    assert state.content == text()
    assert state.addressable_by(Viewer("anybody"))


def test_a_tombstone_forgets_for_good_and_frees_the_key() -> None:
    history = given(FIRST)
    outcome = history.when(forgetting(key=True))
    outcome.then(Fact(MEMORY, memory_forgotten()), Fact(GUARD, identity_released()))
    state = memory(given(*history.facts, *outcome.facts))
    assert (state.lifecycle, state.forgotten) == ("tombstoned", "tombstone")
    assert not state.addressable_by(Viewer("ana"))


def test_a_deletion_asks_for_the_erasure_in_the_same_breath() -> None:
    history = given(FIRST, SECOND)
    history.when(forgetting(key=True, mode="application_delete")).then(
        Fact(MEMORY, memory_forgotten(mode="application_delete")),
        Fact(GUARD, identity_released()),
        Fact(ERASURE, erasure_step(targets=[(MEMORY, 2)], counts={"versions": 2})),
    )


def test_a_deletion_after_a_tombstone_is_a_new_version_and_frees_no_key_again() -> None:
    given(FIRST, Fact(MEMORY, memory_forgotten())).when(
        forgetting(key=True, mode="application_delete")
    ).then(
        Fact(MEMORY, memory_forgotten(mode="application_delete")),
        Fact(ERASURE, erasure_step(targets=[(MEMORY, 2)], counts={"versions": 2})),
    )


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ("tombstone", {"mode": "tombstone"}),
        ("tombstone", {"mode": "expire", "expires_at": LATER}),
        ("tombstone", {"scope": "event", "version": 1}),
        ("application_delete", {"mode": "application_delete"}),
        ("application_delete", {"mode": "tombstone"}),
        ("application_delete", {"mode": "expire", "expires_at": LATER}),
        ("application_delete", {"mode": "application_delete", "scope": "event", "version": 1}),
    ],
)
def test_what_is_forgotten_is_not_forgotten_again_by_the_same_or_less(
    before: str, again: JsonObject
) -> None:
    given(FIRST, Fact(MEMORY, memory_forgotten(mode=before))).when(forgetting(**again)).refused(
        Code.NOT_FOUND, field="memory_id"
    )


@pytest.mark.parametrize("mode", ["expire", "tombstone", "application_delete"])
def test_nothing_is_forgotten_that_is_not_there(mode: str) -> None:
    given().when(forgetting(mode=mode, expires_at=LATER)).refused(Code.NOT_FOUND, field="memory_id")


@pytest.mark.parametrize("mode", ["expire", "tombstone", "application_delete"])
def test_a_private_memory_is_not_there_for_others(mode: str) -> None:
    private = Fact(MEMORY, memory_remembered(visibility="private", owner="bea"))
    given(private).when(forgetting(mode=mode, expires_at=LATER)).refused(
        Code.NOT_FOUND, field="memory_id"
    )
    assert given(private).when(forgetting(mode=mode, expires_at=LATER, actor="bea")).facts


def test_an_expiry_can_be_moved_in_both_directions() -> None:
    history = given(FIRST)
    for bound in (time_of(1000), time_of(5), time_of(2000)):
        outcome = history.when(forgetting(mode="expire", expires_at=bound))
        history = given(*history.facts, *outcome.facts)
        assert memory(history).bounds.expires_at == bound


@pytest.mark.parametrize("how", ["forget", "update"])
def test_what_was_expired_still_answers_for_the_time_before(how: str) -> None:
    """spec §5, forget; policy §5: bound = min(expires_at, the event's recorded_at)."""
    expiry = memory_forgotten(mode="expire", lifecycle="expired", expires_at=LATER)
    if how == "update":
        expiry = memory_updated(lifecycle="expired")  # type: ignore[assignment]
    history = given(FIRST, Fact(MEMORY, expiry))
    state, minute = memory(history), 60_000_000
    at_expiry = START_US + 2 * minute
    assert state.recallable(at_expiry - 1)
    assert not state.recallable(at_expiry)
    assert not state.recallable(at_expiry + minute)
    assert not state.recallable(START_US)  # before it was recorded


def test_a_later_active_version_ends_an_expiry_by_update() -> None:
    history = given(
        FIRST,
        Fact(MEMORY, memory_updated(lifecycle="expired")),
        Fact(MEMORY, memory_updated(lifecycle="active")),
    )
    assert memory(history).recallable(START_US + 10**9)


@pytest.mark.parametrize("lifecycle", ["superseded", "tombstoned"])
def test_what_was_hidden_otherwise_answers_for_no_time(lifecycle: str) -> None:
    history = given(FIRST, Fact(MEMORY, memory_updated(lifecycle=lifecycle)))
    assert not memory(history).recallable(START_US + 60_000_001)
