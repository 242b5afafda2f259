"""The tables of keys.db, and the queries on them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from commands.key_rows import KeyRow, WorkspaceRow
from commands.store_errors import StoreError

VERSION: Final = 1
TABLES: Final = (
    """
    CREATE TABLE workspace_key (
      workspace TEXT PRIMARY KEY,
      wrapped_key BLOB NOT NULL,
      wrapped_root BLOB NOT NULL,
      audit_key_id TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE data_key (
      key_id TEXT PRIMARY KEY,
      workspace TEXT NOT NULL,
      wrapped BLOB,
      state TEXT NOT NULL CHECK (state IN ('reserved', 'destroyed', 'audit')),
      CHECK ((state = 'destroyed') = (wrapped IS NULL))
    ) WITHOUT ROWID
    """,
    """
    CREATE TRIGGER data_key_only_dies BEFORE UPDATE ON data_key
    WHEN NOT (OLD.state = 'reserved' AND NEW.state = 'destroyed')
    BEGIN SELECT RAISE(ABORT, 'a key changes once: when it is destroyed'); END
    """,
    """
    CREATE TRIGGER data_key_stays BEFORE DELETE ON data_key
    BEGIN SELECT RAISE(ABORT, 'rows of keys stay, the destroyed ones too'); END
    """,
)


def any_workspace(connection: sqlite3.Connection) -> WorkspaceRow | None:
    """Some workspace's row."""
    row = connection.execute("SELECT * FROM workspace_key LIMIT 1").fetchone()
    return None if row is None else WorkspaceRow(*row)


def workspace_row(connection: sqlite3.Connection, workspace: str) -> WorkspaceRow | None:
    """A workspace's row; None where it has none yet."""
    row = connection.execute(
        "SELECT * FROM workspace_key WHERE workspace = ?", (workspace,)
    ).fetchone()
    return None if row is None else WorkspaceRow(*row)


def insert_workspace(connection: sqlite3.Connection, row: WorkspaceRow) -> None:
    """A new workspace."""
    connection.execute("INSERT INTO workspace_key VALUES (?, ?, ?, ?)", row)


def insert_keys(connection: sqlite3.Connection, rows: Iterable[KeyRow]) -> None:
    """New keys."""
    connection.executemany("INSERT INTO data_key VALUES (?, ?, ?, ?)", rows)


def key_rows(
    connection: sqlite3.Connection, workspace: str, key_ids: Sequence[str]
) -> list[KeyRow]:
    """The rows of these keys, in no order; one that is not this workspace's is left out."""
    found = connection.execute(
        "SELECT k.key_id, k.workspace, k.wrapped, k.state FROM json_each(?) AS wanted"
        " CROSS JOIN data_key AS k ON k.key_id = wanted.value WHERE k.workspace = ?",
        (json.dumps(key_ids), workspace),
    )
    return [KeyRow(*row) for row in found]


def destroy_rows(connection: sqlite3.Connection, workspace: str, key_ids: Sequence[str]) -> None:
    """Leave nothing of these keys but a row that says so, where there was none too.

    Raises StoreError, before anything is changed, for a key that may not be destroyed.
    """
    wanted = json.dumps(key_ids)
    (kept,) = connection.execute(
        "SELECT count(*) FROM json_each(?) AS wanted CROSS JOIN data_key AS k"
        " ON k.key_id = wanted.value WHERE k.workspace != ? OR k.state = 'audit'",
        (wanted, workspace),
    ).fetchone()
    if kept:
        raise StoreError(
            f"{kept} of the keys are audit keys or another workspace's: they are never destroyed"
        )
    connection.execute(
        "INSERT INTO data_key SELECT value, ?, NULL, 'destroyed' FROM json_each(?) WHERE true"
        " ON CONFLICT (key_id) DO UPDATE SET wrapped = NULL, state = 'destroyed'"
        " WHERE state = 'reserved'",
        (workspace, wanted),
    )


def rewrap(connection: sqlite3.Connection, wrapped: Callable[[WorkspaceRow], bytes]) -> int:
    """Put what it gives in place of every `wrapped_key`; how many differ now."""
    rows = [WorkspaceRow(*row) for row in connection.execute("SELECT * FROM workspace_key")]
    changed = [(new, row.workspace) for row in rows if (new := wrapped(row)) != row.wrapped_key]
    connection.executemany("UPDATE workspace_key SET wrapped_key = ? WHERE workspace = ?", changed)
    return len(changed)
