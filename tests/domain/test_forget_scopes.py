"""forget of scope `event` and `key`: one version, or all of a slot."""

from __future__ import annotations

import pytest

from domain.decisions import Fact
from domain.errors import Code
from domain.event_bases import Reason
from domain.memory import MemoryState
from domain.memory_decisions import forget, forget_slot, update
from domain.visibility import Viewer
from tests.builders import (
    erasure_step,
    memory_forgotten,
    memory_remembered,
    memory_revised,
    memory_updated,
    properties,
    said,
    source,
    text,
)
from tests.circumstances import (
    GUARD,
    MEMORY,
    OTHER,
    START_US,
    THIRD,
    an_id,
    decision,
    ref_of,
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


def one_version(version: int, mode: str = "tombstone") -> Fact:
    return Fact(
        MEMORY,
        memory_forgotten(mode=mode, scope="event", lifecycle=None, targets=[(MEMORY, version)]),
    )


def test_one_version_is_named_as_the_target() -> None:
    event = memory_forgotten(scope="event", targets=[(MEMORY, 1)]).structure()
    del event["lifecycle"]
    (fact,) = given(FIRST, SECOND).when(forgetting(key=True, scope="event", version=1)).facts
    assert fact.event.structure() == event
    assert fact.event.payload == Reason(reason="because")


def test_a_version_that_is_forgotten_already_is_not_found_again() -> None:
    given(FIRST, SECOND, one_version(1)).when(forgetting(scope="event", version=1)).refused(
        Code.NOT_FOUND, field="version"
    )


def test_a_version_that_was_only_hidden_can_still_be_destroyed() -> None:
    facts = (
        given(FIRST, SECOND, one_version(1))
        .when(forgetting(mode="application_delete", scope="event", version=1))
        .facts
    )
    assert [fact.stream for fact in facts] == [MEMORY, ERASURE]


def test_destroying_one_version_asks_for_its_erasure_alone() -> None:
    facts = (
        given(FIRST, SECOND)
        .when(forgetting(mode="application_delete", scope="event", version=1))
        .facts
    )
    assert facts[1].event == erasure_step(
        scope="event", targets=[(MEMORY, 1)], counts={"versions": 1}
    )


@pytest.mark.parametrize("version", [0, 3, 10**30])
def test_a_version_that_is_not_there_is_not_found(version: int) -> None:
    given(FIRST, SECOND).when(forgetting(scope="event", version=version)).refused(
        Code.NOT_FOUND, field="version"
    )


def test_a_forgotten_tip_is_addressable_without_content_and_answers_nothing() -> None:
    state = memory(given(FIRST, SECOND, one_version(2)))
    assert state.content is None
    assert state.as_record()["erased"] is True
    assert state.addressable_by(Viewer("anybody"))
    assert not state.recallable(START_US + 10**12)


def test_new_content_after_a_forgotten_tip_answers_again() -> None:
    history = given(
        FIRST, SECOND, one_version(2), Fact(MEMORY, memory_updated(payload={"content": text("3")}))
    )
    state = memory(history)
    assert state.content == text("3")
    assert state.recallable(START_US + 10**12)
    assert "erased" not in state.as_record()
    assert state.kind == "observation"  # said by version 1, which nobody forgot
    assert state.identity_key == "K"


def test_the_text_of_a_forgotten_version_is_in_no_later_version() -> None:
    """Version 1 is the leak; its text lived on in version 2, which kept it."""
    leak = memory_remembered(
        payload=said(
            content=text("canary"),
            tags=["canary"],
            provenance=[source("canary")],
            kind="canary",
            identity_key="canary",
        )
    )
    kept = Fact(MEMORY, memory_updated(payload={"confidence": 0.5}))
    state = memory(given(Fact(MEMORY, leak), kept, one_version(1)))
    assert "canary" not in repr(state)
    assert state.version == 3
    assert state.confidence == 0.5


def test_an_upsert_restores_a_memory_whose_versions_were_forgotten() -> None:
    restored = memory_revised(payload=said(identity_key="K", content=text("new")))
    state = memory(given(FIRST, one_version(1), Fact(MEMORY, restored)))
    assert state.content == text("new")
    assert state.recallable(START_US + 10**12)


def slotted_tip_forgotten(*more: Fact) -> History:
    first = memory_remembered(
        slot_ref=ref_of("a"), payload=said(content=properties(slot="a", object=1))
    )
    second = memory_updated(
        slot_ref=ref_of("a"), payload={"content": properties(slot="a", object=2)}
    )
    return given(Fact(MEMORY, first), Fact(MEMORY, second), one_version(2), *more)


def naming(slot: str) -> Decide:
    patch = parsed("update", patch={"content": properties(slot=slot, object=3)}).patch
    return lambda history: update(decision(), history.memory(), patch, None)


def test_new_content_after_a_forgotten_tip_may_not_name_another_slot() -> None:
    slotted_tip_forgotten().when(naming("b")).refused(
        Code.INVALID_REQUEST, field="patch.content", reason="KEY_MISMATCH"
    )


def test_the_slot_stays_the_same_after_a_tip_was_forgotten_and_repaired() -> None:
    history = slotted_tip_forgotten()
    for _ in range(2):
        outcome = history.when(naming("a"))
        assert outcome.refusal is None, outcome.refusal
        history = given(*history.facts, *outcome.facts)
    assert memory(history).version == 5


def member(stream: str, *, owner: str = "ana", visibility: str = "workspace") -> Fact:
    event = memory_remembered(slot_ref=ref_of("a"), owner=owner, visibility=visibility)
    return Fact(stream, event)


def forgetting_slot(*, minute: int = 100, mode: str = "tombstone") -> Decide:
    said_input = parsed("forget", scope="key", mode=mode)

    def decide(history: History) -> list[Fact]:
        streams = dict.fromkeys(fact.stream for fact in history.facts)
        states = [(history.memory(stream), None) for stream in streams]
        slot = [(state, guard) for state, guard in states if state is not None]
        return forget_slot(decision(minute), said_input, slot)

    return decide


def slot_tombstone(mode: str = "tombstone", **changes: object) -> object:
    return memory_forgotten(slot_ref=ref_of("a"), scope="key", mode=mode, **changes)


def test_forgetting_a_slot_forgets_every_memory_of_it() -> None:
    given(member(MEMORY), member(OTHER)).when(forgetting_slot()).then(
        Fact(MEMORY, slot_tombstone()),  # type: ignore[arg-type]
        Fact(OTHER, slot_tombstone()),  # type: ignore[arg-type]
    )


def test_what_was_recorded_later_than_the_tombstone_stays() -> None:
    history = given(member(MEMORY), member(OTHER))  # recorded at minutes 1 and 2
    history.when(forgetting_slot(minute=1)).then(Fact(MEMORY, slot_tombstone()))  # type: ignore[arg-type]


def test_the_private_memories_of_others_stay() -> None:
    history = given(member(MEMORY), member(OTHER, owner="bea", visibility="private"))
    history.when(forgetting_slot()).then(Fact(MEMORY, slot_tombstone()))  # type: ignore[arg-type]


def test_a_slot_that_is_forgotten_knows_since_when() -> None:
    state = memory(given(member(MEMORY), Fact(MEMORY, slot_tombstone())))  # type: ignore[arg-type]
    assert state.slot_forgotten_us == START_US + 2 * 60_000_000
    assert memory(given(member(MEMORY), Fact(MEMORY, memory_forgotten()))).slot_forgotten_us is None


def test_destroying_a_slot_asks_for_one_erasure_of_all() -> None:
    second = Fact(MEMORY, memory_updated(slot_ref=ref_of("a")))
    given(member(MEMORY), second, member(OTHER)).when(
        forgetting_slot(mode="application_delete")
    ).then(
        Fact(MEMORY, slot_tombstone("application_delete")),  # type: ignore[arg-type]
        Fact(OTHER, slot_tombstone("application_delete")),  # type: ignore[arg-type]
        Fact(
            ERASURE,
            erasure_step(scope="key", targets=[(MEMORY, 2), (OTHER, 1)], counts={"versions": 3}),
        ),
    )


def test_destroying_a_slot_reaches_what_was_only_tombstoned() -> None:
    """spec §5: application_delete after a tombstone is allowed; the text must not survive."""
    gone = Fact(MEMORY, slot_tombstone())  # type: ignore[arg-type]
    given(member(MEMORY), gone, member(THIRD)).when(
        forgetting_slot(mode="application_delete")
    ).then(
        Fact(MEMORY, slot_tombstone("application_delete")),  # type: ignore[arg-type]
        Fact(THIRD, slot_tombstone("application_delete")),  # type: ignore[arg-type]
        Fact(
            ERASURE,
            erasure_step(scope="key", targets=[(MEMORY, 2), (THIRD, 1)], counts={"versions": 3}),
        ),
    )
