"""The rows of the key store in a SQLite file: keys.db of a data folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from commands import key_tables
from commands.key_rows import KeyRow, WorkspaceRow
from commands.sqlite_files import connect, private_file, translated
from commands.sqlite_writer import Writer, ensure_schema
from commands.store_errors import StoreBusyError


class SqliteKeyRows:
    """Implements `KeyRows`. Opens the file, or makes it.

    Raises StoreFormatError for a file of a newer or another program, StoreFullError where it
    cannot be made.
    """

    name: Final = "keys.db"

    def __init__(self, path: Path) -> None:
        private_file(path)
        self._writer = Writer(lambda: _connect(path))
        self._seen = 0
        try:
            ensure_schema(self._writer, key_tables.TABLES, key_tables.VERSION)
        except BaseException:
            self._writer.close()
            raise

    def any_workspace(self) -> WorkspaceRow | None:
        with translated():
            return key_tables.any_workspace(self._writer.connection)

    def workspace(self, workspace: str) -> WorkspaceRow | None:
        with translated():
            return key_tables.workspace_row(self._writer.connection, workspace)

    def add_workspace(self, row: WorkspaceRow, keys: Sequence[KeyRow]) -> None:
        with self._writer.transaction() as connection:
            if key_tables.workspace_row(connection, row.workspace) is None:
                key_tables.insert_keys(connection, keys)
                key_tables.insert_workspace(connection, row)

    def keys(self, workspace: str, key_ids: Sequence[str]) -> list[KeyRow]:
        with translated():
            return key_tables.key_rows(self._writer.connection, workspace, key_ids)

    def add_keys(self, rows: Sequence[KeyRow]) -> None:
        with self._writer.transaction() as connection:
            key_tables.insert_keys(connection, rows)

    def destroy(self, workspace: str, key_ids: Sequence[str]) -> None:
        """As `KeyRows.destroy`; neither the file nor its write-ahead log holds them on return.

        Raises StoreBusyError where a reader of another process holds on to the write-ahead log:
        the keys are destroyed, their traces are not; repeat it.
        """
        with self._writer.transaction() as connection:
            key_tables.destroy_rows(connection, workspace, key_ids)
        self._empty_wal()

    def rewrap(self, wrapped: Callable[[WorkspaceRow], bytes]) -> int:
        with self._writer.transaction() as connection:
            return key_tables.rewrap(connection, wrapped)

    def changed(self) -> bool:
        """Whatever another connection has committed counts; 7 µs."""
        with translated():
            (seen,) = self._writer.connection.execute("PRAGMA data_version").fetchone()
        before, self._seen = self._seen, seen
        return bool(before != seen)

    def compact(self) -> None:
        """Write the file anew, so that no page holds the rest of a row that was moved before.

        SQLite overwrites what is deleted, but may leave a copy where rows were moved to another
        page. Takes as long as the file is large, some 0.2 s for 100 000 keys; others wait. Raises
        StoreBusyError as `destroy` does, and StoreFullError where there is no room for a copy.
        """
        with translated():
            self._writer.connection.execute("VACUUM")
        self._empty_wal()

    def _empty_wal(self) -> None:
        with translated():
            checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)"
            (busy, _, _) = self._writer.connection.execute(checkpoint).fetchone()
        if busy:
            raise StoreBusyError(
                "the keys are destroyed, but another process holds on to their traces: try again"
            )

    def close(self) -> None:
        self._writer.close()


def _connect(path: Path) -> sqlite3.Connection:
    # Temporary tables in memory: no copy of keys outside of the data folder.
    pragmas = ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON")
    return connect(path, pragmas=(*pragmas, "temp_store = MEMORY"))
