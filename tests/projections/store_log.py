"""The real store with its keys, which a World can write to as it does to a log in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_rows import RefRow, part_of
from commands.store_sqlite import SqliteRecorder
from domain.decisions import Fact
from domain.envelope import EventContext
from domain.events import REGISTRY
from domain.instants import Micros, server_time
from domain.recorded import RecordedEvent
from domain.references import event_refs
from tests.store.building import stored, to_row


class StoreLog(StoreLogReader):
    """Log and key store in a folder."""

    parts = 1

    def __init__(self, folder: Path) -> None:
        self._path = folder / "log.db"
        self._keys = KeyStore.open(folder / "keys.db", bytes(range(32)), SystemClock())
        self._recorder = SqliteRecorder(self._path, SystemClock())
        self._seals = Sealer(self._keys, REGISTRY)
        super().__init__(self._recorder, self._seals)

    def close(self) -> None:
        self._recorder.close()
        self._keys.close()

    def append(
        self, facts: Iterable[Fact], context: EventContext, recorded_us: Micros
    ) -> list[RecordedEvent]:
        """Append facts in one transaction, each at the version after the last of its stream."""
        sealed, refs = [], []
        for index, fact in enumerate(facts):
            known = self._recorder.load({fact.stream: 0}).get(fact.stream, [])
            one = self._seals.seal(
                stream=fact.stream,
                version=len(known) + 1,
                event=fact.event,
                context=context,
                recorded_at=server_time(recorded_us),
                prev=known[-1].event_hash.hex() if known else None,
            )
            sealed.append(one)
            refs += [
                RefRow(context.workspace, kind, ref, fact.stream, index)
                for kind, ref in event_refs(self._seals.open(stored(one)))
            ]
        rows = [
            replace(to_row(one), part=part_of(one.stream, one.workspace, self.parts))
            for one in sealed
        ]
        appended = self._recorder.append(rows, refs, durable=False)
        return self.after(appended.positions[0] - 1, len(sealed))

    def burn(self, count: int) -> None:
        """Positions that were taken by transactions which never committed."""
        connection = sqlite3.connect(self._path)
        with connection:
            connection.execute("UPDATE sqlite_sequence SET seq = seq + ?", [count])
        connection.close()

    def destroy_key(self, workspace: str, stream: str, version: int) -> None:
        """From here on nobody can read the payload of this event."""
        key = self.stream(workspace, stream)[version - 1].key
        if key is not None:
            self._keys.destroy(workspace, [key])


def comparable(event: RecordedEvent) -> RecordedEvent:
    """The event without what two stores have of their own."""
    return event._replace(appended_us=0, key=None, hash="")
