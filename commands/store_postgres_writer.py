"""The append to PostgreSQL: one statement, and so one round trip and one transaction.

The lock in its first CTE is what makes the log one: positions and append times are taken after it,
and it is kept until the commit, so that nobody can commit a smaller position later. A follower that
remembers one position misses nothing (facts of the library's own fast path: it has no such lock).
"""

from __future__ import annotations

import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from psycopg import errors

from commands.postgres_arrays import byteas, int2s, int8s, texts, uuids
from commands.postgres_connections import Connection, Writer
from commands.store_errors import PlacesTakenError, StoreError, StreamConflictError
from commands.store_rows import ApiKeyChange, Appended, NewRow, Place, RefRow, originator_id
from domain.instants import Micros
from domain.ports import Clock

LOCK_KEY: Final = 0x6D656D6F_6C6F6731
"""The advisory lock of the log: "memolog1" in ASCII. There is one log a database."""

# Each CTE reads the one before it, so that they are carried out in this order.
_ORDERED: Final = """
WITH ordering AS MATERIALIZED (
  SELECT pg_advisory_xact_lock(%(lock)s), set_config('synchronous_commit', %(commit)s, true)
), started AS MATERIALIZED (
  SELECT greatest(%(not_before)s::int8, memoranda_log.begin_append() + 1) AS appended_at
  FROM ordering
), given AS MATERIALIZED (
  SELECT nextval('memoranda_log.event_position') AS position, started.appended_at, row.*
  FROM started, unnest(
    %(originators)s::uuid[], %(versions)s::int8[], %(topics)s::text[], %(states)s::bytea[],
    %(hashes)s::bytea[], %(workspaces)s::text[], %(parts)s::int2[]
  ) WITH ORDINALITY AS row (
    originator_id, originator_version, topic, state, event_hash, workspace, part, at
  ) ORDER BY row.at
), stored AS (
  INSERT INTO memoranda_log.event (
    position, originator_id, originator_version, topic, state, event_hash, workspace, part,
    appended_at
  ) SELECT position, originator_id, originator_version, topic, state, event_hash, workspace, part,
    appended_at FROM given ORDER BY position
)"""
_REFERRED: Final = """, referred AS (
  INSERT INTO memoranda_log.event_ref (workspace, kind, ref, stream, position)
  SELECT said.workspace, said.kind, said.ref, said.stream, numbered.positions[said.at]
  FROM (SELECT array_agg(position ORDER BY at) AS positions FROM given) AS numbered, unnest(
    %(ref_workspaces)s::text[], %(kinds)s::text[], %(refs)s::text[], %(streams)s::text[],
    %(ats)s::int8[]
  ) AS said (workspace, kind, ref, stream, at)
)"""
_TOLD: Final = """
SELECT given.position, started.appended_at FROM started LEFT JOIN given ON true ORDER BY 1"""
_ISSUE: Final = """
INSERT INTO memoranda_log.api_key (key_id, digest, name, workspace, actor, agent, permissions,
  expires_at, created_at, revoked_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"""
_REVOKE: Final = """
UPDATE memoranda_log.api_key SET revoked_at = coalesce(revoked_at, %s) WHERE key_id = %s"""
_STORED: Final = """
SELECT e.originator_id, e.originator_version FROM memoranda_log.event AS e
JOIN unnest(%s::uuid[], %s::int8[]) AS given (id, version)
  ON e.originator_id = given.id AND e.originator_version = given.version"""

_LOCK: Final = "SELECT pg_advisory_xact_lock(%s)"
_END: Final = """
SELECT nextval('memoranda_log.event_position'), coalesce(memoranda_log.begin_append(), 0),
  (SELECT count(*) FROM memoranda_log.event WHERE position >= %s)"""
_UP_TO: Final = """
SELECT count(nextval('memoranda_log.event_position')) FROM generate_series(1, %s::int8)"""
_PLACE: Final = """
INSERT INTO memoranda_log.event (
  position, originator_id, originator_version, topic, state, event_hash, workspace, part,
  appended_at
) SELECT * FROM unnest(
  %(positions)s::int8[], %(originators)s::uuid[], %(versions)s::int8[], %(topics)s::text[],
  %(states)s::bytea[], %(hashes)s::bytea[], %(workspaces)s::text[], %(parts)s::int2[],
  %(times)s::int8[]
)"""
_REFER: Final = """
INSERT INTO memoranda_log.event_ref (workspace, kind, ref, stream, position)
SELECT said.workspace, said.kind, said.ref, said.stream, (%(positions)s::int8[])[said.at]
FROM unnest(
  %(ref_workspaces)s::text[], %(kinds)s::text[], %(refs)s::text[], %(streams)s::text[],
  %(ats)s::int8[]
) AS said (workspace, kind, ref, stream, at)"""

Identities = Sequence[tuple[str, int]]


class LogWriter:
    """Holds the connection that appends. Threads and processes take turns."""

    def __init__(self, connect: Callable[[], Connection], clock: Clock) -> None:
        self._writer = Writer(connect)
        self._clock = clock
        self._lock = threading.Lock()

    def open(self) -> None:
        """Connect; raises StoreError where that is not possible."""
        with self._lock:
            _ = self._writer.connection

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
        """See `commands.log_store.LogStore.append`."""
        if not (rows or refs or api_keys):
            return Appended((), 0)
        asked = _parameters(rows, refs)
        with self._lock, self._telling_clashes(rows):
            asked["commit"] = "on" if durable else "off"
            asked["not_before"] = max(self._clock.now_us(), not_before_us)
            return self._append(_ORDERED + (_REFERRED if refs else "") + _TOLD, asked, api_keys)

    def append_placed(
        self, rows: Sequence[NewRow], refs: Sequence[RefRow], places: Sequence[Place]
    ) -> None:
        """See `commands.log_store.LogStore.append_placed`.

        The sequence is taken up to the last of them, so that what comes later stands behind.
        """
        if not rows:
            return
        asked = _parameters(rows, refs)
        asked["positions"] = int8s([place.position for place in places])
        asked["times"] = int8s([place.appended_us for place in places])
        with (
            self._lock,
            self._telling_clashes(rows),
            self._writer.writing() as connection,
            connection.transaction(),
        ):
            connection.execute(_LOCK, (LOCK_KEY,))
            [(given, last_us, taken)] = connection.execute(_END, (places[0].position,)).fetchall()
            if taken or given > places[0].position or places[0].appended_us < last_us:
                raise PlacesTakenError
            connection.execute(_UP_TO, (places[-1].position - given,))
            connection.execute(_PLACE, asked)
            if refs:
                connection.execute(_REFER, asked)

    @contextmanager
    def _telling_clashes(self, rows: Sequence[NewRow]) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            if isinstance(error.__cause__, errors.UniqueViolation):
                clashing = self._clashing(rows, _identities(rows))
                if clashing:
                    raise StreamConflictError(clashing) from error
            raise

    def _append(
        self, statement: str, asked: dict[str, Any], api_keys: Sequence[ApiKeyChange]
    ) -> Appended:
        with self._writer.writing() as connection:
            if not api_keys:
                return _told(connection, statement, asked)
            with connection.transaction():
                appended = _told(connection, statement, asked)
                for change in api_keys:
                    _change_key(connection, change)
            return appended

    def _clashing(self, rows: Sequence[NewRow], identities: Identities) -> frozenset[str]:
        """Streams of rows whose version is stored, or is given twice."""
        with self._writer.writing() as connection:
            given = (uuids([one for one, _ in identities]), int8s([one for _, one in identities]))
            found = connection.execute(_STORED, given).fetchall()
        stored = {(originator.hex, version) for originator, version in found}
        counted = Counter(identities)
        return frozenset(
            row.stream
            for row, identity in zip(rows, identities, strict=True)
            if identity in stored or counted[identity] > 1
        )


def _identities(rows: Sequence[NewRow]) -> list[tuple[str, int]]:
    return [(_originator(row), row.version) for row in rows]


def _parameters(rows: Sequence[NewRow], refs: Sequence[RefRow]) -> dict[str, Any]:
    """One array a column; raises StoreError for a value that a column cannot hold."""
    try:
        return _arrays(rows, refs, _identities(rows))
    except (TypeError, AttributeError, struct.error) as error:
        raise StoreError("a row has a value that its column cannot hold") from error


def _arrays(
    rows: Sequence[NewRow], refs: Sequence[RefRow], identities: Identities
) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "lock": LOCK_KEY,
        "originators": uuids([originator for originator, _ in identities]),
        "versions": int8s([row.version for row in rows]),
        "topics": texts([row.topic for row in rows]),
        "states": byteas([row.state for row in rows]),
        "hashes": byteas([row.event_hash for row in rows]),
        "workspaces": texts([row.workspace for row in rows]),
        "parts": int2s([row.part for row in rows]),
    }
    if refs:
        asked |= {
            "ref_workspaces": texts([ref.workspace for ref in refs]),
            "kinds": texts([ref.kind for ref in refs]),
            "refs": texts([ref.ref for ref in refs]),
            "streams": texts([ref.stream for ref in refs]),
            "ats": int8s([ref.row_index + 1 for ref in refs]),
        }
    return asked


def _told(connection: Connection, statement: str, asked: dict[str, Any]) -> Appended:
    with connection.cursor(binary=True) as cursor:
        cursor.execute(statement, asked, prepare=True)
        told = cursor.fetchall()
    return Appended(tuple(at for at, _ in told if at is not None), told[0][1])


def _originator(row: NewRow) -> str:
    originator = originator_id(row.stream)
    if originator is None:
        raise ValueError("an event is appended to a stream with an id of ours")
    return originator


def _change_key(connection: Connection, change: ApiKeyChange) -> None:
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
