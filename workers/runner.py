"""The follower of the embedded mode: one thread, woken after each commit."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine

from domain.envelope import CorruptEventError
from domain.ports import LogReader
from projections.catalogue import CATALOGUE, Projection
from projections.database import reading, truncate_wal
from projections.parked_streams import parked_counts
from workers.bell_state import DoorbellState
from workers.catch_up import BATCH_EVENTS, Follower
from workers.pages import RELEASES

LOG: Final = logging.getLogger("memoranda.read_models")
IDLE_SECONDS: Final = 0.25
"""How long a lost wake can go unnoticed."""
LINGER_SECONDS: Final = 0.1
"""How long the next batch is let grow while nobody waits."""
RETRY_SECONDS_MIN: Final = 0.05
RETRY_SECONDS_MAX: Final = 5.0
TRUNCATE_AFTER_SECONDS: Final = 1.0
"""Idle time after which the write-ahead log is emptied, so that forgotten text leaves the disk."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A projection that cannot go on: what happened, how often in a row, and the next try."""

    projection: str
    error: Exception
    tries: int
    retry_at: float
    """In seconds of `time.monotonic`."""


class InProcessRunner:
    """Keeps all projections of a catalogue at the head of the log.

    Call `start` before the first command is accepted: it takes back checkpoints of positions
    that a power cut freed. All methods may be called from any thread.
    """

    def __init__(
        self,
        log: LogReader,
        engine: Engine,
        catalogue: Sequence[Projection] = CATALOGUE,
        *,
        part: int = 0,
        idle_seconds: float = IDLE_SECONDS,
        retry_seconds: tuple[float, float] = (RETRY_SECONDS_MIN, RETRY_SECONDS_MAX),
        truncate_after_seconds: float = TRUNCATE_AFTER_SECONDS,
    ) -> None:
        self._log = log
        self._engine = engine
        self._catalogue = catalogue
        self._followers = [Follower(projection, part, log, engine) for projection in catalogue]
        self._topics = (*RELEASES, *(topic for one in catalogue for topic in one.topics))
        self._idle_seconds = idle_seconds
        self._retry_seconds = retry_seconds
        self._truncate_after_seconds = truncate_after_seconds
        self._reached = [0] * len(self._followers)
        self._failures: dict[str, Failure] = {}
        self._worked_at: float | None = None
        self._position = 0
        self._waiting: Counter[int] = Counter()
        self._woken = False
        self._stopping = False
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._progress = threading.Condition(lock)
        self._thread = threading.Thread(target=self._run, name="projections", daemon=True)

    def start(self) -> None:
        """Begin to follow. Raises ViewsAheadError where the file belongs to another log."""
        self._reached = [follower.reconcile() for follower in self._followers]
        self._position = min(self._reached)
        self._thread.start()

    def stop(self) -> None:
        """End after the batch at hand; everybody who waits is answered."""
        with self._work:
            self._stopping = True
            self._work.notify_all()
            self._progress.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def wake(self, position: int) -> None:
        """Something was appended, up to a position. Costs the caller nothing."""
        with self._work:
            if position > self._position:
                self._woken = True
                self._work.notify_all()

    def lags(self) -> dict[str, int]:
        """By projection, how many positions of the log it is behind."""
        head = self._log.head()
        return {
            follower.projection.name: max(0, head - reached)
            for follower, reached in zip(self._followers, self._reached, strict=True)
        }

    def position(self) -> int:
        """The last position that all projections have handled."""
        return self._position

    def seen(self, workspace: str) -> int:
        """The last position up to which all projections have handled the events of a workspace.

        What none of them follows, as recalls, is nothing to handle.
        """
        reached = self._position
        try:
            head = self._log.head()
            found = self._log.after(reached, 1, topics=self._topics) if head > reached else ()
        except Exception:  # noqa: BLE001 - the thread meets it as well, and tells of it
            return reached
        return max(reached, found[0].position - 1 if found else head)

    def parked(self) -> dict[str, tuple[int, int]]:
        """By projection how many streams, and how many of their events, are parked."""
        with reading(self._engine) as connection:
            return parked_counts(connection, self._catalogue)

    def wait_for(self, workspace: str, position: int, timeout_s: float) -> int:
        """Wait until all projections have handled a workspace up to a position; the one reached.

        It is smaller than the one asked for when the time is over, or the runner stops. What is
        parked counts as handled.
        """
        if (seen := self.seen(workspace)) >= position:
            return seen
        with self._work:
            self._waiting[position] += 1
        self.wake(position)
        with self._progress:
            self._progress.wait_for(lambda: self._position >= position or self._stopping, timeout_s)
            self._waiting -= Counter([position])
            return self._position

    @property
    def failure(self) -> Failure | None:
        """Why a projection does not go on; None while all do."""
        return next(iter(self._failures.copy().values()), None)

    @property
    def doorbell_state(self) -> DoorbellState | None:
        """None: nobody elsewhere has to be woken."""
        return None

    def _run(self) -> None:
        while not self._stopping:
            with self._work:
                self._woken = False
            # One batch each in turn, so that a long way of one does not hold up the other.
            moved = [self._advance(index) for index in range(len(self._followers))]
            if max(moved) >= BATCH_EVENTS:
                continue
            if any(moved):
                self._linger()
            else:
                self._empty_wal()
                self._rest()

    def _advance(self, index: int) -> int:
        """One batch of one projection; how many positions that moved it."""
        follower = self._followers[index]

        before = self._reached[index]

        def one_batch() -> bool:
            reached = follower.advance(before, BATCH_EVENTS)
            if reached == before:
                return False
            self._worked_at = time.monotonic()
            self._reached[index] = reached
            with self._progress:
                self._position = min(self._reached)
                self._progress.notify_all()
            return True

        self._attempt(follower.projection.name, one_batch)
        return self._reached[index] - before

    def _empty_wal(self) -> None:
        if self._worked_at is None:
            return
        if time.monotonic() < self._worked_at + self._truncate_after_seconds:
            return
        if self._attempt("write-ahead log", lambda: truncate_wal(self._engine)):
            with self._progress:
                self._worked_at = None
                self._progress.notify_all()

    def _attempt(self, name: str, action: Callable[[], bool]) -> bool:
        """Do it, unless it failed a moment ago; whether it did something."""
        failure = self._failures.get(name)
        if failure is not None and time.monotonic() < failure.retry_at:
            return False
        try:
            done = action()
        except Exception as error:  # noqa: BLE001 - this thread is the only one that tries again
            tries = 1 if failure is None else failure.tries + 1
            if failure is None:
                _report(name, error)
            least, most = self._retry_seconds
            # The exponent is bounded too: 2.0**1024 is no float.
            pause = min(most, least * 2.0 ** min(tries - 1, 64))
            self._failures[name] = Failure(name, error, tries, time.monotonic() + pause)
            return False
        self._failures.pop(name, None)
        return done

    def _linger(self) -> None:
        """Let a few more events come, unless somebody waits for what is there already.

        A stream of commands is then followed in batches, and does not have to share the processor
        with a transaction of ours for each of its own.
        """
        with self._work:
            self._work.wait_for(
                lambda: max(self._waiting, default=0) > self._position or self._stopping,
                LINGER_SECONDS,
            )

    def _rest(self) -> None:
        """Until something is appended, a retry is due, or a lost wake has to be made good."""
        now = time.monotonic()
        due = [failure.retry_at - now for failure in self._failures.values()]
        # A retry that is overdue may have to wait for something else: never spin for it.
        seconds = max(self._retry_seconds[0], min([self._idle_seconds, *due]))
        with self._work:
            self._work.wait_for(lambda: self._woken or self._stopping, seconds)


def _report(name: str, error: Exception) -> None:
    """Once for each failure. The message of a database's error could quote what is stored."""
    said = f"{error}. Run `memoranda verify`" if isinstance(error, CorruptEventError) else ""
    LOG.warning("%s cannot go on, and tries again: %s", name, said or type(error).__name__)
