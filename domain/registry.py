"""The closed registry of event types, and the upcasters that read their older versions.

A topic is the permanent name of an event type. What is stored under an unknown topic is an
error, never an import (facts/eventstore.md §2.11, trap 16).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from domain.canonical import JsonObject
from domain.envelope import CorruptEventError


class Payload(BaseModel):
    """The part of an event that is sealed, and that erasure destroys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Event(BaseModel):
    """One fact in the past tense.

    Every field but `payload` is structure: readable without a key, never erased. A field that
    was not set is not stored, so that absent (kept) and null (opened) stay different.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    TOPIC: ClassVar[str]
    V: ClassVar[int] = 1
    AUDIT_KEY: ClassVar[bool] = False
    """Sealed by the workspace's audit key, which erasure never destroys."""

    payload: Payload | None = None

    def structure(self) -> JsonObject:
        """The `s` object of the head. It shares its values with the event: not to be changed."""
        said = _set_fields(self)
        said.pop("payload", None)
        return said

    def sealed(self) -> JsonObject | None:
        """The payload as JSON, which shares its values as well; None for an event without one."""
        return None if self.payload is None else _set_fields(self.payload)


def _set_fields(said: BaseModel) -> JsonObject:
    """The fields that were set. All of ours are plain JSON: to dump them would only copy it."""
    given = said.model_fields_set
    return {name: value for name, value in vars(said).items() if name in given}


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A stored event before it becomes an `Event`. `payload` is None where it was erased."""

    topic: str
    v: int
    structure: JsonObject
    payload: JsonObject | None


Upcaster: TypeAlias = Callable[[RawEvent], tuple[RawEvent, ...]]
"""One step from one version of a topic to the next; it may turn one event into several facts."""


class UnknownTopicError(CorruptEventError):
    """A stored topic, or a version of one, that this program does not know."""


class Registry:
    """Event types by topic, and the steps from their older versions."""

    def __init__(
        self,
        events: tuple[type[Event], ...],
        upcasters: Mapping[tuple[str, int], Upcaster] | None = None,
    ) -> None:
        self._events: dict[str, type[Event]] = {}
        self._upcasters = dict(upcasters or {})
        for event in events:
            if event.TOPIC in self._events:
                raise ValueError(f"the topic {event.TOPIC} is registered twice")
            self._events[event.TOPIC] = event

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics, in order of registration."""
        return tuple(self._events)

    def event_type(self, topic: str) -> type[Event]:
        """The class of a topic; raises UnknownTopicError."""
        try:
            return self._events[topic]
        except KeyError:
            raise UnknownTopicError(
                f"the topic {topic!r} is not known: it was written by a newer or another program"
            ) from None

    def decode(self, raw: RawEvent) -> tuple[Event, ...]:
        """The facts of one stored event, in order; all of them belong to its one version."""
        step = self._upcasters.get((raw.topic, raw.v))
        if step is not None:
            return tuple(fact for newer in step(raw) for fact in self.decode(newer))
        event = self.event_type(raw.topic)
        if raw.v != event.V:
            raise UnknownTopicError(
                f"version {raw.v} of the topic {raw.topic!r} is not known: "
                f"this program reads version {event.V}"
            )
        try:
            return (event.model_validate({**raw.structure, "payload": raw.payload}),)
        except ValidationError as error:
            raise CorruptEventError(
                f"an event {raw.topic!r} does not have its shape ({error.error_count()} faults)"
            ) from None
