"""The write side of a store alone, also while servers have it.

Appends of several processes take turns in the log; the servers see them within moments.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.log_store import LogStore
from commands.sealing import Sealer
from commands.store_postgres import PostgresRecorder
from commands.store_sqlite import SqliteRecorder
from domain.events import REGISTRY
from domain.ports import Clock, LogReader
from ops.data_folder import DataFolder
from ops.migrating import check_schema
from ops.settings import ServerMode


@dataclass(frozen=True, slots=True)
class Beside:
    """What an operator's command writes and reads with; `views` is for `open_views`."""

    clock: Clock
    keys: KeyStore
    store: LogStore
    engine: Engine
    log: LogReader
    sealer: Sealer
    views: Path | str


@contextmanager
def open_beside(where: Path | ServerMode) -> Iterator[Beside]:
    """Open a data folder or a database, in use or not.

    Raises DataFolderError, or StoreError for what is in it.
    """
    clock = SystemClock()
    with ExitStack() as opened:
        if isinstance(where, ServerMode):
            yield _in_database(where, clock, opened)
        else:
            yield _in_folder(where, clock, opened)


def _in_folder(data: Path, clock: Clock, opened: ExitStack) -> Beside:
    folder = DataFolder.open(data, alone=False)
    opened.callback(folder.close)
    keys = KeyStore.open(folder.keys, folder.master_key, clock)
    opened.callback(keys.close)
    store = SqliteRecorder(folder.log, clock)
    opened.callback(store.close)
    return _over(store, keys, clock, folder.views, opened)


def _in_database(mode: ServerMode, clock: Clock, opened: ExitStack) -> Beside:
    check_schema(mode.database_url)
    keys = KeyStore.over(PostgresKeyRows(mode.database_url), mode.master_key, clock)
    opened.callback(keys.close)
    store = PostgresRecorder(mode.database_url, clock)
    opened.callback(store.close)
    return _over(store, keys, clock, mode.database_url, opened)


def _over(
    store: LogStore, keys: KeyStore, clock: Clock, views: Path | str, opened: ExitStack
) -> Beside:
    sealer = Sealer(keys, REGISTRY)
    engine = Engine(
        store=store,
        sealer=sealer,
        keys=keys,
        clock=StrictClock(clock),
        new_id=MonotonicIds(clock).new,
        on_commit=lambda _position: None,
    )
    engine.start()
    opened.callback(engine.close)
    return Beside(clock, keys, store, engine, StoreLogReader(store, sealer), sealer, views)
