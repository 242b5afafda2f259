"""Carrying erasures to their end: requested by a forget, finished whatever happens.

The request is an event of the forget's own transaction, so that it cannot get lost. The steps are
done on a thread of their own, together for all that wait; callers wait for a while. What fails is
tried again, what a crash interrupted is resumed at the next start (docs/adr/0009).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Final

from commands.engine import Engine
from commands.erasure_steps import ErasureSteps, NoReadSide, NotYetError, ReadSide
from commands.keystore import KeyStore
from commands.log_store import LogStore
from domain.envelope import CorruptEventError
from domain.erasure import STEPS, ErasureState, Step
from domain.ports import LogReader

_LOG: Final = logging.getLogger("memoranda.erasure")
RETRY_SECONDS_MIN: Final = 0.05
RETRY_SECONDS_MAX: Final = 5.0


class Eraser:
    """Carries out what `erasure.step {requested}` asks for. Safe to share between threads."""

    def __init__(
        self,
        *,
        store: LogStore,
        keys: KeyStore,
        engine: Engine,
        log: LogReader,
        read_side: ReadSide | None = None,
    ) -> None:
        self._steps = ErasureSteps(
            store=store, keys=keys, engine=engine, log=log, read_side=read_side or NoReadSide()
        )
        self._pending: dict[str, ErasureState] = {}
        self._hindered: set[str] = set()
        self._fresh = False
        self._stopping = False
        self._doubtful = False
        self._failure: Exception | None = None
        self._turn = threading.Lock()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="memoranda-erasures", daemon=True)

    @property
    def failure(self) -> Exception | None:
        """Why the erasures that wait could not go on; None where nothing is wrong."""
        return self._failure

    @property
    def pending(self) -> int:
        """How many erasures are not completed."""
        return len(self._pending)

    def resume(self) -> int:
        """Take up what an earlier process left, and begin to work; gives how many that were.

        No text whose erasure was asked for can be read when this returns. Raises what makes that
        impossible: a key store that cannot be written, a damaged event.
        """
        unfinished = self._steps.unfinished()
        readable = [one for one in unfinished if one.done == "requested"]
        self._put(unfinished)
        if readable:
            self._put(self._steps.advance(readable))
        self._thread.start()
        return len(unfinished)

    def unfinished(self, workspace: str, memory: str) -> list[tuple[str, str]]:
        """The erasures of a memory that are not completed, as (workspace, stream)."""
        with self._changed:
            return [
                (workspace, one.id)
                for one in self._pending.values()
                if one.context.workspace == workspace and memory in one.targets
            ]

    def carry_out(self, wanted: Sequence[tuple[str, str]], seconds: float) -> dict[str, Step]:
        """Carry out erasures, given as (workspace, stream); how far each has come, by stream.

        Returns when each is completed or has failed once, or time is over; they go on then.
        Before `resume` there is no thread: the caller's own does it all, and gets the errors.
        """
        if not wanted:
            return {}
        self._put(self._steps.load(wanted), fresh=True)
        streams = [stream for _, stream in wanted]
        if not self._thread.is_alive():
            self._one_pass()
        with self._changed:
            self._changed.wait_for(
                lambda: self._stopping or self._hindered.issuperset(self._open(streams)), seconds
            )
            return {
                stream: self._pending[stream].done if stream in self._pending else "completed"
                for stream in streams
            }

    def _open(self, streams: Sequence[str]) -> list[str]:
        return [stream for stream in streams if stream in self._pending]

    def stop(self) -> None:
        """End when all is done, or nothing more can be done at once."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def _put(self, erasures: Sequence[ErasureState], *, fresh: bool = False) -> None:
        with self._changed:
            for one in erasures:
                self._hindered.discard(one.id)
                if one.next is None:
                    self._pending.pop(one.id, None)
                else:
                    self._pending[one.id] = one
            self._fresh |= fresh
            self._changed.notify_all()

    def _work(self) -> None:
        tries = 0
        while self._wait():
            try:
                self._one_pass()
            except Exception as error:  # noqa: BLE001 - this thread is the one that tries again
                tries += 1
                if not self._pause(error, tries):
                    return
            else:
                tries, self._failure = 0, None

    def _wait(self) -> bool:
        """Until there is something to do; False where that is all."""
        with self._changed:
            self._changed.wait_for(lambda: self._pending or self._stopping)
            self._fresh = False
            return bool(self._pending)

    def _pause(self, error: Exception, tries: int) -> bool:
        """Until another try makes sense; False where nobody waits for it any more."""
        if not isinstance(error, NotYetError):
            _LOG.warning("an erasure cannot go on, and is tried again: %s", error)
        self._failure = error
        pause = min(RETRY_SECONDS_MAX, RETRY_SECONDS_MIN * 2.0 ** min(tries, 16))
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._fresh, pause)
            return not self._stopping

    def _one_pass(self) -> None:
        """Do every step for all that wait for it, the first step first, so that they share it.

        One that fails does not hold up the others; the last error is raised when all were tried.
        """
        failed: Exception | None = None
        with self._turn:
            if self._doubtful:
                # What failed may have been recorded all the same, and is not recorded twice.
                pending = self._pending.copy().values()
                self._put(self._steps.load((one.context.workspace, one.id) for one in pending))
            for step in STEPS[1:]:
                waiting = [one for one in self._pending.copy().values() if one.next == step]
                failed = self._advance(waiting) or failed
            self._doubtful = failed is not None
        if failed is not None:
            raise failed

    def _advance(self, waiting: Sequence[ErasureState]) -> Exception | None:
        if not waiting:
            return None
        try:
            self._put(self._steps.advance(waiting))
        except Exception as error:  # noqa: BLE001 - told by who asked for the pass
            if isinstance(error, CorruptEventError) and len(waiting) > 1:
                # A damaged event concerns one erasure, and holds up no other.
                return next(filter(None, [self._advance([one]) for one in waiting]), None)
            if not isinstance(error, NotYetError):
                self._tell_hindered(waiting)
            return error
        return None

    def _tell_hindered(self, waiting: Sequence[ErasureState]) -> None:
        with self._changed:
            self._hindered.update(one.id for one in waiting)
            self._changed.notify_all()
