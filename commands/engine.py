"""The engine: it drains waiting commands, decides them in order, appends once.

One SELECT and one append serve up to 256 callers, so that they share one fsync (design.md §3).
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Final

from commands.aggregates import Cache
from commands.batch import Batch
from commands.clock import StrictClock
from commands.faults import refusal_of
from commands.jobs import Commit, Group, RecordJob, Verdict
from commands.keystore import KeyStore
from commands.log_store import LogStore
from commands.sealing import Sealer
from commands.store_errors import (
    KeyMissingError,
    OutcomeUnknownError,
    StoreError,
    StreamConflictError,
)
from commands.store_rows import NewRow
from commands.working import Working
from domain import limits
from domain.errors import Code, MemorandaError
from domain.recorded import RecordedEvent

BATCH_MAX: Final = 256
QUEUE_MAX: Final = 4096
TRIES_MAX: Final = 3


class StoreLoader:
    """What a batch reads, decoded."""

    def __init__(self, store: LogStore, sealer: Sealer) -> None:
        self._store = store
        self._sealer = sealer

    def load(self, wanted: Mapping[str, int]) -> dict[str, list[RecordedEvent]]:
        """The events of streams after a version each, in one SELECT."""
        rows = self._store.load(wanted)
        return {stream: self._sealer.open_many(found) for stream, found in rows.items()}

    def references(self, workspace: str, kind: str, ref: str) -> Sequence[tuple[str, int]]:
        """Rows of the log's reference table."""
        return self._store.references(workspace, kind, ref)

    def references_to(
        self, workspace: str, kind: str, refs: Sequence[str]
    ) -> Sequence[tuple[str, str, int]]:
        """Rows of the log's reference table, in one SELECT."""
        return self._store.references_to(workspace, kind, refs)


class Engine:
    """One at a time decides and writes; callers wait on the future of their group."""

    def __init__(
        self,
        *,
        store: LogStore,
        sealer: Sealer,
        keys: KeyStore,
        clock: StrictClock,
        new_id: Callable[[str], str],
        on_commit: Callable[[Commit], None],
    ) -> None:
        self._store = store
        self._sealer = sealer
        self._keys = keys
        self._clock = clock
        self._new_id = new_id
        self._on_commit = on_commit
        self._loader = StoreLoader(store, sealer)
        self._cache = Cache()
        self._queue: queue.Queue[Group | None] = queue.Queue(QUEUE_MAX)
        self._stale: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._turn = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="memoranda-engine", daemon=True)
        self._open = True

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def submit(self, group: Group) -> list[Verdict]:
        """Wait for the verdicts; OVERLOADED when too many wait already.

        Where nobody waits and the engine is idle, the caller's own thread does the work: two
        changes of thread would cost more than the command. Only who holds the turn decides.
        """
        if self._queue.empty() and self._turn.acquire(blocking=False):
            try:
                self._refuse_if_closed()
                self._drop_stale()
                self._commit_groups([group])
            finally:
                self._turn.release()
        else:
            self._enqueue(group).result()
        if group.verdicts is None:
            raise AssertionError("a group is answered, whatever became of it")
        return group.verdicts

    def _refuse_if_closed(self) -> None:
        if not self._open:
            raise MemorandaError(
                Code.OVERLOADED, "the server is shutting down: try again", retry_after=1
            )

    def _enqueue(self, group: Group) -> Future[None]:
        group.answered = answered = Future[None]()
        with self._closing:
            self._refuse_if_closed()
            try:
                self._queue.put_nowait(group)
            except queue.Full:
                raise MemorandaError(
                    Code.OVERLOADED,
                    f"more than {QUEUE_MAX} commands are waiting: try again",
                    retry_after=1,
                ) from None
        return answered

    def waiting(self) -> int:
        """How many groups of commands wait for their turn."""
        return self._queue.qsize()

    def forget_cached(self, streams: Sequence[str]) -> None:
        """Let no erased text stay in memory: the next use loads the stream anew."""
        for stream in streams:
            self._stale.put(stream)

    def close(self) -> None:
        """Answer everybody who waits, then stop."""
        with self._closing:
            if not self._open:
                return
            self._open = False
        self._queue.put(None)
        self._thread.join()
        # Whoever does its own work has the turn, and finishes first.
        self._turn.acquire()
        self._turn.release()

    def _work(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            groups, last, more = [first], False, None
            while len(groups) < BATCH_MAX and sum(len(g.jobs) for g in groups) < limits.BATCH_MAX:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                    break
                groups.append(more)
            with self._turn:
                self._drop_stale()
                self._commit_groups(groups)
            if last:
                return
            # Who waits for the next command holds nothing of the last ones.
            groups, first, more = [], None, None

    def _drop_stale(self) -> None:
        while not self._stale.empty():
            self._cache.drop([self._stale.get()])

    def _commit_groups(self, groups: Sequence[Group]) -> None:
        """Recalls apart: they alone may be appended without waiting for the disk."""
        recalls = [group for group in groups if not _durable(group)]
        for part in ([group for group in groups if _durable(group)], recalls):
            if part:
                self._commit(part, durable=part is not recalls)

    def _commit(self, groups: Sequence[Group], *, durable: bool) -> None:
        try:
            self._attempt(groups, durable=durable)
        except Exception as fault:  # noqa: BLE001 - a caller must never wait for a dead thread
            if len(groups) == 1 or _is_about_the_disk(fault):
                _answer(groups, refusal_of(fault))
                return
            # Alone, what is wrong with one group costs only its own caller.
            for group in groups:
                self._commit([group], durable=durable)

    def _attempt(self, groups: Sequence[Group], *, durable: bool) -> None:
        """Decide and append; after a clash decide again on what is stored now.

        The first attempt takes idempotency keys as new: nearly all are, and the log refuses the
        others, at the price of one more attempt.
        """
        for attempt in range(TRIES_MAX + 1):
            batch = Batch(
                working=Working(self._loader, self._cache),
                sealer=self._sealer,
                keys=self._keys,
                clock=self._clock,
                new_id=self._new_id,
                parts=self._store.parts,
                trusting=attempt == 0,
            )
            batch.run(groups)
            try:
                positions = self._append(batch, durable=durable)
            except StreamConflictError:
                self._cache.drop(row.stream for row in batch.rows)
                if attempt == TRIES_MAX:
                    raise
                continue
            batch.settle(positions)
            if positions:
                self._on_commit(Commit(positions[-1], len(positions), changes=durable))
            return

    def _append(self, batch: Batch, *, durable: bool) -> list[int]:
        if not batch.rows:
            return []
        for attempt in range(1, TRIES_MAX + 1):
            try:
                appended = self._store.append(
                    batch.rows,
                    batch.refs,
                    api_keys=batch.api_keys,
                    durable=durable,
                    not_before_us=batch.not_before_us,
                )
            except OutcomeUnknownError:
                # The connection was lost at the commit: never append blindly a second time.
                stored = self._looked_up(batch.rows)
                if stored is not None:
                    return stored
                if attempt == TRIES_MAX:
                    raise StoreError("the connection failed at every commit") from None
            else:
                return list(appended.positions)
        raise AssertionError("the last attempt returns or raises")

    def _looked_up(self, rows: Sequence[NewRow]) -> list[int] | None:
        try:
            return self._stored(rows)
        except StoreError as failure:
            raise OutcomeUnknownError(str(failure)) from failure

    def _stored(self, rows: Sequence[NewRow]) -> list[int] | None:
        """Positions of a batch that was committed after all; it is there whole or not at all."""
        wanted: dict[str, int] = {}
        for row in rows:
            wanted[row.stream] = min(row.version - 1, wanted.get(row.stream, row.version - 1))
        found = {
            (stream, stored.version): stored
            for stream, events in self._store.load(wanted).items()
            for stored in events
        }
        positions: list[int] = []
        for row in rows:
            stored = found.get((row.stream, row.version))
            if stored is None or stored.event_hash != row.event_hash:
                return None
            positions.append(stored.position)
        return positions


def _durable(group: Group) -> bool:
    return any(not isinstance(job, RecordJob) or job.durable for job in group.jobs)


def _answer(groups: Sequence[Group], error: MemorandaError) -> None:
    for group in groups:
        if group.verdicts is None:
            group.answer([error for _ in group.jobs])


_OF_ONE_STREAM: Final = (StreamConflictError, KeyMissingError)


def _is_about_the_disk(fault: Exception) -> bool:
    return isinstance(fault, StoreError) and not isinstance(fault, _OF_ONE_STREAM)
