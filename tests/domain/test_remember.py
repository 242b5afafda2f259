"""remember: a first version, or a new version of the memory that holds the identity key."""

from __future__ import annotations

import pytest

from domain import limits
from domain.decisions import Fact
from domain.errors import Code
from domain.memory import MemoryState
from domain.memory_decisions import refuse_forgotten_slot, remember
from domain.visibility import Home
from tests.builders import (
    identity_claimed,
    memory_forgotten,
    memory_remembered,
    memory_revised,
    memory_updated,
    properties,
    said,
    source,
    text,
)
from tests.circumstances import GUARD, MEMORY, an_id, decision, ref_of, time_of
from tests.inputs import parsed
from tests.specification import Decide, given

NEW = an_id("mem_", 901)
FROM, UNTIL, EXPIRES = time_of(1000), time_of(2000), time_of(3000)


def remembering(*, key: bool = False, actor: str = "ana", **changes: object) -> Decide:
    said_input = parsed("remember", **changes)
    return lambda history: remember(
        decision(actor=actor, session="s9"), said_input, GUARD if key else None, history.memory()
    )


def state_after(*facts: Fact) -> MemoryState:
    state = given(*facts).memory()
    assert state is not None
    return state


def test_a_first_remember_makes_version_one_with_all_that_was_said() -> None:
    given().when(
        remembering(
            content=text("blue"),
            tags=["t"],
            provenance=[source()],
            confidence=0.5,
            valid_from=FROM,
            valid_until=UNTIL,
            expires_at=EXPIRES,
        )
    ).then(
        Fact(
            NEW,
            memory_remembered(
                session="s9",
                valid_from=FROM,
                valid_until=UNTIL,
                expires_at=EXPIRES,
                payload=said(
                    content=text("blue"), tags=["t"], provenance=[source()], confidence=0.5
                ),
            ),
        )
    )


def test_a_keyed_first_remember_claims_its_key_in_the_same_breath() -> None:
    given().when(remembering(key=True, identity_key="K")).then(
        Fact(GUARD, identity_claimed(NEW)),
        Fact(
            NEW,
            memory_remembered(session="s9", slot_ref=ref_of("K"), payload=said(identity_key="K")),
        ),
    )


def test_a_private_memory_belongs_to_its_actor_from_its_first_event() -> None:
    given().when(remembering(visibility="private", actor="bea")).then(
        Fact(NEW, memory_remembered(session="s9", visibility="private", owner="bea"))
    )


def test_a_confidence_that_was_not_said_is_not_stored() -> None:
    outcome = given().when(remembering())
    sealed = outcome.facts[0].event.sealed()
    assert sealed is not None
    assert "confidence" not in sealed


@pytest.mark.parametrize("key", ["", " "])
def test_a_blank_key_is_a_key_and_no_slot(key: str) -> None:
    facts = given().when(remembering(key=True, identity_key=key)).facts
    assert facts[0] == Fact(GUARD, identity_claimed(NEW))
    assert facts[1].event.structure()["slot_ref"] is None


FULL = memory_remembered(
    slot_ref=ref_of("K"),
    valid_from=FROM,
    valid_until=UNTIL,
    expires_at=EXPIRES,
    payload=said(
        identity_key="K", confidence=0.5, provenance=[source("s1")], tags=["t1"], kind="claim"
    ),
)


def test_an_upsert_replaces_everything_but_home_identity_provenance_and_confidence() -> None:
    # Given
    history = given(Fact(MEMORY, FULL))
    # When
    outcome = history.when(
        remembering(
            key=True,
            actor="bea",
            identity_key="K",
            content=text("two"),
            tags=["t2"],
            provenance=[source("s1"), source("s2")],
        )
    )
    # Then
    outcome.then(
        Fact(
            MEMORY,
            memory_revised(
                slot_ref=ref_of("K"),
                payload=said(
                    identity_key="K",
                    content=text("two"),
                    tags=["t2"],
                    provenance=[source("s1"), source("s2")],
                ),
            ),
        )
    )
    state = state_after(*history.facts, *outcome.facts)
    assert (state.id, state.version, state.kind) == (MEMORY, 2, "observation")
    assert state.content == text("two")
    assert state.tags == ("t2",)
    assert state.provenance == (source("s1"), source("s2"))
    assert state.confidence == 0.5
    assert state.bounds.valid_from is state.bounds.valid_until is state.bounds.expires_at is None
    assert state.bounds.from_us == state.recorded_us  # an upsert begins at its own recording
    assert state.home == Home("s1", "workspace", "ana")


@pytest.mark.parametrize("confidence", [0, 0.0, 1])
def test_an_upsert_replaces_a_confidence_that_is_said_even_by_zero(confidence: float) -> None:
    history = given(Fact(MEMORY, FULL))
    facts = history.when(remembering(identity_key="K", confidence=confidence)).facts
    assert state_after(*history.facts, *facts).confidence == confidence


@pytest.mark.parametrize("lifecycle", ["expired", "superseded", "tombstoned"])
def test_an_upsert_makes_active_whatever_was_only_hidden(lifecycle: str) -> None:
    history = given(Fact(MEMORY, FULL), Fact(MEMORY, memory_updated(lifecycle=lifecycle)))
    facts = history.when(remembering(identity_key="K")).facts
    assert state_after(*history.facts, *facts).lifecycle == "active"


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_key_of_a_forgotten_memory_makes_a_new_one(mode: str) -> None:
    given(Fact(MEMORY, FULL), Fact(MEMORY, memory_forgotten(mode=mode))).when(
        remembering(key=True, identity_key="K")
    ).then(
        Fact(GUARD, identity_claimed(NEW)),
        Fact(
            NEW,
            memory_remembered(session="s9", slot_ref=ref_of("K"), payload=said(identity_key="K")),
        ),
    )


def slotted(slot: str | None, **payload: object) -> Fact:
    content = text() if slot is None else properties(slot=slot)
    ref = None if slot is None else ref_of(slot)
    return Fact(MEMORY, memory_remembered(slot_ref=ref, payload=said(content=content, **payload)))


@pytest.mark.parametrize("slot", [None, "a"])
def test_an_upsert_that_names_another_slot_is_refused(slot: str | None) -> None:
    given(slotted(slot)).when(remembering(identity_key="K", content=properties(slot="b"))).refused(
        Code.INVALID_REQUEST, field="content", reason="KEY_MISMATCH"
    )


def test_provenance_of_a_record_grows_up_to_a_limit() -> None:
    full = [source(str(at)) for at in range(limits.RECORD_PROVENANCE_MAX)]
    history = given(Fact(MEMORY, memory_remembered(payload=said(provenance=full))))
    history.when(remembering(identity_key="K", provenance=[source("0")])).then(
        Fact(MEMORY, memory_revised(payload=said(identity_key="K", provenance=[source("0")])))
    )
    error = history.when(remembering(identity_key="K", provenance=[source("new")])).refused(
        Code.INVALID_REQUEST, field="provenance"
    )
    assert "512" in error.message


@pytest.mark.parametrize(
    ("recorded", "forgotten", "refused"),
    [(5, None, False), (5, 4, False), (5, 5, True), (5, 6, True)],
)
def test_a_late_fact_may_not_enter_a_slot_that_was_forgotten_after_it(
    recorded: int, forgotten: int | None, refused: bool
) -> None:
    def decide(_: object) -> list[Fact]:
        refuse_forgotten_slot(recorded, forgotten)
        return []

    outcome = given().when(decide)
    if refused:
        outcome.refused(Code.INVALID_REQUEST, field="content", reason="SLOT_FORGOTTEN")
    else:
        outcome.then_nothing()
