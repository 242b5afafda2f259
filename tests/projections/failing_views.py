"""Databases of read models whose connections fail as drivers do, at any one change they make."""

from __future__ import annotations

import functools
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import Engine, event

When = Literal["before", "after"]
Done = TypeVar("Done")
_CHANGES: Final = frozenset({"BEGIN", "INSERT", "UPDATE", "DELETE", "COMMIT"})
_POINTS: Final = {"before": _CHANGES, "after": frozenset({"COMMIT"})}


@dataclass
class Fault:
    """Fails once, at the n-th point.

    `before`: nothing of it was done; each BEGIN, each change and each COMMIT is a point. `after`:
    it was done, and nobody is told; that makes a difference for a COMMIT alone.
    """

    point: int
    when: When
    met: Counter[str] = field(default_factory=Counter)
    """How many points there were, by what was told."""

    @property
    def came(self) -> bool:
        return self.met.total() > self.point

    def meet(self, said: str, do: Callable[[], Done], fail: Callable[[], Exception]) -> Done:
        word = said.split(maxsplit=1)[0]
        if word not in _POINTS[self.when]:
            return do()
        here = self.met.total() == self.point
        self.met[word] += 1
        if here and self.when == "before":
            raise fail()
        done = do()
        if here:
            raise fail()
        return done


class _Cursor(sqlite3.Cursor):
    connection: _Connection

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return self.connection.meet(sql, functools.partial(super().execute, sql, *args))

    def executemany(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return self.connection.meet(sql, functools.partial(super().executemany, sql, *args))


class _Connection(sqlite3.Connection):
    fault: Fault

    def meet(self, said: str, do: Callable[[], Done]) -> Done:
        return self.fault.meet(said, do, lambda: sqlite3.OperationalError("disk I/O error"))

    def cursor(self, *_: Any) -> sqlite3.Cursor:
        return super().cursor(_Cursor)

    def commit(self) -> None:
        self.meet("COMMIT", super().commit)


class _PostgresCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, *args: Any, **said: Any) -> Any:
        return self.connection.meet(
            str(query), functools.partial(super().execute, query, *args, **said)
        )

    def executemany(self, query: Any, *args: Any, **said: Any) -> None:
        self.connection.meet(
            str(query), functools.partial(super().executemany, query, *args, **said)
        )


class _PostgresConnection(psycopg.Connection[Any]):
    fault: Fault | None = None

    def meet(self, said: str, do: Callable[[], Done]) -> Done:
        if self.fault is None:  # it is being opened
            return do()
        if self.info.transaction_status == TransactionStatus.IDLE:
            said = "BEGIN"
        return self.fault.meet(said, do, self._lost)

    def _lost(self) -> Exception:
        self.close()
        return psycopg.OperationalError("the server closed the connection unexpectedly")

    def commit(self) -> None:
        self.meet("COMMIT", super().commit)


@contextmanager
def failing(engine: Engine, fault: Fault) -> Iterator[None]:
    """All connections of an engine meet the fault, for the time of a block.

    `engine` is one that was created, none of its `execution_options`.
    """

    def connect(dialect: Any, _: Any, args: Any, said: Any) -> Any:
        if dialect.name == "sqlite":
            opened: Any = sqlite3.connect(*args, **{**said, "factory": _Connection})
        else:
            opened = _PostgresConnection.connect(
                *args, **{**said, "cursor_factory": _PostgresCursor}
            )
        opened.fault = fault
        return opened

    engine.dispose()
    event.listen(engine, "do_connect", connect)
    try:
        yield
    finally:
        event.remove(engine, "do_connect", connect)
        engine.dispose()
