"""What the events of a memory's stream mean to the temporal policy, without their texts.

Streams that commands make need none of this: their versions follow each other. A stream of
another store may hold forks, corrections of versions that are missing, tombstones before their
targets and events of other sessions (spec/policy.md §2.2). `Step` is what of an event decides
about these; read models keep it, so that an explanation needs no text.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from domain.canonical import JsonObject
from domain.event_bases import Target
from domain.events import (
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
)
from domain.instants import Micros, optional_instant
from domain.policy_words import policy_words
from domain.recorded import RecordedEvent
from domain.resolver.events import INHERITED, Bound
from domain.slots import value_of

_SAYING: Final = frozenset({"assertion", "correction"})


class Step(NamedTuple):
    """One event of a memory's stream.

    `said` is its structure, `says` whether it is a statement: an assertion or a correction.
    """

    version: int
    topic: str
    recorded_us: Micros
    said: JsonObject
    says: bool

    @property
    def session(self) -> str:
        """Of which it says to be; what is of another one than version one has no effect."""
        session: str = self.said["session"]
        return session

    @property
    def slot_ref(self) -> str:
        """The slot that it says to be about; empty for none."""
        return self.said["slot_ref"] or ""

    @property
    def is_first(self) -> bool:
        """Whether it says that the memory was remembered."""
        return self.topic == MemoryRemembered.TOPIC

    @property
    def buries(self) -> bool:
        """Whether it is a tombstone."""
        return self.topic == MemoryForgotten.TOPIC and self.said["mode"] != "expire"

    @property
    def consolidates(self) -> bool:
        """Whether it says that the memory stepped back behind another one."""
        return self.topic == MemorySuperseded.TOPIC

    @property
    def lifts(self) -> bool:
        """Whether it says anew what the lifecycle is, other than that it has expired."""
        return self.topic in _LIFTING and self.said.get("lifecycle") not in {None, "expired"}

    @property
    def moves_retention(self) -> bool:
        """Whether it says until when the memory is kept (spec/policy.md §2.6)."""
        if self.topic == MemoryForgotten.TOPIC:
            return not self.buries
        return self.topic in _LIFTING and "expires_at" in self.said

    @property
    def expires(self) -> bool:
        """Whether it says that the memory has expired, as of when that was recorded."""
        if self.topic == MemoryForgotten.TOPIC:
            return not self.buries
        return self.topic in _LIFTING and self.said.get("lifecycle") == "expired"

    @property
    def targets(self) -> list[Target] | None:
        """What it says to be about; None where it says nothing."""
        named = self.said.get("targets")
        return None if named is None else [(stream, version) for stream, version in named]

    def bound(self, name: str) -> Bound:
        """A bound of a statement; an update inherits what it does not name."""
        if self.topic == MemoryUpdated.TOPIC and name not in self.said:
            return INHERITED
        return optional_instant(self.said.get(name), name)

    @property
    def retained_until(self) -> Micros | None:
        """The bound that it sets, if it moves it; None opens."""
        return optional_instant(self.said.get("expires_at"), "expires_at")


_LIFTING: Final = (MemoryUpdated.TOPIC, MemoryRevised.TOPIC)


def step_of(event: RecordedEvent) -> Step:
    """The step of an event, of which what was forgotten is hidden already."""
    fact = event.facts[-1]
    return Step(
        version=event.version,
        topic=event.topic,
        recorded_us=event.recorded_us,
        said=fact.structure(),
        says=not _SAYING.isdisjoint(policy_words(fact)),
    )


def said_value(content: JsonObject | None) -> str | None:
    """What a statement says about its slot, to be compared; None where its text is gone."""
    return None if content is None else value_of(content).decode()
