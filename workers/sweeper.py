"""Looks every other second whether something was missed: the safety net under the doorbell."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import text

from projections.checkpoints import BusyError
from workers.catch_up import catch_up
from workers.doorbell import Doorbell, Rung
from workers.site import Laggard, Site

LOG: Final = logging.getLogger("memoranda.worker")
EVERY_SECONDS: Final = (1.0, 2.0)
INLINE_SECONDS_MAX: Final = 10.0
"""How long one sweep follows the log itself; shorter than a database lets a transaction idle."""
LOCK: Final = 0x6D656D6F_73776570
"""Of the database: one process sweeps at a time."""


@dataclass(slots=True)
class Periodic:
    """Work that one process of all does every so many seconds, at the end of a sweep."""

    name: str
    seconds: float
    work: Callable[[], None]
    due: float = field(default=0.0)


class Sweeper:
    """One thread. Whoever gets the lock of the database sweeps, the others do not."""

    def __init__(
        self,
        site: Site,
        doorbell: Doorbell,
        *,
        every_seconds: tuple[float, float] = EVERY_SECONDS,
        periodic: Sequence[Periodic] = (),
    ) -> None:
        self._site = site
        self._doorbell = doorbell
        self._every_seconds = every_seconds
        # Dice of its own: those of the module are everybody's in the process.
        self._dice = random.Random()  # noqa: S311 - no secret
        self._periodic = periodic
        self._changed = threading.Condition()
        self._hurried = False
        self._stopping = False
        self._failing: str | None = None
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    @property
    def failing(self) -> str | None:
        """The name of the error that the last sweep ended with; None after one that went well."""
        return self._failing

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the batch at hand."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def hurry(self) -> None:
        """Sweep now: nobody else is going to."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()

    def sweep(self) -> bool:
        """Wake workers for all that lags, or follow the log here while Redis is away.

        False where another process is sweeping.
        """
        with self._alone() as mine:
            if mine:
                self._look_after(self._site.laggards())
                self._do_periodic()
            return mine

    def _run(self) -> None:
        while True:
            with self._changed:
                # Jittered, so that processes that started together do not sweep together.
                pause = self._dice.uniform(*self._every_seconds)
                self._changed.wait_for(lambda: self._hurried or self._stopping, pause)
                if self._stopping:
                    return
                self._hurried = False
            try:
                self.sweep()
                self._failing = None
            except Exception as error:  # noqa: BLE001 - the next sweep tries again
                if self._failing is None:
                    LOG.warning(
                        "a sweep failed, the next one tries again: %s", type(error).__name__
                    )
                self._failing = type(error).__name__

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """The lock goes with its connection, so a process that is killed holds up nobody."""
        with self._site.views.connect() as connection, connection.begin():
            query = text("SELECT pg_try_advisory_xact_lock(:key)")
            yield bool(connection.execute(query, {"key": LOCK}).scalar_one())

    def _look_after(self, laggards: Sequence[Laggard]) -> None:
        away = False
        end = time.monotonic() + INLINE_SECONDS_MAX
        for one in laggards:
            if not away:
                away = self._doorbell.ring(one.projection, one.part) is Rung.AWAY
            if away:
                if self._stopping or time.monotonic() >= end:
                    return
                self._catch_up(one, end)

    def _catch_up(self, one: Laggard, end: float) -> None:
        try:
            catch_up(
                one.projection,
                one.part,
                self._site.log,
                self._site.views,
                stop=lambda: self._stopping or time.monotonic() >= end,
            )
        except BusyError:
            return
        except Exception as error:  # noqa: BLE001 - one part must not hold up the others
            LOG.warning("%s, part %d: %s", one.projection.name, one.part, type(error).__name__)

    def _do_periodic(self) -> None:
        for one in self._periodic:
            if self._stopping or time.monotonic() < one.due:
                continue
            one.due = time.monotonic() + one.seconds
            try:
                one.work()
            except Exception as error:  # noqa: BLE001 - other periodic work goes on
                LOG.warning("%s failed, and is tried again: %s", one.name, type(error).__name__)
