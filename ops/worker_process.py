"""One worker: a process that does jobs one after another, until it is told to stop.

`python -m ops.worker_process [--burst] QUEUE…` is started by `memoranda worker`, which starts
another one where it dies. It ends when its standard input does: then its supervisor is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import UnixSignalDeathPenalty

from commands.clock import SystemClock
from commands.store_errors import StoreFormatError, WrongMasterKeyError
from domain.ports import UnavailableError
from ops.collector import calm_collector
from ops.extraction.chat import Model
from ops.extraction.model_settings import model_of
from ops.logs import start_logging
from ops.recall_index import over
from ops.server_site import open_site
from ops.settings import ServerMode, SettingsError, load_settings, server_mode
from ops.supervisor import BURST, REFUSED
from ops.worker_extraction import extracting, queues_for, waking
from projections.catalogue import CATALOGUE, Projection
from projections.index_store import IndexStore
from workers import jobs
from workers.doorbell import Doorbell, Rung, open_redis, queue_of
from workers.index_keeper import TIDY_SECONDS
from workers.index_rounds import IndexRounds
from workers.site import Site
from workers.sweeper import Periodic, Sweeper

ENDED: Final = 75
"""Exit status (EX_TEMPFAIL) where it ended without being told to: Redis was lost."""
_REFUSALS: Final = (SettingsError, StoreFormatError, WrongMasterKeyError)
WORKER_SECONDS: Final = 30
MAINTENANCE_SECONDS: Final = 15
RECONNECT_SECONDS_MAX: Final = 2.0
CONNECT_SECONDS: Final = 2.0
INDEX_SECONDS: Final = 1.0


class OverdueError(UnavailableError):
    """A job took longer than `JOB_SECONDS_MAX`: the database hangs. No event is to blame."""


class _DeathPenalty(UnixSignalDeathPenalty):
    """Ends what takes too long with an error that no event is blamed for."""

    def handle_death_penalty(self, signum: int, frame: object) -> None:
        """Called by the alarm, wherever the job is."""
        raise OverdueError("the job took too long")


class Worker(SimpleWorker):
    """Does jobs in this process, so that its connections stay open. SIGTERM: after this batch."""

    death_penalty_class = _DeathPenalty
    max_connection_wait_time = RECONNECT_SECONDS_MAX

    def __init__(self, queues: Sequence[str], redis: Redis, on_stop: Callable[[], None]) -> None:
        super().__init__(
            [queue_of(redis, name) for name in queues],
            connection=redis,
            serializer=JSONSerializer,
            worker_ttl=WORKER_SECONDS,
            maintenance_interval=MAINTENANCE_SECONDS,
            log_job_description=False,
        )
        self._on_stop = on_stop
        self._busy = False

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Do it, and remember that it is being done."""
        self._busy = True
        try:
            super().execute_job(job, queue)
        finally:
            self._busy = False

    def handle_exception(self, job: Job, *exc_info: object) -> None:
        """Nothing more: the job has told of it, in a word for each failure and not in a page."""

    def handle_warm_shutdown_request(self) -> None:
        """The job at hand ends after its batch."""
        self._on_stop()

    def _shutdown(self) -> None:
        # RQ asks Redis whether this worker is busy, and would go on for ever without an answer.
        if not self._busy:
            raise StopRequested
        self._stop_requested = True


def run(
    mode: ServerMode,
    queues: Sequence[str],
    *,
    burst: bool,
    say: Callable[[str], None],
    catalogue: Sequence[Projection] = CATALOGUE,
    index_root: Path | None = None,
    model: Model | None = None,
) -> int:
    """Work until SIGTERM, or until the queues are empty; the exit status."""
    stopping = threading.Event()
    asking = extracting(mode, model, queues, index_root, stopping)
    with open_site(mode, catalogue) as site, asking as extract:
        doorbell = Doorbell(open_redis(mode.redis_url))
        index = _index(site, index_root)
        jobs.serve(jobs.Bench(site, doorbell, stopping.is_set, index=index, extract=extract))
        redis = Redis.from_url(mode.redis_url, socket_connect_timeout=CONNECT_SECONDS)
        worker = Worker(queues, redis, stopping.set)
        calm_collector()
        try:
            if burst:
                worker.work(burst=True, logging_level="WARNING")
                return 0
            regular = [*periodic(index, doorbell), *waking(site, doorbell, model)]
            _work(worker, Sweeper(site, doorbell, periodic=regular), say)
        except RedisError:
            if not stopping.is_set():
                raise
    return 0 if stopping.is_set() else ENDED


def _index(site: Site, root: Path | None) -> IndexRounds | None:
    """What makes the recall index, for a worker that has its folder."""
    if root is None or site.grown is None:
        return None
    return over(IndexStore(site.views), root, site.log, site.grown, SystemClock()).rounds


def periodic(index: IndexRounds | None, doorbell: Doorbell) -> list[Periodic]:
    """What a sweeper does for the index: have segments made, by hand where Redis is away."""
    if index is None:
        return []

    def make() -> None:
        due = index.due()
        if due and doorbell.ring_for_index("making") is Rung.AWAY:
            index.work(due[0])

    return [
        Periodic("making segments", INDEX_SECONDS, make),
        Periodic("tidying the index", TIDY_SECONDS, index.tidy),
    ]


def _work(worker: Worker, sweeper: Sweeper, say: Callable[[str], None]) -> None:
    """With a sweeper of its own, so that what was missed is seen where no server runs either."""
    sweeper.start()
    try:
        say(f"memoranda worker {os.getpid()} is ready")
        worker.work(logging_level="WARNING")
    finally:
        sweeper.stop()


def _end_with_supervisor() -> None:
    """Its end of the pipe closes whatever way it dies."""

    def watch() -> None:
        # Not by way of sys.stdin, whose lock a thread that waits would hold at the end.
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor", daemon=True).start()


def main(arguments: Sequence[str]) -> int:
    """The exit status; what is wrong is told on standard error, without a library's own words."""
    try:
        settings = load_settings()
        start_logging(settings.log_format)
        mode = server_mode(settings)
        if mode is None:
            raise SettingsError(
                "MEMORANDA_DATABASE_URL is missing: workers follow a database; an embedded store "
                "follows itself"
            )
        _end_with_supervisor()
        model = model_of(settings)
        return run(
            mode,
            queues_for([name for name in arguments if name != BURST], model),
            burst=BURST in arguments,
            say=_say,
            index_root=settings.index_dir,
            model=model,
        )
    except Exception as error:  # noqa: BLE001 - the last one who can tell anybody
        # What knows all failures takes a second to load.
        from ops.failures import said

        print(f"error: {said(error) or type(error).__name__}", file=sys.stderr, flush=True)
        return REFUSED if isinstance(error, _REFUSALS) else ENDED


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
