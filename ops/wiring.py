"""Where everything is put together: the one composition root.

Its arguments are the seams that tests use: the clock, the dice, the data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine as ViewsEngine

from commands.api_keys import ApiKeys
from commands.clock import MonotonicIds, StrictClock, SystemClock
from commands.engine import Engine
from commands.erasure import Eraser
from commands.faults import told_in_words
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.service import CommandService
from commands.store_sqlite import SqliteRecorder
from domain import limits
from domain.canonical import Json, JsonObject
from domain.context import Context
from domain.contract import RecallInput, TraceInput
from domain.errors import MemorandaError, invalid
from domain.events import REGISTRY
from domain.ports import Clock, LogReader
from domain.requests import CONTRACT_VERSION, Request, parse_request
from ops.beside import open_beside
from ops.data_folder import DataFolder
from ops.erasing import DerivedInViews, ReadSideCleaner
from ops.parts import EngineRecallRecorder, OpenFor, WorkspaceLookup
from ops.read_models import open_read_models
from projections.catalogue import CATALOGUE
from read_api.memtables import Memtables
from read_api.queries import Queries
from read_api.recall import Recall
from read_api.trace import Trace
from read_api.warming import Warmer
from workers.runner import InProcessRunner


@dataclass(frozen=True, slots=True)
class Memoranda:
    """A running Memoranda: commands and questions in, answers out. Close it when done."""

    folder: DataFolder
    keys: ApiKeys
    log: LogReader
    read: Queries
    runner: InProcessRunner
    commands: CommandService
    recall: Recall
    trace: Trace
    memtables: Memtables
    warmer: Warmer
    _open: OpenFor
    _closing: ExitStack

    def execute(self, context: Context, value: Json) -> JsonObject:
        """One operation of the v1 contract: the parsed envelope in, the answer's body out.

        Raises MemorandaError (spec/operations.md §1).
        """
        request = parse_request(value)
        request.check(context)
        with self._open, told_in_words():
            match request.input:
                case RecallInput():
                    return _body("recall", self.recall.answer(context, request.input))
                case TraceInput():
                    return _body("trace", self.trace.answer(context, request.input))
                case _:
                    return _body(*self.commands.execute(context, request))

    def execute_many(
        self, context: Context, items: Sequence[Json], *, atomic: bool = False
    ) -> list[JsonObject]:
        """Up to 500 mutations in one transaction, each with its own verdict, in order."""
        return self.execute_each([(context, item) for item in items], atomic=atomic)

    def execute_each(
        self, items: Sequence[tuple[Context, Json]], *, atomic: bool = False
    ) -> list[JsonObject]:
        """`execute_many`, with a context for each item (imports name a time for each)."""
        if not 1 <= len(items) <= limits.BATCH_MAX:
            raise invalid(f"items must hold 1 to {limits.BATCH_MAX} mutations", field="items")
        parsed = [_checked(context, value) for context, value in items]
        refused = [at for at, one in enumerate(parsed) if isinstance(one, MemorandaError)]
        if atomic and refused:
            return [_atomic_refusal(one, refused[0]) for one in parsed]
        good = [
            (context, one)
            for (context, _), one in zip(items, parsed, strict=True)
            if isinstance(one, Request)
        ]
        with self._open, told_in_words():
            answers = iter(self.commands.execute_many(good, atomic=atomic) if good else [])
        return [
            _refusal(one) if isinstance(one, MemorandaError) else _verdict(next(answers))
            for one in parsed
        ]

    def close(self) -> None:
        """Answer everybody who has asked, then stop following, then close the files."""
        self._open.close()
        self._closing.close()


def _checked(context: Context, value: Json) -> Request | MemorandaError:
    try:
        request = parse_request(value)
        request.check(context)
    except MemorandaError as refusal:
        return refusal
    if isinstance(request.input, (RecallInput, TraceInput)):
        return invalid("a batch takes mutations: ask recall and trace alone", field="operation")
    return request


def _body(tag: str, result: JsonObject) -> JsonObject:
    return {
        "contract_version": CONTRACT_VERSION,
        "result": {"operation": tag, "result": result},
    }


def _verdict(answer: tuple[str, JsonObject] | MemorandaError) -> JsonObject:
    return _refusal(answer) if isinstance(answer, MemorandaError) else _body(*answer)


def _refusal(error: MemorandaError) -> JsonObject:
    return {"ok": False, "error": error.as_wire()}


def _atomic_refusal(one: Request | MemorandaError, culprit: int) -> JsonObject:
    if isinstance(one, MemorandaError):
        return _refusal(one)
    name = f"items.{culprit}"
    return _refusal(invalid(f"{name} was refused, and the batch is atomic", field=name))


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
    engine = _engine(files, sealer, ids, runner.wake)
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
        _open=OpenFor(),
        _closing=opened.pop_all(),
    )


def _engine(
    files: _Files, sealer: Sealer, ids: MonotonicIds, on_commit: Callable[[int], None]
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
