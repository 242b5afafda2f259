"""Copies of a database's log and key store as of one snapshot, while servers write to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from commands import key_tables, store_schema
from commands.postgres_connections import WRITER_ROLE, Connection, connect, translated
from commands.sqlite_files import connect as connect_file
from commands.sqlite_files import private_file
from commands.sqlite_writer import Writer, ensure_schema
from ops.migrating import check_schema

_SESSION: Final[Mapping[str, str]] = {
    "default_transaction_isolation": "repeatable read",
    "default_transaction_read_only": "on",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
}
_ROWS_AT_ONCE: Final = 1000

Query: TypeAlias = Callable[[str], Iterable[tuple[Any, ...]]]
"""The rows of a question about the tables of log and keys."""


class _Table(NamedTuple):
    name: str
    query: str
    types: Sequence[str]


_LOG: Final = (
    # A data folder has one part.
    _Table(
        "event",
        "SELECT position, encode(uuid_send(originator_id), 'hex'), originator_version, topic,"
        " state, event_hash, workspace, CASE WHEN part IS NOT NULL THEN 0 END, appended_at"
        " FROM memoranda_log.event ORDER BY position",
        ("int8", "text", "int8", "text", "bytea", "bytea", "text", "int4", "int8"),
    ),
    _Table(
        "event_ref",
        "SELECT workspace, kind, ref, stream, position FROM memoranda_log.event_ref",
        ("text", "text", "text", "text", "int8"),
    ),
    _Table(
        "api_key",
        "SELECT key_id, digest, name, workspace, actor, agent, permissions, expires_at,"
        " created_at, revoked_at FROM memoranda_log.api_key",
        ["text"] * 10,
    ),
)
_KEYS: Final = (
    _Table(
        "data_key",
        "SELECT key_id, workspace, wrapped, state FROM memoranda_keys.data_key",
        ("text", "text", "bytea", "text"),
    ),
    _Table(
        "workspace_key",
        "SELECT workspace, wrapped_key, wrapped_root, audit_key_id"
        " FROM memoranda_keys.workspace_key",
        ("text", "bytea", "bytea", "text"),
    ),
)


class DatabaseSnapshot(NamedTuple):
    """A transaction that sees the database as of one moment, and the name for others to join."""

    url: str
    connection: Connection
    name: str

    @contextmanager
    def joined(self) -> Iterator[Connection]:
        """Another transaction that sees the same, and whose locks end with the block."""
        with (
            closing(connect(self.url, WRITER_ROLE, settings=_SESSION)) as connection,
            connection.transaction(),
        ):
            # The name is the server's own, and no parameter can stand here.
            connection.execute(f"SET TRANSACTION SNAPSHOT '{self.name}'".encode())
            yield connection


@contextmanager
def database_snapshot(url: str) -> Iterator[DatabaseSnapshot]:
    """Log and keys of a database as of one moment. Raises StoreError, StoreFormatError."""
    check_schema(url)
    with ExitStack() as opened, translated():
        connection = opened.enter_context(closing(connect(url, WRITER_ROLE, settings=_SESSION)))
        opened.enter_context(connection.transaction())
        [(name,)] = connection.execute("SELECT pg_export_snapshot()").fetchall()
        yield DatabaseSnapshot(url, connection, name)


def copy_keys(snapshot: DatabaseSnapshot, target: Path) -> None:
    """The key store as a keys.db. The table is not held for longer: erasures write it anew."""
    with (
        _new_database(target, key_tables.TABLES, key_tables.VERSION) as copy,
        snapshot.joined() as connection,
    ):
        for table in _KEYS:
            _copy_table(connection, table, copy, lambda _rows: None)


def copy_log(
    snapshot: DatabaseSnapshot, target: Path, moved: Callable[[int, int | None], None]
) -> None:
    """The log as a log.db; `moved` is told (events done, events)."""
    [(events,)] = snapshot.connection.execute("SELECT count(*) FROM memoranda_log.event").fetchall()
    with _new_database(target, store_schema.STATEMENTS, store_schema.VERSION) as copy:
        for table in _LOG:
            counted = table.name == "event"
            tell = (lambda rows: moved(rows, events)) if counted else (lambda _rows: None)
            _copy_table(snapshot.connection, table, copy, tell)


@contextmanager
def _new_database(
    path: Path, statements: Sequence[str], version: int
) -> Iterator[sqlite3.Connection]:
    private_file(path)
    writer = Writer(lambda: connect_file(path))
    with closing(writer):
        # A copy that is not finished is thrown away, so that nothing has to be undone in it.
        writer.connection.execute("PRAGMA synchronous = OFF")
        ensure_schema(writer, statements, version)
        with writer.transaction() as connection:
            yield connection


def _copy_table(
    source: Connection, table: _Table, target: sqlite3.Connection, moved: Callable[[int], None]
) -> None:
    marks = ", ".join("?" * len(table.types))
    insert = f"INSERT INTO {table.name} VALUES ({marks})"  # noqa: S608 - names of our own
    query = f"COPY ({table.query}) TO STDOUT (FORMAT BINARY)".encode()
    with source.cursor() as cursor, cursor.copy(query) as copy:
        copy.set_types(table.types)
        done, block = 0, list[tuple[Any, ...]]()
        for row in copy.rows():
            block.append(row)
            if len(block) == _ROWS_AT_ONCE:
                target.executemany(insert, block)
                done += len(block)
                block.clear()
                moved(done)
        target.executemany(insert, block)
        moved(done + len(block))


def database_query(connection: Connection) -> Query:
    """Questions about tables that stand without a schema; for one transaction."""
    connection.execute("SET LOCAL search_path = memoranda_log, memoranda_keys")

    def rows(question: str) -> Iterator[tuple[Any, ...]]:
        with connection.cursor(name="memoranda_backup") as cursor:
            cursor.itersize = _ROWS_AT_ONCE
            yield from cursor.execute(question.encode())

    return rows
