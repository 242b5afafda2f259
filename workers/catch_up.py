"""Catching up with the log: the one function for every mode (design.md §4)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine

from domain.instants import Micros
from domain.ports import LogReader
from projections import checkpoints
from projections.catalogue import Projection
from projections.database import writing

BATCH_EVENTS: Final = 500


def wall_clock_us() -> Micros:
    """When a checkpoint moved: for people who look at it, never for a decision."""
    return time.time_ns() // 1000


def never() -> bool:
    """Do not stop."""
    return False


@dataclass(frozen=True, slots=True)
class Follower:
    """One projection over one part of the log, and the file that it writes."""

    projection: Projection
    part: int
    log: LogReader
    engine: Engine

    def position(self) -> int:
        """The last position handled, as committed."""
        with self.engine.connect() as connection:
            return checkpoints.position(connection, self.projection, self.part)

    def reconcile(self) -> int:
        """`checkpoints.reconcile` with the head of the log; the position."""
        head = self.log.head()
        with writing(self.engine) as connection:
            return checkpoints.reconcile(
                connection, self.projection, self.part, head, wall_clock_us()
            )

    def advance(self, position: int, batch: int) -> int:
        """Handle at most `batch` events after the checkpoint, which is thought to be `position`.

        Rows and checkpoint move in one transaction; the new position, or the same one where the
        head was reached. Events of other topics are passed without being read: the checkpoint
        goes to the head that was there before. Positions that do not exist mean nothing.
        """
        head = self.log.head()
        if position >= head:
            return position
        events = self.log.after(position, batch, part=self.part, topics=self.projection.topics)
        last = events[-1].position if events else position
        reached = last if len(events) == batch else max(head, last)
        with writing(self.engine) as connection:
            stored = checkpoints.position(connection, self.projection, self.part)
            if stored != position:
                # Another follower of the same file was here meanwhile: go on from there.
                return stored
            self.projection.apply(connection, events, self.log)
            checkpoints.move(connection, self.projection, self.part, reached, wall_clock_us())
        return reached


def catch_up(
    projection: Projection,
    part: int,
    log: LogReader,
    engine: Engine,
    batch: int = BATCH_EVENTS,
    stop: Callable[[], bool] = never,
) -> int:
    """Follow the log to its head; the position reached, also where `stop` ended it earlier.

    Each batch is one transaction of rows and checkpoint, so an interrupted call has handled whole
    batches only. Errors of the log, the database and the projection are raised as they are; what
    was committed before stays.
    """
    follower = Follower(projection, part, log, engine)
    position = follower.position()
    while not stop():
        reached = follower.advance(position, batch)
        if reached == position:
            break
        position = reached
    return position
