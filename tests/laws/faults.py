"""Connections that fail as drivers do, over real files and a real server."""

from __future__ import annotations

import functools
import sqlite3
from typing import Any, ClassVar

import psycopg
import pytest

import ops.server_site
import ops.storage
from commands.store_postgres import PostgresRecorder
from commands.store_sqlite import SqliteRecorder


class FaultyConnection(sqlite3.Connection):
    """A writer whose next commits fail: `before` they happened, or `after`."""

    planned: ClassVar[list[str]] = []
    made: ClassVar[list[FaultyConnection]] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.made.append(self)

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if sql == "COMMIT" and self.planned:
            fault = self.planned.pop(0)
            if fault == "after":
                super().execute(sql)
            if fault != "well":
                raise sqlite3.OperationalError("the server closed the connection")
        if sql.startswith("BEGIN") and self.planned[:1] == ["begin"]:
            self.planned.pop(0)
            raise sqlite3.OperationalError("disk I/O error")
        return super().execute(sql, *args)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> type[FaultyConnection]:
    """Stores opened from here on write through such a connection."""
    faulty = functools.partial(SqliteRecorder, factory=FaultyConnection)
    monkeypatch.setattr(ops.storage, "SqliteRecorder", faulty)
    FaultyConnection.planned.clear()
    FaultyConnection.made.clear()
    return FaultyConnection


class LosingCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, *args: Any, **options: Any) -> Any:
        planned = LosingConnection.planned
        fate = planned.pop(0) if planned and "pg_advisory_xact_lock" in str(query) else "well"
        if fate == "before":
            self.connection.close()
        done = super().execute(query, *args, **options)
        if fate == "after":
            self.connection.close()
            raise psycopg.OperationalError("the server closed the connection")
        return done


class LosingConnection(psycopg.Connection[Any]):
    """A writer that loses its connection `before` its next appends happened, or `after`."""

    planned: ClassVar[list[str]] = []

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.cursor_factory = LosingCursor


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> type[LosingConnection]:
    """The same for stores of a database."""
    losing = functools.partial(PostgresRecorder, factory=LosingConnection)
    monkeypatch.setattr(ops.server_site, "PostgresRecorder", losing)
    LosingConnection.planned.clear()
    return LosingConnection
