"""How far the read models are, for a process that does not follow the log itself."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Final

from projections import checkpoints
from projections.catalogue import Projection
from projections.checkpoints import BusyError
from projections.database import part_in, reading
from projections.parked_streams import parked_counts
from workers.bell_state import DoorbellState
from workers.catch_up import BATCH_EVENTS, Follower
from workers.doorbell import Doorbell
from workers.notifier import Notifier
from workers.runner import Failure
from workers.site import Site
from workers.sweeper import Sweeper

LOG: Final = logging.getLogger("memoranda.read_models")
POLL_SECONDS: Final = (0.005, 0.05)
"""The first pause between two looks at a checkpoint, and the longest."""


@dataclass(frozen=True, slots=True)
class WorkersElsewhere:
    """What `InProcessRunner` is in the embedded mode: workers follow, this process wakes them.

    Its threads are the notifier and the sweeper. Safe to share between threads.
    """

    site: Site
    doorbell: Doorbell
    notifier: Notifier
    sweeper: Sweeper
    stopping: threading.Event

    @classmethod
    def over(cls, site: Site, doorbell: Doorbell) -> WorkersElsewhere:
        """Everything over one log and one Redis; nothing runs yet."""
        sweeper = Sweeper(site, doorbell)
        notifier = Notifier(site, doorbell, sweeper.hurry)
        return cls(site, doorbell, notifier, sweeper, threading.Event())

    def start(self) -> None:
        """Begin to wake workers."""
        self.notifier.start()
        self.sweeper.start()

    def stop(self) -> None:
        """Wake nobody any more; everybody who waits is answered."""
        self.stopping.set()
        self.notifier.stop()
        self.sweeper.stop()

    def wake(self, position: int) -> None:
        """Something was appended, up to a position. Costs the caller nothing."""
        self.notifier.wake(position)

    def position(self) -> int:
        """The last position that all projections have handled in all parts."""
        head = self.site.log.head()
        return min((one.position for one in self.site.laggards()), default=head)

    def seen(self, workspace: str) -> int:
        """The last position up to which all projections have handled the events of a workspace."""
        part = part_in(self.site.views, workspace)
        # In this order: what is appended in between is beyond the head that was read.
        head = self.site.log.head()
        last = self.site.heads().get(part, 0)
        with reading(self.site.views) as connection:
            reached = min(
                checkpoints.position(connection, one, part) for one in self.site.catalogue
            )
        # Other parts may be further on: nothing of this one is missing up to there.
        return max(head, reached) if reached >= last else reached

    def wait_for(self, workspace: str, position: int, timeout_s: float) -> int:
        """Wait until all projections have handled a workspace up to a position; the one reached.

        Who waits lends a hand: it follows the log itself where no worker is doing so, since a
        worker takes longer to be woken than most tails to be handled (docs/adr/0021). What is
        reached is smaller than what was asked for when the time is over, or this stops. What is
        parked counts as handled.
        """
        end = time.monotonic() + timeout_s
        pause, longest = POLL_SECONDS
        helps = True
        while True:
            reached = self.seen(workspace)
            left = end - time.monotonic()
            if reached >= position or left <= 0 or self.stopping.is_set():
                return reached
            if helps:
                moved, helps = self._help(workspace, end)
                if moved:
                    continue
            if self.stopping.wait(min(pause, left)):
                return reached
            pause = min(longest, pause * 2)

    def _help(self, workspace: str, end: float) -> tuple[bool, bool]:
        """Follow the log here; whether there is something new to look at, and whether all is well.

        Where it is not, this reader does not try again: tries of an event are not to follow one
        another at once.
        """
        part = part_in(self.site.views, workspace)
        moved, well = False, True
        for projection in self.site.catalogue:
            try:
                moved |= self._catch_up(projection, part, end)
            except BusyError:
                continue
            except Exception as error:  # noqa: BLE001 - a reader is told how far it sees, not why
                LOG.warning("%s, part %d: %s", projection.name, part, type(error).__name__)
                well = False
        return moved, well

    def _catch_up(self, projection: Projection, part: int, end: float) -> bool:
        site = self.site
        follower = Follower(projection, part, site.log, site.views)
        position = follower.position()
        moved = False
        while not self.stopping.is_set() and time.monotonic() < end:
            reached = follower.advance(position, BATCH_EVENTS)
            if reached == position:
                break
            position, moved = reached, True
        return moved

    def lags(self) -> dict[str, int]:
        """By projection, how many positions it is behind in the part that is furthest behind."""
        behind = dict.fromkeys((one.name for one in self.site.catalogue), 0)
        for one in self.site.laggards():
            name = one.projection.name
            behind[name] = max(behind[name], one.head - one.position)
        return behind

    def parked(self) -> dict[str, tuple[int, int]]:
        """By projection how many streams, and how many of their events, are parked."""
        with reading(self.site.views) as connection:
            return parked_counts(connection, self.site.catalogue)

    @property
    def doorbell_state(self) -> DoorbellState | None:
        """Whether Redis answers, as far as it was asked."""
        return self.doorbell.state

    @property
    def failure(self) -> Failure | None:
        """None: what fails at a worker is seen as lag, and in the worker's log."""
        return None
