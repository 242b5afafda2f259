"""The write side alone, over a store that the test chooses, and callers of a whole Memoranda."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.erasure import Eraser
from commands.jobs import Group
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.service import CommandService
from commands.store_sqlite import SqliteRecorder
from domain.context import Context
from domain.errors import MemorandaError
from domain.events import REGISTRY
from domain.references import event_refs
from domain.requests import parse_request
from ops.wiring import Memoranda
from tests.circumstances import context
from tests.inputs import envelope

MASTER_KEY = bytes(range(32))


@dataclass
class Caller:
    """Sends operations in one context, each under a key of its own unless one is given."""

    memoranda: Memoranda
    who: Context = field(default_factory=context)
    numbers: Any = field(default_factory=itertools.count)

    def body(self, operation: str, *, key: str | None = None, **changes: Any) -> Any:
        named = f"{self.who.actor}-{next(self.numbers)}" if key is None else key
        return envelope(operation, envelope_changes={"idempotency_key": named}, **changes)

    def send(self, operation: str, *, key: str | None = None, **changes: Any) -> Any:
        """The result of an operation that succeeds."""
        answer = self.memoranda.execute(self.who, self.body(operation, key=key, **changes))
        return answer["result"]["result"]

    def refused(self, operation: str, **changes: Any) -> Any:
        """The error of an operation that does not, as it is told."""
        try:
            self.send(operation, **changes)
        except MemorandaError as refusal:
            return refusal.as_wire()
        raise AssertionError("it was not refused")

    def together(self, *bodies: Any) -> list[Any]:
        """The results of a batch whose items all succeed."""
        answers = self.memoranda.execute_many(self.who, bodies)
        return [answer["result"]["result"] for answer in answers]

    def remember(self, **changes: Any) -> str:
        return self.send("remember", **changes)["record"]["id"]


class WriteSide:
    """One process's engine over a log and a key store that others may have open, too.

    Its engine has no thread: who submits does the work.
    """

    def __init__(self, store: SqliteRecorder, keys: KeyStore) -> None:
        sealer = Sealer(keys, REGISTRY)
        clock = SystemClock()
        self.log = StoreLogReader(store, sealer)
        self.engine = Engine(
            store=store,
            sealer=sealer,
            keys=keys,
            clock=StrictClock(clock),
            new_id=MonotonicIds(clock).new,
            on_commit=lambda _: None,
        )
        eraser = Eraser(store=store, keys=keys, engine=self.engine, log=self.log)
        self.service = CommandService(self.engine, keys, self.log, eraser, clock)

    def send(self, body: Any, who: Context | None = None) -> Any:
        """The result of a command; raises its refusal."""
        _, result = self.service.execute(who or context(), parse_request(body))
        return result

    def group(self, *bodies: Any, atomic: bool = False) -> Group:
        """Commands of one caller, as the engine gets them."""
        jobs = [self.service._job(context(), parse_request(body)) for body in bodies]
        return Group(jobs, atomic)


class LosingConnection(sqlite3.Connection):
    """A writer that loses its connection at a commit, when it is told to.

    `before`: nothing was committed; then `meanwhile` happens. `after`: all of it was.
    """

    fate: str | None = None
    meanwhile: Callable[[], object] = staticmethod(lambda: None)
    commits: list[int]

    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        fate = LosingConnection.fate if sql == "COMMIT" else None
        if fate is None:
            return super().execute(sql, *parameters)
        LosingConnection.fate = None
        if fate == "after":
            super().execute(sql, *parameters)
        self.close()
        LosingConnection.meanwhile()
        raise sqlite3.OperationalError("the connection is gone")


def references_of(path: Path) -> set[tuple[str, str, str, str, int]]:
    """All rows of the reference table."""
    with closing(sqlite3.connect(path)) as connection:
        return set(
            connection.execute("SELECT workspace, kind, ref, stream, position FROM event_ref")
        )


def expected_references(log: StoreLogReader) -> set[tuple[str, str, str, str, int]]:
    """What the events of the log refer to."""
    return {
        (event.context.workspace, kind, ref, event.stream, event.position)
        for event in log.after(0, 10**6)
        for kind, ref in event_refs(event)
    }
