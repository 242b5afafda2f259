"""Threads of an embedded store that have waiting windows extracted, a few at a time.

Only names are held here. What a process had in hand when it died stands in the log as waiting, and
is looked for at the next start; what does not fit, or fails in an unforeseen way, is looked for
again after a while.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

LOG: Final = logging.getLogger("memoranda.extraction")
THREADS: Final = 2
WAITING_MAX: Final = 1000
"""Names that are held; the read model knows the others."""
REST_SECONDS: Final = 5.0
"""After a failure; twice as long after each further one."""
REST_SECONDS_MAX: Final = 600.0

Name = tuple[str, str]
"""Workspace and window."""
Work = Callable[[str, str], None]
Waiting = Callable[[int], tuple[Sequence[Name], bool]]
"""So many windows that wait, the oldest first, and whether more may be found later."""


class ExtractionPool:
    """Windows one after another for each thread; none is at work twice."""

    def __init__(self, threads: int = THREADS, rest_seconds: float = REST_SECONDS) -> None:
        self._rest_seconds = rest_seconds
        self._changed = threading.Condition()
        self._stopping = threading.Event()
        self._due: dict[Name, float] = {}
        """When each is to be worked on, by the monotonic clock."""
        self._failures: dict[Name, int] = {}
        self._at_work: dict[Name, bool] = {}
        """What is in hand, and whether it was told of again since: it may wait anew by then."""
        self._look_at: float | None = 0.0
        """When to look for others that wait; None: not before some did not fit."""
        self._work: Work | None = None
        self._waiting: Waiting | None = None
        self._threads = [
            threading.Thread(target=self._run, name=f"extraction-{number}", daemon=True)
            for number in range(threads)
        ]

    def start(self, work: Work, waiting: Waiting) -> None:
        """Begin, with what has been waiting since before."""
        self._work, self._waiting = work, waiting
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End soon: what is being asked is given up, and goes on waiting."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def stopping(self) -> bool:
        """Whether it is ending."""
        return self._stopping.is_set()

    def rest(self, seconds: float) -> bool:
        """Wait so long; True at once where it is ending."""
        return self._stopping.wait(seconds)

    def wake(self, workspace: str, window_id: str) -> None:
        """A window waits. Costs the caller nothing."""
        with self._changed:
            self._hold((workspace, window_id))
            self._changed.notify()

    def _hold(self, name: Name) -> None:
        if name in self._at_work:
            self._at_work[name] = True
        elif name in self._due:
            return
        elif len(self._due) >= WAITING_MAX:
            self._look_at = time.monotonic() + self._rest_seconds
        else:
            self._due[name] = 0.0

    def _run(self) -> None:
        while (name := self._next()) is not None:
            failed = self._failed(name)
            with self._changed:
                again = self._at_work.pop(name)
                if failed:
                    self._put_off(name)
                else:
                    self._failures.pop(name, None)
                    if again:
                        self._hold(name)
                self._changed.notify()

    def _failed(self, name: Name) -> bool:
        try:
            if self._work is not None:
                self._work(*name)
        except Exception as error:  # noqa: BLE001 - its text may quote content; it is tried again
            if not self._stopping.is_set():
                LOG.warning("%s waits on: %s", name[1], type(error).__name__)
            return True
        return False

    def _put_off(self, name: Name) -> None:
        failures = self._failures[name] = self._failures.get(name, 0) + 1
        pause = min(self._rest_seconds * 2.0 ** (failures - 1), REST_SECONDS_MAX)
        self._due[name] = time.monotonic() + pause

    def _next(self) -> Name | None:
        """The next one to work on, once there is one; None at the end."""
        while not self._stopping.is_set():
            if self._should_look():
                self._look()
            with self._changed:
                now = time.monotonic()
                ready = next((name for name, at in self._due.items() if at <= now), None)
                if ready is not None:
                    del self._due[ready]
                    self._at_work[ready] = False
                    return ready
                if not self._stopping.is_set():
                    self._changed.wait(self._until_next(now))
        return None

    def _until_next(self, now: float) -> float | None:
        times = [*self._due.values(), *([] if self._look_at is None else [self._look_at])]
        return max(0.0, min(times) - now) if times else None

    def _should_look(self) -> bool:
        with self._changed:
            if self._look_at is None or time.monotonic() < self._look_at:
                return False
            self._look_at = None
            return True

    def _look(self) -> None:
        """Take up what waits according to the read model."""
        try:
            found, more = ((), False) if self._waiting is None else self._waiting(WAITING_MAX)
        except Exception as error:  # noqa: BLE001 - the next look finds it
            LOG.warning("waiting windows were not looked for: %s", type(error).__name__)
            found, more = (), True
        with self._changed:
            if more:
                self._look_at = time.monotonic() + self._rest_seconds
            for name in found:
                self._hold(name)
