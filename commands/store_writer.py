"""The append: events, references and API keys in one transaction of log.db."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from commands.sqlite_files import translated
from commands.sqlite_writer import Writer, ensure_schema
from commands.store_errors import PlacesTakenError, StoreError, StreamConflictError
from commands.store_rows import ApiKeyChange, Appended, NewRow, Place, RefRow, originator_id
from commands.store_schema import STATEMENTS, VERSION
from domain.instants import Micros
from domain.ports import Clock

_LAST: Final = (
    "SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'event'),"
    " (SELECT appended_at FROM event ORDER BY position DESC LIMIT 1)"
)
_INSERT: Final = (
    "INSERT INTO event (position, originator_id, originator_version, topic, state, event_hash,"
    " workspace, part, appended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_REF: Final = (
    "INSERT INTO event_ref (workspace, kind, ref, stream, position) VALUES (?, ?, ?, ?, ?)"
)
_ISSUE: Final = (
    "INSERT INTO api_key (key_id, digest, name, workspace, actor, agent, permissions, expires_at,"
    " created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_REVOKE: Final = "UPDATE api_key SET revoked_at = coalesce(revoked_at, ?) WHERE key_id = ?"
_STORED: Final = (
    "SELECT e.originator_id, e.originator_version FROM json_each(?) AS wanted CROSS JOIN event AS e"
    " ON e.originator_id = json_extract(wanted.value, '$[0]')"
    " AND e.originator_version = json_extract(wanted.value, '$[1]')"
)


class LogWriter:
    """Holds the connection that appends. Threads and processes take turns."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], clock: Clock) -> None:
        self._connect = connect
        self._clock = clock
        self._writer = Writer(self._opened)
        self._lock = threading.Lock()
        self._durable = True

    def _opened(self) -> sqlite3.Connection:
        self._durable = True
        return self._connect()

    def create(self) -> None:
        """Make the tables of a new file; raises StoreFormatError for one that is not ours."""
        with self._lock:
            ensure_schema(self._writer, STATEMENTS, VERSION)

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._writer.close()

    def append(
        self,
        rows: Sequence[NewRow],
        refs: Sequence[RefRow],
        api_keys: Sequence[ApiKeyChange],
        *,
        durable: bool,
        not_before_us: Micros,
    ) -> Appended:
        """See `commands.store.LogStore.append`."""
        if not (rows or refs or api_keys):
            return Appended((), 0)
        with self._lock, self._telling_clashes(rows):
            self._set_durable(durable=durable)
            with self._writer.transaction() as connection:
                # After the lock: nobody else takes these positions, or an append time among ours.
                last, last_us = _end(connection)
                appended_us = max(self._clock.now_us(), not_before_us, last_us + 1)
                positions = range(last + 1, last + 1 + len(rows))
                _insert(connection, rows, refs, [Place(one, appended_us) for one in positions])
                for change in api_keys:
                    _change_key(connection, change)
        return Appended(tuple(positions), appended_us)

    def append_placed(
        self, rows: Sequence[NewRow], refs: Sequence[RefRow], places: Sequence[Place]
    ) -> None:
        """See `commands.log_store.LogStore.append_placed`."""
        with self._lock, self._telling_clashes(rows):
            self._set_durable(durable=True)
            with self._writer.transaction() as connection:
                last, last_us = _end(connection)
                if places and (places[0].position <= last or places[0].appended_us < last_us):
                    raise PlacesTakenError
                _insert(connection, rows, refs, places)

    @contextmanager
    def _telling_clashes(self, rows: Sequence[NewRow]) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            if isinstance(error.__cause__, sqlite3.IntegrityError):
                clashing = self._clashing(rows, [(_originator(row), row.version) for row in rows])
                if clashing:
                    raise StreamConflictError(clashing) from error
            raise

    def _set_durable(self, *, durable: bool) -> None:
        """Whether the commit waits for the disk; not to be changed within a transaction."""
        with translated():
            connection = self._writer.connection
            if durable != self._durable:
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable

    def _clashing(
        self, rows: Sequence[NewRow], identities: Sequence[tuple[str, int]]
    ) -> frozenset[str]:
        """Streams of rows whose version is stored, or is given twice."""
        with translated():
            stored = set(self._writer.connection.execute(_STORED, (json.dumps(identities),)))
        counted = Counter(identities)
        return frozenset(
            row.stream
            for row, identity in zip(rows, identities, strict=True)
            if identity in stored or counted[identity] > 1
        )


def _end(connection: sqlite3.Connection) -> tuple[int, Micros]:
    """The last position that was ever given, and the time of the last append."""
    last, last_us = connection.execute(_LAST).fetchone()
    return last or 0, last_us or 0


def _insert(
    connection: sqlite3.Connection,
    rows: Sequence[NewRow],
    refs: Sequence[RefRow],
    places: Sequence[Place],
) -> None:
    connection.executemany(
        _INSERT,
        [
            (place.position, _originator(row), row.version, row.topic, row.state, row.event_hash,
             row.workspace, row.part, place.appended_us)
            for row, place in zip(rows, places, strict=True)
        ],
    )  # fmt: skip
    connection.executemany(
        _INSERT_REF,
        [(r.workspace, r.kind, r.ref, r.stream, places[r.row_index].position) for r in refs],
    )


def _originator(row: NewRow) -> str:
    originator = originator_id(row.stream)
    if originator is None:
        raise ValueError("an event is appended to a stream with an id of ours")
    return originator


def _change_key(connection: sqlite3.Connection, change: ApiKeyChange) -> None:
    row = change.issued
    if row is not None:
        connection.execute(
            _ISSUE,
            (row.key_id, row.digest, row.name, row.workspace, row.actor, row.agent,
             row.permissions, row.expires_at, row.created_at, row.revoked_at),
        )  # fmt: skip
    if change.revoked is not None:
        key_id, revoked_at = change.revoked
        if connection.execute(_REVOKE, (revoked_at, key_id)).rowcount != 1:
            raise StoreError("there is no such API key: list the keys")
