"""The closed set of events: permanent names, bytes that come back as they were, upcasters."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from domain.canonical import canonical
from domain.envelope import (
    CorruptEventError,
    Head,
    commitment,
    event_hash,
    pack_state,
    unpack_state,
)
from domain.events import REGISTRY
from domain.registry import Event, Payload, RawEvent, Registry, UnknownTopicError
from tests.builders import EVENTS
from tests.circumstances import MEMORY, event_context

TOPICS = REGISTRY.topics


def raw(event: Event) -> RawEvent:
    """As stored: the canonical bytes of structure and payload, read again."""
    structure = json.loads(canonical(event.structure()))
    sealed = event.sealed()
    payload = None if sealed is None else json.loads(canonical(sealed))
    return RawEvent(event.TOPIC, event.V, structure, payload)


def test_every_event_has_a_builder_and_every_builder_an_event() -> None:
    assert tuple(EVENTS) == TOPICS


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_survives_its_bytes(topic: str) -> None:
    event = EVENTS[topic]()
    (again,) = REGISTRY.decode(raw(event))
    assert type(again) is REGISTRY.event_type(topic)
    assert again == event
    assert canonical(again.structure()) == canonical(event.structure())
    assert canonical(again.sealed()) == canonical(event.sealed())


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_can_be_read_without_its_payload(topic: str) -> None:
    event = EVENTS[topic]()
    stored = raw(event)
    (again,) = REGISTRY.decode(RawEvent(topic, event.V, stored.structure, None))
    assert again.payload is None
    assert again.structure() == event.structure()


STRUCTURE = {
    "valid_from", "valid_until", "expires_at", "lifecycle", "session", "visibility", "owner",
    "slot_ref", "targets", "scope", "mode", "source_id", "target_id", "counts",
}  # fmt: skip
"""design.md §2, Structure, complete (what is not ctx or the head itself)."""


@pytest.mark.parametrize("topic", TOPICS)
def test_structure_holds_only_the_fields_that_are_never_erased(topic: str) -> None:
    fields = set(REGISTRY.event_type(topic).model_fields) - {"payload"}
    assert fields <= STRUCTURE


@pytest.mark.parametrize("topic", TOPICS)
def test_an_event_refuses_what_it_does_not_know(topic: str) -> None:
    stored = raw(EVENTS[topic]())
    with pytest.raises(CorruptEventError, match="shape"):
        REGISTRY.decode(RawEvent(topic, 1, {**stored.structure, "zz": "canary"}, stored.payload))


@pytest.mark.parametrize("topic", ["", "memory.remembered2", "domain.events:MemoryRemembered"])
def test_an_unknown_topic_is_an_error(topic: str) -> None:
    with pytest.raises(UnknownTopicError):
        REGISTRY.decode(RawEvent(topic, 1, {}, None))


def test_an_unknown_version_of_a_topic_is_an_error() -> None:
    with pytest.raises(UnknownTopicError, match="version 2"):
        REGISTRY.decode(RawEvent("identity.claimed", 2, {"target_id": MEMORY}, None))


def test_a_topic_is_registered_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        Registry((REGISTRY.event_type("identity.claimed"),) * 2)


class Note(Payload):
    words: list[str]


class Noted(Event):
    """The test's own topic, at its third version."""

    TOPIC: ClassVar[str] = "test.noted"
    V: ClassVar[int] = 3
    scope: str
    payload: Note | None


def _named(old: RawEvent) -> tuple[RawEvent, ...]:
    payload = None if old.payload is None else {"words": old.payload["text"].split()}
    return (RawEvent(old.topic, 2, old.structure, payload),)


def _split(old: RawEvent) -> tuple[RawEvent, ...]:
    words: list[Any] = [None] if old.payload is None else old.payload["words"]
    return tuple(
        RawEvent(old.topic, 3, {"scope": "event"}, None if word is None else {"words": [word]})
        for word in words
    )


OLD = Registry((Noted,), {("test.noted", 1): _named, ("test.noted", 2): _split})


def test_an_old_event_is_read_through_every_step_and_may_become_several_facts() -> None:
    facts = OLD.decode(RawEvent("test.noted", 1, {}, {"text": "one two"}))
    assert [fact.sealed() for fact in facts] == [{"words": ["one"]}, {"words": ["two"]}]


def test_an_old_event_without_its_payload_goes_through_the_same_steps() -> None:
    (fact,) = OLD.decode(RawEvent("test.noted", 1, {}, None))
    assert fact.payload is None


def head(**changes: Any) -> Head:
    fields: dict[str, Any] = {
        "v": 1,
        "stream": MEMORY,
        "version": 1,
        "topic": "memory.remembered",
        "recorded_at": "2026-01-01T00:00:00.000000Z",
        "context": event_context(),
        "structure": {"lifecycle": "active"},
        "key": "key_0",
        "commitment": commitment(b"0" * 16, b"{}"),
        "prev": None,
    }
    return Head(**{**fields, **changes})


def test_a_head_survives_its_bytes() -> None:
    assert Head.from_bytes(head().to_bytes()) == head()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b"null",
        head().to_bytes()[:-1],
        head(stream="mem_x").to_bytes(),
        head(stream=5).to_bytes(),
        head(stream=None).to_bytes(),
        head().to_bytes().replace(b'"actor"', b'"actors"'),
        b"[" * 100_000,
    ],
)
def test_bytes_that_are_no_head_are_told_as_corrupt(data: bytes) -> None:
    with pytest.raises(CorruptEventError):
        Head.from_bytes(data)


def test_a_state_is_its_head_and_its_body() -> None:
    assert unpack_state(pack_state(b"head", b"body"))[:2] == (b"head", b"body")
    assert pack_state(b"head", b"body") == b"MEM1\x00\x00\x00\x04headbody"


@pytest.mark.parametrize(
    "state",
    [
        b"",
        b"MEM",
        b"MEM1",
        b"MEM1\x00\x00\x00",
        b"MEM2\x00\x00\x00\x00",
        b"MEM1\x00\x00\x00\x05head",
    ],
)
def test_a_state_that_was_cut_is_told_as_corrupt(state: bytes) -> None:
    with pytest.raises(CorruptEventError):
        unpack_state(state)


def test_each_part_of_an_event_moves_its_hash() -> None:
    hashes = {event_hash(b"head", b"body"), event_hash(b"headb", b"ody"), event_hash(b"head", b"")}
    assert len(hashes) == 3
