"""What a Memoranda stands on: keys, log, read models and who follows, opened for either mode."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import Engine as ViewsEngine

from commands.clock import SystemClock
from commands.erasure_steps import ReadSide
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_postgres import PostgresRecorder
from commands.store_sqlite import SqliteRecorder
from domain.events import REGISTRY
from domain.ports import Clock
from ops.data_folder import DataFolder
from ops.erasing import ReadSideCleaner
from ops.erasing_postgres import PostgresReadSideCleaner
from ops.read_models import open_read_models
from ops.recall_index import RecallIndex, open_beside, over
from ops.server_site import open_database
from ops.settings import ServerMode
from projections.catalogue import CATALOGUE
from projections.index_store import IndexStore
from projections.views_postgres import open_reader
from read_api.memtables import Memtables
from read_api.underway import Underway
from workers.doorbell import Doorbell, open_redis
from workers.following import Following
from workers.index_keeper import IndexKeeper
from workers.runner import InProcessRunner
from workers.waiting import WorkersElsewhere

Recorder: TypeAlias = PostgresRecorder | SqliteRecorder


@dataclass(frozen=True, slots=True)
class Storage:
    """Opened files or connections. `views` is for questions, `cleaner` makes what erasures ask.

    `keeper` are the threads that keep the index on disk, where this process does.
    """

    folder: DataFolder
    clock: Clock
    keys: KeyStore
    store: Recorder
    sealer: Sealer
    log: StoreLogReader
    views: ViewsEngine
    following: Following
    index: RecallIndex
    keeper: IndexKeeper | None
    cleaner: Callable[[Memtables, Underway], ReadSide]
    doorbell: Doorbell | None = None
    """Of the server mode."""


def open_folder(
    data: Path, clock: Clock | None, opened: ExitStack, index_root: Path | None = None
) -> Storage:
    """The embedded mode: everything in one folder, which is made at the first use.

    `index_root` is where the recall index is, if not in that folder. Raises DataFolderError, or
    StoreError for files that cannot be used. `opened` closes it.
    """
    folder = DataFolder.open(data)
    opened.callback(folder.close)
    system = clock or SystemClock()
    keys = KeyStore.open(folder.keys, folder.master_key, system)
    opened.callback(keys.close)
    store = SqliteRecorder(folder.log, system)
    opened.callback(store.close)
    sealer = Sealer(keys, REGISTRY)
    log = StoreLogReader(store, sealer)
    views = open_read_models(folder.views, log)
    opened.callback(views.dispose)
    runner = InProcessRunner(log, views, CATALOGUE)

    index = open_beside(folder, index_root, log, store.grown, system, opened)
    keeper = None if index.rounds is None else IndexKeeper(index.rounds)

    def cleaner(memtables: Memtables, underway: Underway) -> ReadSide:
        return ReadSideCleaner(views, folder.views, runner, index, memtables, underway)

    return Storage(folder, system, keys, store, sealer, log, views, runner, index, keeper, cleaner)


def open_shared(
    mode: ServerMode,
    data: Path | None,
    clock: Clock | None,
    opened: ExitStack,
    index_root: Path | None = None,
) -> Storage:
    """The server mode: PostgreSQL, and Redis as the doorbell of workers elsewhere.

    The folder holds what this machine alone needs, the ledgers of imports; other processes may
    have it too. Without one nothing can be imported. Raises what `open_database` raises. `opened`
    closes it.
    """
    system = clock or SystemClock()
    base = open_database(mode, system, opened)
    folder = DataFolder.beside_database(data, mode.master_key)
    opened.callback(folder.close)
    views = open_reader(mode.database_url)
    opened.callback(views.dispose)
    doorbell = Doorbell(open_redis(mode.redis_url))
    opened.callback(doorbell.close)
    following = WorkersElsewhere.over(base.site(), doorbell)

    index = over(IndexStore(base.views), index_root, base.log, base.store.grown, system)

    def cleaner(memtables: Memtables, underway: Underway) -> ReadSide:
        return PostgresReadSideCleaner(base.views, following, index, memtables, underway)

    return Storage(
        folder,
        system,
        base.keys,
        base.store,
        base.sealer,
        base.log,
        views,
        following,
        index,
        None,
        cleaner,
        doorbell,
    )
