"""What the tests of the store are made of: a clock to set, rows, events, and adapters."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from commands.clock import MonotonicIds, SystemClock
from commands.log_store import LogStore
from commands.sealing import Sealed
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


class Adapter(Protocol):
    """One kind of store, as the contract suite needs it."""

    def open(self, clock: Clock | None = None) -> LogStore:
        """Open the store of this test; every call opens the same one."""
        ...

    def open_losing_connections(self, when: Callable[[], str | None]) -> LogStore:
        """The same, where commits end as told: None, or the connection dies `before` or `after`.

        `full` is a disk without room at the commit.
        """
        ...

    def execute(self, sql: str) -> None:
        """Run a statement of somebody who has the database's password."""
        ...

    def opening_script(self) -> str:
        """Python that says ready, waits for a line, and opens the store as `log`."""
        ...

    def close(self) -> None: ...


@dataclass
class SqliteAdapter:
    path: Path
    refusal: type[Exception] = sqlite3.IntegrityError
    _opened: list[SqliteRecorder] = field(default_factory=list)

    def open(self, clock: Clock | None = None, **options) -> SqliteRecorder:
        log = SqliteRecorder(self.path, clock or SystemClock(), **options)
        self._opened.append(log)
        return log

    def open_losing_connections(self, when: Callable[[], str | None]) -> SqliteRecorder:
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
