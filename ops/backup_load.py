"""A store that was made in files, put into the empty tables of a database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import UUID

import psycopg

from commands.sqlite_files import connect
from commands.store_postgres import PARTS
from domain.parts import part_of_workspace
from ops.backup_format import KEYS, LOG
from ops.progress import OnProgress

_TOLD_EVERY: Final = 1000
_SEQUENCE: Final = "SELECT max(seq) FROM sqlite_sequence WHERE name = 'event'"


class _Table(NamedTuple):
    file: str
    name: str
    types: Sequence[str]
    row: Callable[[tuple[Any, ...]], tuple[Any, ...]]


def _as_it_is(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return row


def _event(row: tuple[Any, ...]) -> tuple[Any, ...]:
    position, stream, version, topic, state, event_hash, workspace, part, appended_at = row
    if part is not None:
        part = part_of_workspace(workspace, PARTS)
    uuid = UUID(stream)
    return position, uuid, version, topic, state, event_hash, workspace, part, appended_at


_EVENT: Final = ("int8", "uuid", "int8", "text", "bytea", "bytea", "text", "int2", "int8")
_BY_POSITION: Final = {"event": " ORDER BY position"}
_TABLES: Final = (
    _Table(KEYS, "workspace_key", ("text", "bytea", "bytea", "text"), _as_it_is),
    _Table(KEYS, "data_key", ("text", "text", "bytea", "text"), _as_it_is),
    _Table(LOG, "event", _EVENT, _event),
    _Table(LOG, "event_ref", ("text", "text", "text", "text", "int8"), _as_it_is),
    _Table(LOG, "api_key", ["text"] * 10, _as_it_is),
)
_SCHEMA: Final = {KEYS: "memoranda_keys", LOG: "memoranda_log"}


def load(connection: psycopg.Connection, stage: Path, on_progress: OnProgress) -> None:
    """Copy log and keys of the data folder `stage`, in the caller's transaction.

    `on_progress` is told (events done, events). Raises psycopg.Error, sqlite3.Error.
    """
    for table in _TABLES:
        with closing(connect(stage / table.file, read_only=True)) as opened:
            counted = table.name == "event"
            (rows,) = opened.execute(f"SELECT count(*) FROM {table.name}").fetchone()  # noqa: S608
            query = f"SELECT * FROM {table.name}{_BY_POSITION.get(table.name, '')}"  # noqa: S608
            target = f"{_SCHEMA[table.file]}.{table.name}"
            source = _told(opened.execute(query), rows, on_progress if counted else _nobody)
            with (
                connection.cursor() as cursor,
                cursor.copy(f"COPY {target} FROM STDIN (FORMAT BINARY)".encode()) as copy,
            ):
                copy.set_types(table.types)
                for row in source:
                    copy.write_row(table.row(row))
            connection.execute(f"ANALYZE {target}".encode())
    with closing(connect(stage / LOG, read_only=True)) as opened:
        (last,) = opened.execute(_SEQUENCE).fetchone()
    connection.execute("SELECT setval('memoranda_log.event_position', %s)", (last,))


def _nobody(_done: int, _total: int | None) -> None:
    """Nothing is shown of this."""


def _told(
    rows: Iterator[tuple[Any, ...]], total: int, on_progress: OnProgress
) -> Iterator[tuple[Any, ...]]:
    for done, row in enumerate(rows):
        if done % _TOLD_EVERY == 0:
            on_progress(done, total)
        yield row
    on_progress(total, total)
