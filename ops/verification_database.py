"""`memoranda verify` of the server mode: the rules of docs/verify.py, applied to live rows.

One transaction that only reads sees one state of log and keys, while servers go on. It is open for
as long as the check takes; PostgreSQL cannot clean up meanwhile what changed since it began.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Final, LiteralString

from commands.postgres_connections import WRITER_ROLE, Connection, connect, translated
from ops.migrating import check_schema
from ops.standalone_verifier import DATA_KEY, EVENTS, REFS, Report, Verifier, parse_state
from projections.views_postgres import PARTS

BLOCK: Final = 1000
"""So many rows are asked for at once."""
_SETTINGS: Final = {
    "default_transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    # References are sorted by position first, and of a large log that takes its time.
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "600s",
}
_LOG: Final[dict[str, LiteralString]] = {
    EVENTS: """
SELECT position, replace(originator_id::text, '-', '') AS originator_id, originator_version, topic,
       state, event_hash, workspace, part, appended_at
FROM memoranda_log.event ORDER BY position""",
    REFS: """
SELECT position, workspace, kind, ref, stream FROM memoranda_log.event_ref ORDER BY position""",
}
_HEAD: Final = "SELECT coalesce(max(position), 0) FROM memoranda_log.event"
_KEYS: Final = """
SELECT key_id, workspace, wrapped, state FROM memoranda_keys.data_key
WHERE key_id = ANY(%s::text[])"""
_WORKSPACE: Final = (
    "SELECT wrapped_key, wrapped_root FROM memoranda_keys.workspace_key WHERE workspace = %s"
)


class _Row(tuple[Any, ...]):
    """A row whose columns have names, too, as those of SQLite have."""

    __slots__ = ()
    names: dict[str, int]

    def __getitem__(self, at: Any) -> Any:
        return super().__getitem__(self.names[at] if isinstance(at, str) else at)


def _named(names: Sequence[str]) -> type[_Row]:
    return type("Row", (_Row,), {"__slots__": (), "names": dict(zip(names, count(), strict=False))})


class _Found(list[_Row]):
    """What a question for one row found."""

    def fetchone(self) -> _Row | None:
        return self[0] if self else None


class _Tables:
    """Answers what the verifier asks of log.db and keys.db."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._numbers = count()
        # Of this block and of the one before: two questions are merged, one of them a row ahead.
        self._known: ChainMap[str, _Row] = ChainMap({}, {})

    def execute(self, asked: str, parameters: Sequence[Any] = ()) -> Iterator[_Row] | _Found:
        """Rows one after another for the log, all of them for the keys."""
        if asked in _LOG:
            return self._streamed(_LOG[asked], keys=asked == EVENTS)
        if asked != DATA_KEY:
            return self._all(_WORKSPACE, parameters)
        (key_id,) = parameters
        known = self._known.get(key_id)
        return _Found([known]) if known is not None else self._all(_KEYS, ([key_id],))

    def _streamed(self, query: LiteralString, *, keys: bool) -> Iterator[_Row]:
        name = f"verify_{next(self._numbers)}"
        with self._connection.cursor(name, scrollable=False) as cursor:
            cursor.execute(query, binary=True)
            make = _named([column.name for column in cursor.description or ()])
            while rows := [make(row) for row in cursor.fetchmany(BLOCK)]:
                if keys:
                    self._fetch_keys(rows)
                yield from rows

    def _fetch_keys(self, rows: Sequence[_Row]) -> None:
        found = self._all(_KEYS, ([key for row in rows if (key := _key_of(row)) is not None],))
        self._known = ChainMap({row["key_id"]: row for row in found}, self._known.maps[0])

    def _all(self, query: LiteralString, parameters: Sequence[Any]) -> _Found:
        with self._connection.cursor(binary=True) as cursor:
            cursor.execute(query, parameters)
            make = _named([column.name for column in cursor.description or ()])
            return _Found(make(row) for row in cursor.fetchall())


def _key_of(row: _Row) -> str | None:
    """The key that an event names; None also for an event that cannot be read."""
    try:
        key = parse_state(row["state"]).key
    except (ValueError, LookupError, TypeError):
        return None
    return key if isinstance(key, str) else None


def verify_database(url: str, master_key: bytes) -> Report:
    """Check the log of a database, its payloads opened by the master key (32 bytes).

    Nothing is written, and no more than some thousand rows are held at once; of each stream its
    last version and hash. Raises StoreError where the database cannot be read to its end.
    """
    check_schema(url)
    with translated(), connect(url, WRITER_ROLE, settings=_SETTINGS) as connection:
        connection.autocommit = False
        newest = connection.execute(_HEAD).fetchone()
        tables: Any = _Tables(connection)
        verifier = Verifier(tables, tables, master_key, newest[0] if newest else 0)
        verifier.parts = PARTS
        report = verifier.run()
        connection.rollback()
    return report
