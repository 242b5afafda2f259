"""A log in memory that implements `domain.ports.LogReader` as the store's reader does."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.canonical import canonical
from domain.decisions import Fact
from domain.envelope import EventContext, Head, event_hash
from domain.events import REGISTRY
from domain.ids import GUARD, RECALL, RECEIPT
from domain.instants import Micros, server_time
from domain.parts import part_of_workspace
from domain.recorded import RecordedEvent
from domain.references import event_refs
from domain.registry import RawEvent
from tests.projections.databases import current

NO_PART = (GUARD, RECALL, RECEIPT)


@dataclass(frozen=True)
class _Stored:
    event: RecordedEvent
    part: int | None


class MemoryLog:
    """Events go through JSON, positions grow, holes may lie between them, keys can be destroyed."""

    def __init__(self, first_position: int = 1) -> None:
        self._parts = current().parts
        self.workspaces: set[str] = set()
        self._next = first_position
        self._stored: list[_Stored] = []
        self._positions: list[int] = []
        self._streams: dict[tuple[str, str], list[int]] = {}
        self._appended_us = 1_700_000_000_000_000
        self.reads: list[tuple[int, int]] = []
        """Of `after`: position asked for, number of events given."""

    # --- Writing ------------------------------------------------------------------------------

    def append(
        self,
        facts: Iterable[Fact],
        context: EventContext,
        recorded_us: Micros,
        part: int | None = None,
    ) -> list[RecordedEvent]:
        """Append facts in one go, each at the version after the last of its stream."""
        self.workspaces.add(context.workspace)
        self._appended_us += 1
        if part is None:
            part = part_of_workspace(context.workspace, self._parts)
        return [self._append(fact, context, recorded_us, part) for fact in facts]

    def _append(
        self, fact: Fact, context: EventContext, recorded_us: Micros, part: int
    ) -> RecordedEvent:
        of_stream = self._streams.setdefault((context.workspace, fact.stream), [])
        version = len(of_stream) + 1
        previous = self._stored[of_stream[-1]].event.hash if of_stream else None
        structure = json.loads(canonical(fact.event.structure()))
        sealed = fact.event.sealed()
        payload = None if sealed is None else json.loads(canonical(sealed))
        key = None if payload is None else f"key_{self._next}"
        head = Head(
            v=fact.event.V,
            stream=fact.stream,
            version=version,
            topic=fact.event.TOPIC,
            recorded_at=server_time(recorded_us),
            context=context,
            structure=structure,
            key=key,
            commitment=None,
            prev=previous,
        )
        event = RecordedEvent(
            position=self._next,
            appended_us=self._appended_us,
            stream=fact.stream,
            version=version,
            topic=head.topic,
            recorded_at=head.recorded_at,
            recorded_us=recorded_us,
            context=context,
            facts=REGISTRY.decode(RawEvent(head.topic, head.v, structure, payload)),
            erased=False,
            key=key,
            hash=event_hash(head.to_bytes(), canonical(payload)).hex(),
        )
        of_stream.append(len(self._stored))
        self._positions.append(event.position)
        self._stored.append(_Stored(event, None if fact.stream.startswith(NO_PART) else part))
        self._next += 1
        return event

    def burn(self, count: int) -> None:
        """Positions that were taken by transactions which never committed."""
        self._next += count

    def destroy_key(self, workspace: str, stream: str, version: int) -> None:
        """From here on nobody can read the payload of this event."""
        index = self._streams[workspace, stream][version - 1]
        stored = self._stored[index]
        if stored.event.key is not None:
            self._stored[index] = _Stored(stored.event.without_payload(), stored.part)

    def drop(self, position: int) -> None:
        """The event is gone, as in a damaged file."""
        index = self._positions.index(position)
        del self._stored[index], self._positions[index]
        self._streams = {
            stream: [at - (at > index) for at in indexes if at != index]
            for stream, indexes in self._streams.items()
        }

    def lose_tail(self, count: int) -> None:
        """The last events were never there, and their positions will be given again."""
        for stored in self._stored[-count:]:
            self._streams[stored.event.context.workspace, stored.event.stream].pop()
        self._next = self._positions[-count]
        del self._stored[-count:], self._positions[-count:]

    # --- Reading ------------------------------------------------------------------------------

    def head(self) -> int:
        return self._positions[-1] if self._positions else 0

    def appended_at(self, position: int) -> Micros:
        index = bisect_right(self._positions, position)
        return self._stored[index - 1].event.appended_us if index else 0

    def position_at(self, known_at: Micros) -> int:
        times = [stored.event.appended_us for stored in self._stored]
        index = bisect_right(times, known_at)
        return self._positions[index - 1] if index else 0

    def after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[RecordedEvent]:
        found: list[RecordedEvent] = []
        for stored in self._stored[bisect_right(self._positions, position) :]:
            if len(found) == limit:
                break
            event = stored.event
            if (
                (part is None or stored.part == part)
                and (workspace is None or event.context.workspace == workspace)
                and (not topics or event.topic in topics)
            ):
                found.append(event)
        self.reads.append((position, len(found)))
        return found

    def stream(self, workspace: str, stream: str) -> list[RecordedEvent]:
        return [self._stored[index].event for index in self._streams.get((workspace, stream), ())]

    def streams(self, workspace: str, streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
        found = {stream: self.stream(workspace, stream) for stream in streams}
        return {stream: events for stream, events in found.items() if events}

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        return [
            (stored.event.stream, stored.event.position)
            for stored in self._stored
            if stored.event.context.workspace == workspace
            and (kind, ref) in event_refs(stored.event)
        ]
