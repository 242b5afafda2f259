"""The log as the read side gets it: decoded, and of one workspace where that is asked."""

from __future__ import annotations

from collections.abc import Sequence

from commands.log_store import LogStore
from commands.sealing import Sealer
from commands.store_rows import StoredRow
from domain.instants import Micros
from domain.recorded import RecordedEvent


class StoreLogReader:
    """Implements `domain.ports.LogReader` over a store and the keys that open its events.

    A stream of another workspace is absent here. Raises CorruptEventError for a stored event
    that cannot be what was written, StoreError where the files fail.
    """

    def __init__(self, store: LogStore, sealer: Sealer) -> None:
        self._store = store
        self._sealer = sealer

    def head(self) -> int:
        """The last position; 0 for an empty log."""
        return self._store.head()

    def appended_at(self, position: int) -> Micros:
        """Append time of the last event at or before a position; 0 for none."""
        return self._store.appended_at(position)

    def position_at(self, known_at: Micros) -> int:
        """The largest position with every event up to it appended at or before that time."""
        return self._store.position_at(known_at)

    def after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[RecordedEvent]:
        """At most `limit` events after a position, in order; restricted where asked."""
        rows = self._store.rows_after(
            position, limit, part=part, workspace=workspace, topics=topics
        )
        return self._sealer.open_many(rows)

    def stream(self, workspace: str, stream: str) -> list[RecordedEvent]:
        """All events of one stream, in order; empty where the workspace has none such."""
        return self.streams(workspace, [stream]).get(stream, [])

    def streams(self, workspace: str, streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
        """The events of several streams; a stream that is not there is left out."""
        found = {
            stream: rows
            for stream, rows in self._store.load(dict.fromkeys(streams, 0)).items()
            if all(row.workspace == workspace for row in rows)
        }
        # All at once, so that the keys are looked up once.
        rows: list[StoredRow] = [row for events in found.values() for row in events]
        opened = iter(self._sealer.open_many(rows))
        return {stream: [next(opened) for _ in events] for stream, events in found.items()}

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """(stream, position) of the references of a kind to `ref`, by position."""
        return self._store.references(workspace, kind, ref)
