"""An upsert keeps the slot that version 1 fixed, whatever became of its text."""

from __future__ import annotations

import pytest

from domain.decisions import Fact
from domain.errors import Code
from domain.memory import MemoryState
from domain.memory_decisions import remember
from tests.builders import (
    memory_forgotten,
    memory_remembered,
    memory_revised,
    memory_updated,
    properties,
    said,
    text,
)
from tests.circumstances import GUARD, MEMORY, decision, ref_of
from tests.inputs import parsed
from tests.specification import Decide, given


def remembering(*, key: bool = False, actor: str = "ana", **changes: object) -> Decide:
    said_input = parsed("remember", **changes)
    return lambda history: remember(
        decision(actor=actor, session="s9"), said_input, GUARD if key else None, history.memory()
    )


def state_after(*facts: Fact) -> MemoryState:
    state = given(*facts).memory()
    assert state is not None
    return state


def slotted(slot: str | None, **payload: object) -> Fact:
    content = text() if slot is None else properties(slot=slot)
    ref = None if slot is None else ref_of(slot)
    return Fact(MEMORY, memory_remembered(slot_ref=ref, payload=said(content=content, **payload)))


@pytest.mark.parametrize("content", [properties(slot="a"), text("no slot"), properties(slot=" ")])
def test_an_upsert_of_the_same_slot_or_of_none_keeps_the_slot(content: object) -> None:
    history = given(slotted("a"))
    facts = history.when(remembering(identity_key="K", content=content)).facts
    state = state_after(*history.facts, *facts)
    assert (state.slot, state.slot_ref) == ("a", ref_of("a"))


def test_the_same_slot_in_another_normal_form_is_the_same_slot() -> None:
    given(slotted("\u00e9")).when(
        remembering(identity_key="K", content=properties(slot="e\u0301"))
    ).then(
        Fact(
            MEMORY,
            memory_revised(
                slot_ref=ref_of("\u00e9"),
                payload=said(identity_key="K", content=properties(slot="e\u0301")),
            ),
        )
    )


def test_an_upsert_after_the_slot_text_was_erased_is_held_to_the_slot_reference() -> None:
    """Version 1 is forgotten, so the slot's text is gone; its reference is not."""
    history = given(
        slotted("a"),
        Fact(
            MEMORY, memory_updated(slot_ref=ref_of("a"), payload={"content": properties(slot="a")})
        ),
        Fact(
            MEMORY,
            memory_forgotten(
                slot_ref=ref_of("a"), scope="event", lifecycle=None, targets=[(MEMORY, 1)]
            ),
        ),
    )
    history.when(remembering(identity_key="K", content=properties(slot="a"))).then(
        Fact(
            MEMORY,
            memory_revised(
                slot_ref=ref_of("a"), payload=said(identity_key="K", content=properties(slot="a"))
            ),
        )
    )
    history.when(remembering(identity_key="K", content=properties(slot="b"))).refused(
        Code.INVALID_REQUEST, field="content", reason="KEY_MISMATCH"
    )
