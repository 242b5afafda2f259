"""Redis as a doorbell: that there is work is told through it, and nothing else (design.md §4).

Losing it, or all that is in it, costs time and never an event. Nothing here waits for long or
raises for its sake; what goes wrong is counted, and seen in `Doorbell.state`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from enum import Enum
from typing import Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry as RedisRetry
from rq import Queue, Retry
from rq.serializers import JSONSerializer

from projections.catalogue import Projection
from workers.bell_state import DoorbellState
from workers.leases import Lease

QUEUE: Final = "memoranda"
JOB: Final = "workers.jobs.catch_up"
INDEX_JOBS: Final = {
    "making": "workers.jobs.make_segments",
    "merging": "workers.jobs.merge_segments",
}
"""What can be done for the recall index, and the job that does it."""
EXTRACTION_QUEUE: Final = "memoranda-extraction"
"""Apart, so that a worker that waits for a model holds up no read model."""
EXTRACTION_JOB: Final = "workers.jobs.extract"
WAKE_SECONDS: Final = 3
"""How long a projection and part that was woken is not woken again, unless its job began."""
JOB_SECONDS_MAX: Final = 60
INDEX_JOB_SECONDS_MAX: Final = 600
"""A merge of the largest segments takes half a minute of a processor."""
CONNECT_SECONDS: Final = 0.25
ANSWER_SECONDS: Final = 0.25
REST_SECONDS: Final = 1.0
"""After a failure nobody tries again for so long."""


class Rung(Enum):
    """What became of a wake."""

    QUEUED = "queued"
    WAITING = "waiting"
    """A job was queued a moment ago, and has not begun."""
    AWAY = "away"


def open_redis(url: str) -> Redis:
    """A client that answers or fails at once: no second try, short timeouts. Connects later."""
    return Redis.from_url(
        url,
        retry=RedisRetry(NoBackoff(), 0),
        socket_connect_timeout=CONNECT_SECONDS,
        socket_timeout=ANSWER_SECONDS,
    )


def queue_of(redis: Redis, name: str = QUEUE) -> Queue:
    """The queue of jobs; their arguments are JSON, so that reading it executes nothing."""
    return Queue(name, connection=redis, serializer=JSONSerializer)


def wake_key(projection: str, part: int) -> str:
    """There while a job for a projection and part is queued; its first act is to delete it."""
    return f"memoranda:wake:{projection}:{part}"


def index_key(work: str) -> str:
    """The same for a job of the index."""
    return f"memoranda:wake:index:{work}"


def extraction_key(workspace: str, window_id: str) -> str:
    """The same for a window; it is renewed while the job is at work, and goes when that is done."""
    return f"memoranda:wake:extraction:{workspace}:{window_id}"


def label(projection: Projection) -> str:
    """Name and version: programs of two versions do not answer each other's bell."""
    return f"{projection.name}/{projection.version}"


class Doorbell:
    """Queues jobs, one for each projection and part. Safe to share between threads."""

    def __init__(
        self, redis: Redis, monotonic: Callable[[], float] = time.monotonic, queue: str = QUEUE
    ) -> None:
        self._redis = redis
        self._queue = queue_of(redis, queue)
        self._extractions = queue_of(redis, EXTRACTION_QUEUE)
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failed_at: float | None = None
        self._errors = 0
        self._last_error: str | None = None

    @property
    def state(self) -> DoorbellState:
        """Whether Redis answers, as far as it was asked."""
        return DoorbellState(self._failed_at is not None, self._errors, self._last_error)

    def ring(self, projection: Projection, part: int) -> Rung:
        """Have some worker catch up, unless one was asked a moment ago."""
        return self._ring(
            wake_key(label(projection), part),
            lambda: self._enqueue(JOB, (label(projection), part), JOB_SECONDS_MAX),
        )

    def ring_for_index(self, work: str) -> Rung:
        """Have some worker do one of `INDEX_JOBS`, unless one was asked a moment ago."""
        return self._ring(
            index_key(work), lambda: self._enqueue(INDEX_JOBS[work], (), INDEX_JOB_SECONDS_MAX)
        )

    def ring_for_extraction(self, workspace: str, window_id: str, seconds_max: int) -> Rung:
        """Have some worker ask the extractor about a window, unless one was asked of late.

        A job that is lost or fails is queued again no sooner than after `seconds_max`; one whose
        worker died over it, after the time of a lease.
        """

        def enqueue() -> None:
            self._extractions.enqueue_call(
                EXTRACTION_JOB,
                args=(workspace, window_id),
                timeout=seconds_max,
                result_ttl=0,
                ttl=seconds_max,
                failure_ttl=JOB_SECONDS_MAX,
            )

        return self._ring(extraction_key(workspace, window_id), enqueue, seconds_max)

    def _ring(self, key: str, enqueue: Callable[[], None], seconds: int = WAKE_SECONDS) -> Rung:
        if self._resting():
            return Rung.AWAY
        try:
            if not self._redis.set(key, "1", nx=True, ex=seconds):
                self._answered()
                return Rung.WAITING
            try:
                enqueue()
            except RedisError:
                self._redis.delete(key)
                raise
        except RedisError as error:
            self._failed(error)
            return Rung.AWAY
        self._answered()
        return Rung.QUEUED

    def take(self, projection: str, part: int) -> None:
        """A job has begun: what is appended from now on needs another one."""
        self._take(wake_key(projection, part))

    def take_for_index(self, work: str) -> None:
        """The same for a job of the index."""
        self._take(index_key(work))

    def extracting(self, workspace: str, window_id: str) -> Lease:
        """The block in which a job asks the extractor: who dies in it holds the window up no more.

        Where it fails, the window is held up as long as before.
        """
        return Lease(self._redis, extraction_key(workspace, window_id))

    def extracted(self, workspace: str, window_id: str) -> None:
        """A job has ended as it should: if the window waits again, another one may be queued."""
        self._take(extraction_key(workspace, window_id))

    def _take(self, key: str) -> None:
        try:
            self._redis.delete(key)
        except RedisError as error:
            # The key goes by itself, and the sweeper looks after what it held back.
            self._failed(error)

    def close(self) -> None:
        """Give back the connections."""
        self._redis.close()

    def _enqueue(self, job: str, args: tuple[str | int, ...], seconds_max: int) -> None:
        self._queue.enqueue_call(
            job,
            args=args,
            timeout=seconds_max,
            result_ttl=0,
            ttl=JOB_SECONDS_MAX,
            failure_ttl=JOB_SECONDS_MAX,
            retry=Retry(max=3),
        )

    def _resting(self) -> bool:
        failed_at = self._failed_at
        return failed_at is not None and self._monotonic() < failed_at + REST_SECONDS

    def _answered(self) -> None:
        if self._failed_at is not None:
            with self._lock:
                self._failed_at = None

    def _failed(self, error: RedisError) -> None:
        with self._lock:
            self._failed_at = self._monotonic()
            self._errors += 1
            self._last_error = type(error).__name__
