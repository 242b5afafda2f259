"""Where everything is put together: the one composition root.

Its arguments are the seams that tests use: the clock, the dice, the data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine as ViewsEngine

from commands.api_keys import ApiKeys
from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.erasure import Eraser
from commands.jobs import Commit
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.service import CommandService
from commands.store_sqlite import SqliteRecorder
from domain.events import REGISTRY
from domain.ports import Clock
from ops.beside import open_beside
from ops.data_folder import DataFolder
from ops.erasing import DerivedInViews, ReadSideCleaner
from ops.memoranda import Memoranda
from ops.metrics import Metrics
from ops.parts import EngineRecallRecorder, OpenFor, WorkspaceLookup, standing
from ops.read_models import open_read_models
from projections.catalogue import CATALOGUE
from read_api.memtables import Memtables
from read_api.queries import Queries
from read_api.recall import Recall
from read_api.trace import Trace
from read_api.warming import Warmer
from workers.runner import InProcessRunner


def open_memoranda(data: Path, clock: Clock | None = None) -> Memoranda:
    """Open the store of a data folder, creating it at the first use, and start to follow it.

    Raises DataFolderError, or StoreError for files that cannot be used; nothing stays open then.
    """
    with ExitStack() as opened:
        folder = DataFolder.open(data)
        opened.callback(folder.close)
        system = clock or SystemClock()
        keys = KeyStore.open(folder.keys, folder.master_key, system)
        opened.callback(keys.close)
        store = SqliteRecorder(folder.log, system)
        opened.callback(store.close)
        views = open_read_models(folder.views, StoreLogReader(store, Sealer(keys, REGISTRY)))
        opened.callback(views.dispose)
        return _assembled(_Files(folder, system, keys, store, views), opened)


@dataclass(frozen=True, slots=True)
class _Files:
    """The opened files of a data folder, and the clock."""

    folder: DataFolder
    system: Clock
    keys: KeyStore
    store: SqliteRecorder
    views: ViewsEngine


def _assembled(files: _Files, opened: ExitStack) -> Memoranda:
    """Everything over the opened files; the engine and the runner are at work when it returns."""
    folder, system, keys, store, views = (
        files.folder, files.system, files.keys, files.store, files.views
    )  # fmt: skip
    sealer = Sealer(keys, REGISTRY)
    log = StoreLogReader(store, sealer)
    ids = MonotonicIds(system)
    secrets = WorkspaceLookup(keys)
    runner = InProcessRunner(log, views, CATALOGUE)
    metrics = Metrics()

    def committed(commit: Commit) -> None:
        metrics.appended(commit.events)
        runner.wake(commit.position)

    engine = _engine(files, sealer, ids, committed)
    metrics.follow(lambda: standing(log, runner, engine))
    memtables = Memtables(log)
    recall = Recall(
        log=log,
        views=views,
        memtables=memtables,
        wait_for=runner.wait_for,
        recorder=EngineRecallRecorder(engine),
        secrets=secrets.page_tokens,
        new_id=ids.new,
        clock=system,
    )
    cleaner = ReadSideCleaner(views, folder.views, runner, memtables, recall.underway)
    eraser = Eraser(store=store, keys=keys, engine=engine, log=log, read_side=cleaner)
    warmer = Warmer(memtables, views, log.head)
    queries = Queries(
        log=log, views=views, rows=store, wait_for=runner.wait_for, secrets=secrets.page_tokens
    )
    for start, stop in (
        (runner.start, runner.stop),
        (engine.start, engine.close),
        (eraser.resume, eraser.stop),
        (warmer.start, warmer.stop),
    ):
        start()
        opened.callback(stop)
    return Memoranda(
        folder=folder,
        keys=ApiKeys(store=store, engine=engine, keys=keys, clock=system),
        log=log,
        read=queries,
        runner=runner,
        commands=CommandService(engine, keys, log, eraser, system, DerivedInViews(views, runner)),
        recall=recall,
        trace=Trace(log, secrets.receipt_stream),
        memtables=memtables,
        warmer=warmer,
        metrics=metrics,
        _open=OpenFor(),
        _closing=opened.pop_all(),
    )


def _engine(
    files: _Files, sealer: Sealer, ids: MonotonicIds, on_commit: Callable[[Commit], None]
) -> Engine:
    return Engine(
        store=files.store,
        sealer=sealer,
        keys=files.keys,
        clock=StrictClock(files.system),
        new_id=ids.new,
        on_commit=on_commit,
    )


@contextmanager
def open_api_keys(data: Path) -> Iterator[ApiKeys]:
    """The API keys of a folder, also while a server has it: it sees a change within 5 seconds.

    Appends of several processes take turns in the log; the read models are not touched.
    """
    with open_beside(data) as beside:
        yield ApiKeys(
            store=beside.store, engine=beside.engine, keys=beside.keys, clock=beside.clock
        )
