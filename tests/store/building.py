"""What the tests of the store are made of: a clock to set, rows, events, and adapters."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from commands.clock import MonotonicIds, SystemClock
from commands.sealing import Sealed
from commands.store_postgres import PostgresRecorder
from commands.store_rows import NewRow, RefRow, StoredRow, originator_id, part_of
from commands.store_sqlite import SqliteRecorder
from domain.envelope import EventContext
from domain.events import MemoryRemembered, Remembered
from domain.ports import Clock

new_id = MonotonicIds(SystemClock()).new


@dataclass
class SetClock:
    """A clock that stands until it is set."""

    now: int = 1_000_000

    def now_us(self) -> int:
        return self.now


def row(stream: str, version: int = 1, **columns) -> NewRow:
    """A row of bytes that the store has no need to understand."""
    values = {
        "topic": "memory.remembered",
        "state": f"{stream}@{version}".encode(),
        "event_hash": bytes(32),
        "workspace": "w",
        "part": 0,
    }
    return NewRow(stream=stream, version=version, **(values | columns))


def rows(count: int, **columns) -> list[NewRow]:
    """First events of that many new streams."""
    return [row(new_id("mem_"), **columns) for _ in range(count)]


def ref(stream: str, row_index: int, *, kind: str = "slot", name: str = "r", workspace="w"):
    return RefRow(workspace, kind, name, stream, row_index)


def context(workspace: str = "w") -> EventContext:
    return EventContext(workspace, "ann", None, "s1", "req-1", "req-1", None)


def remembered(text: str = "the roof leaks", *, slot_ref: str | None = None) -> MemoryRemembered:
    return MemoryRemembered(
        session="s1",
        visibility="workspace",
        owner="ann",
        slot_ref=slot_ref,
        valid_from=None,
        valid_until=None,
        expires_at=None,
        lifecycle="active",
        payload=Remembered(
            kind="fact",
            schema_version="1",
            content={"format": "text", "value": text},
            tags=["house"],
            provenance=[],
        ),
    )


def to_row(sealed: Sealed) -> NewRow:
    return NewRow(
        stream=sealed.stream,
        version=sealed.version,
        topic=sealed.topic,
        state=sealed.state,
        event_hash=sealed.hash,
        workspace=sealed.workspace,
        part=part_of(sealed.stream, sealed.workspace),
    )


def stored(sealed: Sealed, position: int = 1) -> StoredRow:
    """The row as it would come out of a store."""
    return StoredRow(
        position=position,
        originator_id=originator_id(sealed.stream) or "",
        version=sealed.version,
        topic=sealed.topic,
        state=sealed.state,
        event_hash=sealed.hash,
        workspace=sealed.workspace,
        part=0,
        appended_us=1,
    )


@dataclass
class SqliteAdapter:
    path: Path
    refusal: type[Exception] = sqlite3.IntegrityError
    unguarding: str = "DROP TRIGGER event_refuses_delete"
    _opened: list[SqliteRecorder] = field(default_factory=list)

    def open(self, clock: Clock | None = None, **options) -> SqliteRecorder:
        log = SqliteRecorder(self.path, clock or SystemClock(), **options)
        self._opened.append(log)
        return log

    def open_losing_connections(self, when: Callable[[], str | None]) -> SqliteRecorder:
        """As told, commits are None, or the connection dies `before` or `after`, or is `full`."""

        class Losing(sqlite3.Connection):
            def execute(self, sql, *parameters):
                fate = when() if sql == "COMMIT" else None
                if fate == "before":
                    self.close()
                if fate == "full":
                    error = sqlite3.OperationalError("database or disk is full")
                    error.sqlite_errorcode = sqlite3.SQLITE_FULL
                    raise error
                done = super().execute(sql, *parameters)
                if fate == "after":
                    raise sqlite3.OperationalError("disk I/O error")
                return done

        return self.open(factory=Losing)

    def execute(self, sql: str) -> None:
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            connection.execute(sql)
        finally:
            connection.close()

    def opening_script(self) -> str:
        return (
            "import pathlib, sys\n"
            "from commands.clock import SystemClock\n"
            "from commands.store_sqlite import SqliteRecorder\n"
            "from tests.store.building import row, rows\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            f"log = SqliteRecorder(pathlib.Path({str(self.path)!r}), SystemClock())\n"
        )

    def close(self) -> None:
        for log in self._opened:
            log.close()


@dataclass
class PostgresAdapter:
    url: str
    refusal: type[Exception] = psycopg.IntegrityError
    unguarding: str = "DROP TRIGGER event_refuses_change ON event"
    _opened: list[PostgresRecorder] = field(default_factory=list)

    def open(self, clock: Clock | None = None, **options) -> PostgresRecorder:
        log = PostgresRecorder(self.url, clock or SystemClock(), **options)
        self._opened.append(log)
        return log

    def open_losing_connections(self, when: Callable[[], str | None]) -> PostgresRecorder:
        class LosingCursor(psycopg.Cursor):
            def execute(self, query: Any, *parameters, **options):
                fate = when() if "pg_advisory_xact_lock" in str(query) else None
                if fate == "full":
                    raise psycopg.errors.DiskFull
                if fate == "before":
                    self.connection.close()
                done = super().execute(query, *parameters, **options)
                if fate == "after":
                    self.connection.close()
                    raise psycopg.OperationalError("the connection is lost")
                return done

        class Losing(psycopg.Connection):
            def __init__(self, *arguments, **options) -> None:
                super().__init__(*arguments, **options)
                self.cursor_factory = LosingCursor

        when()  # there are tables already, so that the first commit is a caller's
        return self.open(factory=Losing)

    def execute(self, sql: str) -> None:
        """As the user who owns the tables."""
        with psycopg.connect(self.url, options="-c search_path=memoranda_log") as connection:
            connection.execute(sql)

    def opening_script(self) -> str:
        return (
            "import sys\n"
            "from commands.clock import SystemClock\n"
            "from commands.store_postgres import PostgresRecorder\n"
            "from tests.store.building import row, rows\n"
            "print('ready', flush=True)\n"
            "sys.stdin.readline()\n"
            f"log = PostgresRecorder({self.url!r}, SystemClock())\n"
        )

    def close(self) -> None:
        for log in self._opened:
            log.close()


def release(*processes: subprocess.Popen) -> None:
    """Let all of them go at once, when all are ready."""
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
