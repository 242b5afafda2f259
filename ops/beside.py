"""The write side of a data folder alone, also while a server has the folder.

Appends of several processes take turns in the log; the server sees them within moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_sqlite import SqliteRecorder
from domain.events import REGISTRY
from domain.ports import Clock, LogReader
from ops.data_folder import DataFolder


@dataclass(frozen=True, slots=True)
class Beside:
    """What an operator's command writes and reads with."""

    folder: DataFolder
    clock: Clock
    keys: KeyStore
    store: SqliteRecorder
    engine: Engine
    log: LogReader


@contextmanager
def open_beside(data: Path) -> Iterator[Beside]:
    """Open a folder, in use or not; raises DataFolderError, or StoreError for its files."""
    with ExitStack() as opened:
        folder = DataFolder.open(data, alone=False)
        opened.callback(folder.close)
        clock = SystemClock()
        keys = KeyStore.open(folder.keys, folder.master_key, clock)
        opened.callback(keys.close)
        store = SqliteRecorder(folder.log, clock)
        opened.callback(store.close)
        sealer = Sealer(keys, REGISTRY)
        engine = Engine(
            store=store,
            sealer=sealer,
            keys=keys,
            clock=StrictClock(clock),
            new_id=MonotonicIds(clock).new,
            on_commit=lambda _commit: None,
        )
        engine.start()
        opened.callback(engine.close)
        yield Beside(folder, clock, keys, store, engine, StoreLogReader(store, sealer))
