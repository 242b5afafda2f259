"""Connections that fail as drivers do, over real files."""

from __future__ import annotations

import functools
import sqlite3
from typing import Any, ClassVar

import pytest

import ops.storage
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
