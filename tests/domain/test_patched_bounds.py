"""update: bounds that move, and the slot that does not."""

from __future__ import annotations

import pytest

from domain.canonical import JsonObject
from domain.decisions import Fact
from domain.errors import Code
from domain.memory import MemoryState
from domain.memory_decisions import update
from tests.builders import memory_remembered, properties, said, source, text
from tests.circumstances import MEMORY, decision, ref_of, time_of
from tests.inputs import parsed
from tests.specification import Decide, History, given

FROM, UNTIL, EXPIRES = time_of(1000), time_of(2000), time_of(3000)
FULL = Fact(
    MEMORY,
    memory_remembered(
        slot_ref=ref_of("K"),
        valid_from=FROM,
        valid_until=UNTIL,
        expires_at=EXPIRES,
        payload=said(
            identity_key="K", confidence=0.5, provenance=[source("s1")], tags=["t1"], kind="claim"
        ),
    ),
)


def patching(patch: JsonObject, *, expected: int | None = None, actor: str = "ana") -> Decide:
    parsed_patch = parsed("update", patch=patch).patch
    return lambda history: update(decision(actor=actor), history.memory(), parsed_patch, expected)


def after(history: History, patch: JsonObject) -> MemoryState:
    outcome = history.when(patching(patch))
    assert outcome.refusal is None, outcome.refusal
    state = given(*history.facts, *outcome.facts).memory()
    assert state is not None
    return state


def test_a_new_start_must_lie_before_the_kept_end() -> None:
    """The field that is named is one that was sent."""
    given(FULL).when(patching({"valid_from": UNTIL})).refused(
        Code.INVALID_REQUEST, field="patch.valid_from", reason="EMPTY_VALIDITY"
    )


def test_a_bound_whose_other_end_is_cleared_stands_alone() -> None:
    state = after(given(FULL), {"valid_from": time_of(5000), "clear": ["valid_until"]})
    assert (state.bounds.valid_from, state.bounds.valid_until) == (time_of(5000), None)


def test_a_cleared_start_acts_as_the_recording_time() -> None:
    """policy.md §2.2: null opens, and an open start acts as recorded_at."""
    state = after(given(FULL), {"clear": ["valid_from"]})
    assert state.bounds.valid_from is None
    assert state.bounds.from_us == state.recorded_us


@pytest.mark.parametrize("slot", ["other", "K "])
def test_a_patch_that_names_another_slot_is_refused(slot: str) -> None:
    given(FULL).when(patching({"content": properties(slot=slot)})).refused(
        Code.INVALID_REQUEST, field="patch.content", reason="KEY_MISMATCH"
    )


@pytest.mark.parametrize("content", [properties(slot="K"), text("x"), properties(subject="x")])
def test_a_patch_of_the_same_slot_or_of_none_is_taken(content: JsonObject) -> None:
    assert after(given(FULL), {"content": content}).slot == "K"
