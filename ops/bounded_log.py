"""The log up to a position: what a copy of read models is built from, up to where these stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from domain.events import StreamReleased
from domain.instants import Micros
from domain.ports import LogReader
from domain.recorded import RecordedEvent


@dataclass(slots=True)
class BoundedLog:
    """Implements `domain.ports.LogReader`.

    Of what was read by position `read` is the number of events and `read_to` the last position;
    `touched`, if given, collects their records.
    """

    log: LogReader
    bound: int
    touched: set[str] | None = None
    read: int = 0
    read_to: int = 0

    def head(self) -> int:
        """The bound, or the head of a log that is shorter."""
        return min(self.bound, self.log.head())

    def appended_at(self, position: int) -> Micros:
        """See `LogReader`."""
        return self.log.appended_at(position)

    def position_at(self, known_at: Micros) -> int:
        """See `LogReader`."""
        return self.log.position_at(known_at)

    def after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[RecordedEvent]:
        """Events up to the bound."""
        found = self.log.after(position, limit, part=part, workspace=workspace, topics=topics)
        events = [event for event in found if event.position <= self.bound]
        self.read += len(events)
        self.read_to = max([self.read_to, *(event.position for event in events)])
        if self.touched is not None:
            self.touched.update(about for event in events for about in _about(event))
        return events

    def stream(self, workspace: str, stream: str) -> list[RecordedEvent]:
        """The events of a stream up to the bound."""
        events = self.log.stream(workspace, stream)
        return [event for event in events if event.position <= self.bound]

    def streams(self, workspace: str, streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
        """The events of several streams up to the bound."""
        found = {stream: self.stream(workspace, stream) for stream in streams}
        return {stream: events for stream, events in found.items() if events}

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """See `LogReader`; up to the bound."""
        found = self.log.references(workspace, kind, ref)
        return [(stream, position) for stream, position in found if position <= self.bound]


def _about(event: RecordedEvent) -> list[str]:
    """The record of an event, and one that it releases."""
    released = [fact.target_id for fact in event.facts if isinstance(fact, StreamReleased)]
    return [event.stream, *released]
