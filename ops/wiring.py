"""Where everything is put together: the one composition root.

Its arguments are the seams that tests use: the clock, the dice, the data folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from commands.api_keys import ApiKeys
from commands.assessing import Assessor
from commands.clock import MonotonicIds, StrictClock
from commands.deriving import Deriver
from commands.engine import Engine
from commands.erasure import Eraser
from commands.extracting import Extracting
from commands.jobs import Commit
from commands.proposals import ProposalBook
from commands.receipted import Receipted
from commands.service import CommandService
from commands.validation_policies import PolicyBook
from commands.windows import Windows
from commands.workspace_settings import SettingsBook
from domain.ports import Clock
from ops.beside import open_beside
from ops.erasing import DerivedInViews
from ops.extraction.model_settings import model_of
from ops.extraction.places import Extraction, Place, by_workers, in_process, waiting_on
from ops.memoranda import Memoranda
from ops.metrics import Metrics
from ops.parts import EngineRecallRecorder, OpenFor, WorkspaceLookup, standing
from ops.settings import ServerMode, Settings, server_mode
from ops.storage import Storage, open_folder, open_shared
from read_api.assessment_replay import Assessments
from read_api.claims import Claims
from read_api.memtables import Memtables
from read_api.queries import Queries
from read_api.reassessing import Reassessing
from read_api.recall import Recall
from read_api.replay import Replay
from read_api.rereading import Rereading
from read_api.similar_memories import SimilarInIndex
from read_api.trace import Trace
from read_api.warming import Warmer
from read_api.why_not import WhyNot
from read_api.window_replay import WindowReplay


def open_memoranda(
    data: Path,
    clock: Clock | None = None,
    index_root: Path | None = None,
    extraction: Extraction | None = None,
) -> Memoranda:
    """Open the store of a data folder, creating it at the first use, and start to follow it.

    `index_root` is where the recall index is, if not in that folder; `extraction` is who proposes
    on windows without proposals. Raises DataFolderError, or StoreError for files that cannot be
    used; nothing stays open then.
    """
    with ExitStack() as opened:
        return _assembled(open_folder(data, clock, opened, index_root), opened, extraction)


def open_server(
    mode: ServerMode,
    data: Path | None,
    clock: Clock | None = None,
    index_root: Path | None = None,
    extraction: Extraction | None = None,
) -> Memoranda:
    """Open the store of a database, which any number of processes may have open.

    `data` is the folder for the ledgers of imports; None for a process that imports nothing.
    `index_root` is the folder of the recall index, which workers have too; None for none. Raises
    DataFolderError, or StoreError for a database that cannot be used; nothing stays open then.
    """
    with ExitStack() as opened:
        return _assembled(open_shared(mode, data, clock, opened, index_root), opened, extraction)


def open_settings(settings: Settings) -> Memoranda:
    """The store that the settings name: a database where they do, else the data folder."""
    mode, model, index = server_mode(settings), model_of(settings), settings.index_dir
    if mode is None:
        return open_memoranda(settings.data, index_root=index, extraction=in_process(model))
    return open_server(mode, settings.data, index_root=index, extraction=by_workers(model))


def _assembled(on: Storage, opened: ExitStack, extraction: Extraction | None) -> Memoranda:
    """Everything over what was opened; engine and followers are at work when it returns."""
    ids = MonotonicIds(on.clock)
    secrets = WorkspaceLookup(on.keys)
    metrics = Metrics()

    def committed(commit: Commit) -> None:
        metrics.appended(commit.events)
        if commit.changes:
            on.following.wake(commit.position)

    engine = _engine(on, ids, committed)
    metrics.follow(lambda: standing(on.log, on.following, engine))
    settings = SettingsBook(engine, on.keys, on.log)
    policies = PolicyBook(engine, on.keys, on.log)
    claims = _claims(on, secrets, settings, policies)
    receipted = Receipted(engine, on.keys, on.log, settings.trusted)
    assessments = Assessments(on.log, policies.at, settings.trusted)
    memtables = Memtables(on.log, segments=on.index.source())
    rereading = _rereading(on, secrets, memtables, settings)
    recall = _recall(on, secrets, memtables, engine, ids, policies)
    cleaner = on.cleaner(memtables, recall.underway)
    eraser = Eraser(store=on.store, keys=on.keys, engine=engine, log=on.log, read_side=cleaner)
    warmer = Warmer(memtables, on.views, on.log.head)
    derived = DerivedInViews(on.views, on.following)
    place = None if extraction is None else extraction.place_over(on)
    windows = _windows(on, engine, memtables, settings, place)
    _started(
        opened,
        (on.following.start, on.following.stop),
        (engine.start, engine.close),
        (eraser.resume, eraser.stop),
        (warmer.start, warmer.stop),
        *([] if on.keeper is None else [(on.keeper.start, on.keeper.stop)]),
    )
    extracting: Extracting | None = None
    if extraction is not None and place is not None:
        extracting = Extracting(windows, extraction.extractor(place))
        place.start(extracting.extract, waiting_on(on))
        opened.callback(place.stop)
    return Memoranda(
        folder=on.folder,
        keys=ApiKeys(store=on.store, engine=engine, keys=on.keys, clock=on.clock),
        settings=settings,
        policies=policies,
        rejections=ProposalBook(engine, on.keys),
        windows=windows,
        extracting=extracting,
        window_replay=WindowReplay(on.log, secrets.ids, settings.trusted),
        log=on.log,
        read=_queries(on, secrets, settings),
        claims=claims,
        assessor=Assessor(receipted, claims, policies),
        deriver=Deriver(receipted, policies, assessments),
        assessments=assessments,
        reassessing=Reassessing(claims, on.log),
        why_not=WhyNot(rereading),
        replay=Replay(rereading),
        runner=on.following,
        commands=CommandService(engine, on.keys, on.log, eraser, on.clock, derived),
        recall=recall,
        trace=Trace(on.log, secrets.receipt_stream),
        memtables=memtables,
        index=on.index,
        warmer=warmer,
        metrics=metrics,
        _open=OpenFor(),
        _closing=opened.pop_all(),
    )


def _started(opened: ExitStack, *parts: tuple[Callable[[], object], Callable[[], object]]) -> None:
    """Start parts in their order; they are stopped in the opposite one."""
    for start, stop in parts:
        start()
        opened.callback(stop)


def _recall(
    on: Storage,
    secrets: WorkspaceLookup,
    memtables: Memtables,
    engine: Engine,
    ids: MonotonicIds,
    policies: PolicyBook,
) -> Recall:
    return Recall(
        log=on.log,
        views=on.views,
        memtables=memtables,
        wait_for=on.following.wait_for,
        recorder=EngineRecallRecorder(engine),
        secrets=secrets,
        new_id=ids.new,
        clock=on.clock,
        policies=policies.at,
    )


def _windows(
    on: Storage,
    engine: Engine,
    memtables: Memtables,
    settings: SettingsBook,
    place: Place | None,
) -> Windows:
    return Windows(
        engine,
        on.keys,
        on.log,
        on.clock,
        SimilarInIndex(memtables, on.log, on.clock),
        settings.trusted,
        None if place is None else place.wake,
    )


def _rereading(
    on: Storage, secrets: WorkspaceLookup, memtables: Memtables, settings: SettingsBook
) -> Rereading:
    return Rereading(
        log=on.log,
        views=on.views,
        memtables=memtables,
        wait_for=on.following.wait_for,
        slot_ref=secrets.slot_ref,
        clock=on.clock,
        trusted=settings.trusted,
    )


def _queries(on: Storage, secrets: WorkspaceLookup, settings: SettingsBook) -> Queries:
    return Queries(
        log=on.log,
        views=on.views,
        rows=on.store,
        wait_for=on.following.wait_for,
        seen=on.following.seen,
        secrets=secrets,
        clock=on.clock,
        trusted=settings.trusted,
    )


def _claims(
    on: Storage, secrets: WorkspaceLookup, settings: SettingsBook, policies: PolicyBook
) -> Claims:
    return Claims(
        views=on.views,
        log=on.log,
        clock=on.clock,
        secrets=secrets,
        policies=policies.at,
        seen=on.following.seen,
        wait_for=on.following.wait_for,
        trusted=settings.trusted,
    )


def _engine(on: Storage, ids: MonotonicIds, on_commit: Callable[[Commit], None]) -> Engine:
    return Engine(
        store=on.store,
        sealer=on.sealer,
        keys=on.keys,
        clock=StrictClock(on.clock),
        new_id=ids.new,
        on_commit=on_commit,
    )


@contextmanager
def open_api_keys(where: Path | ServerMode) -> Iterator[ApiKeys]:
    """The API keys of a store, also while servers have it: they see a change within 5 seconds.

    Appends of several processes take turns in the log; the read models are not touched.
    """
    with open_beside(where) as beside:
        yield ApiKeys(
            store=beside.store, engine=beside.engine, keys=beside.keys, clock=beside.clock
        )
