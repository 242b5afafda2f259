"""What a follower reads next: a page of events, a damaged one, or what an operator decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from domain.context import SYSTEM_WORKSPACE
from domain.envelope import CorruptEventError
from domain.events import StreamReleased
from domain.parts import part_of_workspace
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.registry import UnknownTopicError
from projections.catalogue import Projection
from projections.lineages import Lineage

RELEASES: Final = (StreamReleased.TOPIC,)


_Ask: TypeAlias = Callable[[int, int], Sequence[RecordedEvent]]


@dataclass(frozen=True, slots=True)
class Released:
    """A parked stream was released by the event at a position."""

    position: int
    mode: Literal["retry", "skip"]
    lineage: Lineage


@dataclass(frozen=True, slots=True)
class Page:
    """Events in order, and the position that is reached with them.

    `released` and `damage` are there only where no event stands before them.
    """

    events: Sequence[RecordedEvent]
    reached: int
    released: Released | None = None
    damage: CorruptEventError | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """Reads the log for one projection and part, of so many parts."""

    log: LogReader
    projection: Projection
    part: int
    parts: int

    def after(self, position: int, batch: int) -> Page | None:
        """The page after a position; None at the head of the log.

        Raises CorruptEventError for a damaged event only where nobody can say which it is, or
        where it is one of a newer program.
        """
        head = self.log.head()
        if position >= head:
            return None
        try:
            events = self._events(position, batch)
        except CorruptEventError:
            events, damage = self._up_to_damage(position, batch)
            if damage is not None and not events:
                return Page((), position, damage=damage)
            return self._page(events, events[-1].position if events else position)
        last = events[-1].position if events else position
        return self._page(events, last if len(events) == batch else max(head, last))

    def _page(self, events: list[RecordedEvent], reached: int) -> Page:
        """Up to the first release; or that alone, where it comes first."""
        ordinary: list[RecordedEvent] = []
        for event in events:
            if event.topic not in RELEASES:
                ordinary.append(event)
            elif (released := self._released(event)) is not None:
                if not ordinary:
                    return Page((), event.position, released=released)
                return Page(ordinary, event.position - 1)
        return Page(ordinary, reached)

    def _released(self, event: RecordedEvent) -> Released | None:
        """What it means for this projection and part; None where it is about another one."""
        for fact in event.facts:
            if isinstance(fact, StreamReleased) and fact.payload is not None:
                about = fact.payload
                part = part_of_workspace(about.workspace, self.parts)
                if (about.projection, part) == (self.projection.name, self.part):
                    return Released(event.position, fact.mode, (about.workspace, fact.target_id))
        return None

    def _events(self, position: int, limit: int) -> list[RecordedEvent]:
        found = [event for ask in self._asks() for event in ask(position, limit)]
        return sorted(found, key=lambda event: event.position)[:limit]

    def _asks(self) -> list[_Ask]:
        log, part, topics = self.log, self.part, self.projection.topics
        if self.parts == 1:
            both = (*topics, *RELEASES)
            return [lambda after, limit: log.after(after, limit, part=part, topics=both)]
        # Releases stand in the part of the system's workspace, whatever they are about.
        return [
            lambda after, limit: log.after(after, limit, part=part, topics=topics),
            lambda after, limit: log.after(
                after, limit, workspace=SYSTEM_WORKSPACE, topics=RELEASES
            ),
        ]

    def _up_to_damage(
        self, position: int, batch: int
    ) -> tuple[list[RecordedEvent], CorruptEventError | None]:
        """One by one, since a page is opened whole or not at all."""
        events: list[RecordedEvent] = []
        while len(events) < batch:
            found = self._next(position)
            if isinstance(found, CorruptEventError):
                if found.position is None or isinstance(found, UnknownTopicError):
                    if not events:
                        raise found
                    return events, None
                return events, found
            if found is None:
                break
            events.append(found)
            position = found.position
        return events, None

    def _next(self, position: int) -> RecordedEvent | CorruptEventError | None:
        """The next event, damaged or not; None where there is none."""
        found: list[tuple[int, RecordedEvent | CorruptEventError]] = []
        for ask in self._asks():
            try:
                found += [(event.position, event) for event in ask(position, 1)]
            except CorruptEventError as error:
                found.append((error.position or 0, error))
        return min(found, key=lambda one: one[0])[1] if found else None
