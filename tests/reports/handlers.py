"""Several long-lived writers over one data folder, each with a cache of its own.

The embedded mode has one process and one of these; the log must not depend on that.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.erasure import Eraser
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.service import CommandService
from commands.store_sqlite import SqliteRecorder
from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.errors import MemorandaError
from domain.events import REGISTRY
from domain.instants import Micros
from domain.ports import Clock
from domain.requests import parse_request
from ops.data_folder import DataFolder


class GatedClock:
    """A clock that lets its reader wait once: a decision that has read, and not yet written."""

    def __init__(self) -> None:
        self.gate: threading.Barrier | None = None

    def now_us(self) -> Micros:
        gate, self.gate = self.gate, None
        if gate is not None:
            gate.wait(timeout=30)
        return SystemClock().now_us()


@contextmanager
def handler(folder: DataFolder, decides_by: Clock | None = None) -> Iterator[CommandService]:
    """One more writer of the folder's log."""
    clock = SystemClock()
    with ExitStack() as opened:
        keys = KeyStore.open(folder.keys, folder.master_key, clock)
        opened.callback(keys.close)
        store = SqliteRecorder(folder.log, clock)
        opened.callback(store.close)
        sealer = Sealer(keys, REGISTRY)
        log = StoreLogReader(store, sealer)
        engine = Engine(
            store=store,
            sealer=sealer,
            keys=keys,
            clock=StrictClock(decides_by or clock),
            new_id=MonotonicIds(clock).new,
            on_commit=lambda _position: None,
        )
        engine.start()
        opened.callback(engine.close)
        eraser = Eraser(store=store, keys=keys, engine=engine, log=log)
        yield CommandService(engine, keys, log, eraser, clock)


def told(service: CommandService, who: Context, body: Json) -> JsonObject:
    """The result, or `{"error": …}` as it is told."""
    try:
        request = parse_request(body)
        request.check(who)
        return service.execute(who, request)[1]
    except MemorandaError as refusal:
        return {"error": refusal.as_wire()}
