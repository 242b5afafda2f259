"""The rows of the key store in PostgreSQL: the schema memoranda_keys of a database.

Every process has its own `PostgresKeyRows`. What was destroyed is counted in the same transaction,
so that the others learn of it with one short question before they use a key from memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import psycopg

from commands.key_rows import KeyRow, WorkspaceRow
from commands.postgres_arrays import byteas, texts
from commands.postgres_connections import WRITER_ROLE, Connection, Writer, connect
from commands.store_errors import OutcomeUnknownError, StoreError

_WORKSPACE: Final = (
    "SELECT workspace, wrapped_key, wrapped_root, audit_key_id FROM memoranda_keys.workspace_key"
)
_ADD_WORKSPACE: Final = """
WITH made AS (
  INSERT INTO memoranda_keys.workspace_key (workspace, wrapped_key, wrapped_root, audit_key_id)
  VALUES (%s, %s, %s, %s) ON CONFLICT (workspace) DO NOTHING RETURNING workspace
)
INSERT INTO memoranda_keys.data_key (key_id, workspace, wrapped, state)
SELECT given.key_id, made.workspace, given.wrapped, 'audit'
FROM made, unnest(%s::text[], %s::bytea[]) AS given (key_id, wrapped)"""
_KEYS: Final = """
SELECT key_id, workspace, wrapped, state FROM memoranda_keys.data_key
WHERE key_id = ANY(%s::text[]) AND workspace = %s"""
_ADD_KEYS: Final = """
INSERT INTO memoranda_keys.data_key (key_id, workspace, wrapped, state)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bytea[], %s::text[])"""
_KEPT: Final = """
SELECT count(*) FROM memoranda_keys.data_key
WHERE key_id = ANY(%s::text[]) AND (workspace != %s OR state = 'audit')"""
_DESTROY: Final = """
INSERT INTO memoranda_keys.data_key (key_id, workspace, wrapped, state)
SELECT id, %s, NULL, 'destroyed' FROM unnest(%s::text[]) AS id ORDER BY id
ON CONFLICT (key_id) DO UPDATE SET wrapped = NULL, state = 'destroyed'
WHERE data_key.state = 'reserved'"""
_REWRAP: Final = """
UPDATE memoranda_keys.workspace_key SET wrapped_key = given.wrapped
FROM unnest(%s::text[], %s::bytea[]) AS given (workspace, wrapped)
WHERE workspace_key.workspace = given.workspace"""
_COUNT: Final = "UPDATE memoranda_keys.destruction SET times = times + 1"
_COUNTED: Final = "SELECT times FROM memoranda_keys.destruction"


class PostgresKeyRows:
    """Implements `KeyRows`. Connects, and makes nothing: see `memoranda migrate`."""

    name: Final = "the schema memoranda_keys"

    def __init__(self, url: str, *, factory: type[Connection] = psycopg.Connection) -> None:
        self._compacting: Callable[[], Connection] = lambda: connect(
            url, WRITER_ROLE, settings={"statement_timeout": "0"}, factory=factory
        )
        self._writer = Writer(lambda: connect(url, WRITER_ROLE, factory=factory))
        self._seen = -1
        _ = self._writer.connection

    def any_workspace(self) -> WorkspaceRow | None:
        return _only(self._read(f"{_WORKSPACE} LIMIT 1", ()))

    def workspace(self, workspace: str) -> WorkspaceRow | None:
        return _only(self._read(f"{_WORKSPACE} WHERE workspace = %s", (workspace,)))

    def add_workspace(self, row: WorkspaceRow, keys: Sequence[KeyRow]) -> None:
        with self._writer.writing() as connection:
            names = texts([key.key_id for key in keys])
            wrapped = byteas([key.wrapped for key in keys])
            connection.execute(_ADD_WORKSPACE, (*row, names, wrapped))

    def keys(self, workspace: str, key_ids: Sequence[str]) -> list[KeyRow]:
        return [KeyRow(*row) for row in self._read(_KEYS, (list(key_ids), workspace))]

    def add_keys(self, rows: Sequence[KeyRow]) -> None:
        columns = (
            texts([row.key_id for row in rows]),
            texts([row.workspace for row in rows]),
            byteas([row.wrapped for row in rows]),
            texts([row.state for row in rows]),
        )
        with self._writer.writing() as connection:
            connection.execute(_ADD_KEYS, columns)

    def destroy(self, workspace: str, key_ids: Sequence[str]) -> None:
        """As `KeyRows.destroy`. What is left of them in the server's files: see the manual."""
        wanted = list(key_ids)
        with self._writer.writing() as connection, connection.transaction():
            # One at a time, and before anybody's key is looked at: so the count tells it all.
            connection.execute(_COUNT)
            [(kept,)] = connection.execute(_KEPT, (wanted, workspace)).fetchall()
            if kept:
                raise StoreError(
                    f"{kept} of the keys are audit keys or another workspace's: "
                    "they are never destroyed"
                )
            connection.execute(_DESTROY, (workspace, wanted))

    def rewrap(self, wrapped: Callable[[WorkspaceRow], bytes]) -> int:
        with self._writer.writing() as connection, connection.transaction():
            found = connection.execute(f"{_WORKSPACE} ORDER BY workspace FOR UPDATE").fetchall()
            rows = [WorkspaceRow(*row) for row in found]
            changed = [
                (row.workspace, new) for row in rows if (new := wrapped(row)) != row.wrapped_key
            ]
            names, keys = [name for name, _ in changed], [key for _, key in changed]
            connection.execute(_REWRAP, (texts(names), byteas(keys)))
        return len(changed)

    def changed(self) -> bool:
        """Any destruction counts, one's own too."""
        [(seen,)] = self._read(_COUNTED, ())
        before, self._seen = self._seen, seen
        return bool(before != seen)

    def compact(self) -> None:
        """Write the table anew: no file of it holds what was destroyed. Others wait meanwhile.

        The write-ahead log, standbys and backups are the server's, and keep it for as long as they
        are kept (docs/how-to/postgresql.md).
        """
        cleaner = Writer(self._compacting)
        try:
            with cleaner.writing() as connection:
                connection.execute("VACUUM (FULL) memoranda_keys.data_key")
        finally:
            cleaner.close()

    def _read(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return self._fetched(query, parameters)
        except OutcomeUnknownError:
            # A question changes nothing, so that it may be asked again.
            return self._fetched(query, parameters)

    def _fetched(self, query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._writer.writing() as connection, connection.cursor(binary=True) as cursor:
            cursor.execute(query, parameters, prepare=True)
            return cursor.fetchall()

    def close(self) -> None:
        self._writer.close()


def _only(rows: Sequence[tuple[Any, ...]]) -> WorkspaceRow | None:
    return WorkspaceRow(*rows[0]) if rows else None
