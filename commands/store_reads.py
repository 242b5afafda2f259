"""What is asked of log.db. Every method may be called from any thread."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from commands.sqlite_readers import Readers
from commands.store_loading import by_originator, by_stream
from commands.store_rows import ApiKeyRow, Growth, StoredRef, StoredRow
from domain.instants import Micros

_EVENT: Final = (
    "SELECT e.position, e.originator_id, e.originator_version, e.topic, e.state, e.event_hash,"
    " e.workspace, e.part, e.appended_at FROM"
)
_API_KEY: Final = (
    "SELECT key_id, digest, name, workspace, actor, agent, permissions, expires_at, created_at,"
    " revoked_at FROM api_key"
)
_AT: Final = (
    "SELECT position, appended_at FROM event WHERE position <= ? ORDER BY position DESC LIMIT 1"
)
_NAMES_ONE: Final = (
    "EXISTS (SELECT 1 FROM json_each(?) AS named WHERE instr(e.state, CAST(named.value AS BLOB)))"
)
_END: Final = 2**63 - 1


_ONE: Final = f"{_EVENT} event AS e WHERE e.originator_id = ? AND e.originator_version > ?"
_MANY: Final = (
    f"{_EVENT} json_each(?) AS wanted CROSS JOIN event AS e"
    " ON e.originator_id = wanted.key AND e.originator_version > wanted.value"
)
_IN_ORDER: Final = " ORDER BY e.position"


def _selected(connection: sqlite3.Connection, after: Mapping[str, int]) -> sqlite3.Cursor:
    """One stream is what most commands need, and is read without unpacking an array."""
    if len(after) == 1:
        return connection.execute(_ONE + _IN_ORDER, next(iter(after.items())))
    return connection.execute(_MANY + _IN_ORDER, (json.dumps(after),))


class SqliteReads:
    """Queries over events, references and API keys."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[StoredRow]]:
        """Events of public stream ids after a version each, by version: one SELECT.

        A stream without such events is left out, as is what is no id of a stream.
        """
        after = by_originator(wanted)
        with self._readers.connection() as connection:
            return by_stream(wanted, (StoredRow(*row) for row in _selected(connection, after)))

    def rows_after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[StoredRow]:
        """At most `limit` events after a position, in order; restricted where asked."""
        conditions = {"e.position > ?": position, "e.part = ?": part, "e.workspace = ?": workspace}
        return self.rows(conditions, topics=topics, limit=limit)

    def rows(
        self,
        conditions: Mapping[str, object],
        *,
        topics: Sequence[str] = (),
        order: str = "e.position",
        limit: int | None = None,
    ) -> list[StoredRow]:
        """Events that meet all conditions but those whose value is None."""
        asked = {sql: value for sql, value in conditions.items() if value is not None}
        if topics:
            asked["e.topic IN (SELECT value FROM json_each(?))"] = json.dumps(list(topics))
        where = " AND ".join(asked) or "true"
        with self._readers.connection() as connection:
            found = connection.execute(
                f"{_EVENT} event AS e WHERE {where} ORDER BY {order} LIMIT ?",
                (*asked.values(), -1 if limit is None else limit),
            )
            return [StoredRow(*row) for row in found]

    def naming(
        self, workspace: str, topics: Sequence[str], ids: Sequence[str], after: int, until: int
    ) -> list[StoredRow]:
        """Events of the topics at positions in (after, until] in whose bytes an id stands.

        In sealed bytes an id can stand by chance, so the caller reads the head. No index leads
        there: the rows of the workspace in between are read, and none of them is decoded.
        """
        conditions = {
            "e.workspace = ?": workspace,
            "e.position > ?": after,
            "e.position <= ?": until,
            _NAMES_ONE: json.dumps(list(ids)),
        }
        return self.rows(conditions, topics=topics)

    def grown(self, after: int, until: int, topics: Sequence[str]) -> list[Growth]:
        """How many events of each workspace and topic are at positions in (after, until].

        No event is decoded.
        """
        with self._readers.connection() as connection:
            found = connection.execute(
                "SELECT workspace, topic, count(*), max(position) FROM event"
                " WHERE position > ? AND position <= ?"
                " AND topic IN (SELECT value FROM json_each(?)) GROUP BY workspace, topic",
                (after, until, json.dumps(list(topics))),
            )
            return [Growth(*row) for row in found]

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """(stream, position) of the references of a kind to `ref`, by position."""
        with self._readers.connection() as connection:
            return connection.execute(
                "SELECT stream, position FROM event_ref"
                " WHERE workspace = ? AND kind = ? AND ref = ? ORDER BY position, stream",
                (workspace, kind, ref),
            ).fetchall()

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> list[tuple[str, str, int]]:
        """(ref, stream, position) of the references of a kind to any of `refs`, by position."""
        with self._readers.connection() as connection:
            return connection.execute(
                "SELECT r.ref, r.stream, r.position FROM json_each(?) AS wanted"
                " CROSS JOIN event_ref AS r ON r.ref = wanted.value"
                " WHERE r.workspace = ? AND r.kind = ? ORDER BY r.position, r.stream, r.ref",
                (json.dumps(list(dict.fromkeys(refs))), workspace, kind),
            ).fetchall()

    def references_between(self, after: int, until: int) -> list[StoredRef]:
        """The references of the events at positions in (after, until], by position.

        Reads the whole table: it is for verifying.
        """
        with self._readers.connection() as connection:
            found = connection.execute(
                "SELECT workspace, kind, ref, stream, position FROM event_ref"
                " WHERE position > ? AND position <= ? ORDER BY position, kind, ref",
                (after, until),
            )
            return [StoredRef(*row) for row in found]

    def head(self) -> int:
        """The last position; 0 for an empty log."""
        with self._readers.connection() as connection:
            row = connection.execute("SELECT max(position) FROM event").fetchone()
            return row[0] or 0

    def appended_at(self, position: int) -> Micros:
        """Append time of the last event at or before a position; 0 for none."""
        with self._readers.connection() as connection:
            return _at(connection, position)[1]

    def position_at(self, known_at: Micros) -> int:
        """The largest position with every event up to it appended at or before that time.

        Append times only grow along the log, so that some twenty look-ups find it.
        """
        with self._readers.connection() as connection:
            last, last_us = _at(connection, _END)
            if last_us <= known_at:
                return last
            known, beyond = 0, last
            while beyond - known > 1:
                middle = (known + beyond) // 2
                if _at(connection, middle)[1] <= known_at:
                    known = middle
                else:
                    beyond = middle
            return _at(connection, known)[0]

    def api_keys(self) -> list[ApiKeyRow]:
        """All API keys, the revoked ones too, oldest first."""
        with self._readers.connection() as connection:
            found = connection.execute(f"{_API_KEY} ORDER BY created_at, key_id")
            return [ApiKeyRow(*row) for row in found]

    def api_key(self, digest: str) -> ApiKeyRow | None:
        """The API key with a digest; None where there is none."""
        with self._readers.connection() as connection:
            row = connection.execute(f"{_API_KEY} WHERE digest = ?", (digest,)).fetchone()
            return None if row is None else ApiKeyRow(*row)


def _at(connection: sqlite3.Connection, position: int) -> tuple[int, Micros]:
    """Position and append time of the last event at or before a position; zeros for none."""
    found: tuple[int, Micros] | None = connection.execute(_AT, (position,)).fetchone()
    return found or (0, 0)
