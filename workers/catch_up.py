"""Catching up with the log: the one function for every mode (design.md §4)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Engine

from domain.envelope import CorruptEventError
from domain.instants import Micros
from domain.ports import LogReader, UnavailableError
from domain.recorded import RecordedEvent
from projections import checkpoints
from projections.catalogue import Projection
from projections.database import parts_in, reading, writing
from projections.lineages import lineage_of
from projections.parking import TRIES_MAX, Culprit, Parking
from workers.pages import Page, Pages, Released
from workers.poison import blames_event, culprit_of, unreadable

LOG: Final = logging.getLogger("memoranda.read_models")
BATCH_EVENTS: Final = 500
BACK_OFF_SECONDS: Final = (0.1, 0.5)
"""Pauses between the `TRIES_MAX` tries of an event that cannot be handled."""


def wall_clock_us() -> Micros:
    """When a checkpoint moved: for people who look at it, never for a decision."""
    return time.time_ns() // 1000


def never() -> bool:
    """Do not stop."""
    return False


class _MovedError(UnavailableError):
    """Another follower of the same checkpoint was here meanwhile."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


@dataclass(frozen=True, slots=True)
class Follower:
    """One projection over one part of the log, and the database that it writes."""

    projection: Projection
    part: int
    log: LogReader
    engine: Engine

    def position(self) -> int:
        """The last position handled, as committed."""
        with reading(self.engine) as connection:
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

        What a handler raises, or what an event is damaged by, is raised here too, after the try
        was counted; the stream of the event is parked at the third time, and the others go on.
        Raises BusyError where another process is at work on the same checkpoint.
        """
        pages = Pages(self.log, self.projection, self.part, parts_in(self.engine))
        try:
            page = pages.after(position, batch)
            if page is None:
                return position
            if page.released is not None:
                return self._release(position, page.released)
            return self._handle(position, page, page.damage)
        except _MovedError as moved:
            return moved.position

    def persist(
        self, position: int, batch: int, pause: Callable[[float], None] = time.sleep
    ) -> int:
        """`advance`, after a pause again where an event cannot be handled, until it is parked."""
        for seconds in BACK_OFF_SECONDS:
            try:
                return self.advance(position, batch)
            except Exception as error:
                if self.projection.poison == "stop" or not blames_event(error):
                    raise
                pause(seconds)
        return self.advance(position, batch)

    def _handle(self, position: int, page: Page, damage: CorruptEventError | None) -> int:
        """A page of events; or the damaged one, where none stands before it."""
        if damage is not None and not page.events:
            culprit = unreadable(self.projection, damage)
            if culprit is None:
                raise damage
            return self._failed(position, culprit, damage)
        try:
            self._write(position, page.events, page.reached)
        except Exception as error:
            if not page.events or not blames_event(error):
                raise
            if len(page.events) == 1:
                return self._failed(position, culprit_of(page.events[0], error), error)
        else:
            return page.reached
        return self._one_by_one(position, page.events)

    def _one_by_one(self, position: int, events: Sequence[RecordedEvent]) -> int:
        """Up to the event that makes a batch fail, which is tried alone when it comes first."""
        for event in events:
            try:
                self._write(position, [event], event.position)
            except Exception as error:
                if not blames_event(error):
                    raise
                if event is not events[0]:
                    return position
                return self._failed(position, culprit_of(event, error), error)
            position = event.position
        return position

    def _write(self, position: int, events: Sequence[RecordedEvent], reached: int) -> None:
        """Rows and checkpoint in one transaction; events of parked streams are parked too."""
        parking = Parking(self.projection, self.part)
        with self._held(position) as connection:
            if not parking.is_clear(connection):
                lineages = {lineage_of(event) for event in events}
                known = parking.standing(connection, lineages)
                parking.park_behind(connection, events, known, wall_clock_us())
                parking.forget_tries(connection, reached)
                events = [one for one in events if lineage_of(one) not in known]
            self.projection.apply(connection, events, self.log)
            checkpoints.move(connection, self.projection, self.part, reached, wall_clock_us())

    def _release(self, position: int, released: Released) -> int:
        """Do what an operator decided about a stream."""
        parking = Parking(self.projection, self.part)
        try:
            with self._held(position) as connection:
                if released.mode == "skip":
                    parking.pass_by(
                        connection, released.lineage, released.position, wall_clock_us()
                    )
                else:
                    parking.clear(connection, released.lineage)
                    self.projection.apply(connection, self._again(released), self.log)
                parking.forget_tries(connection, released.position)
                checkpoints.move(
                    connection, self.projection, self.part, released.position, wall_clock_us()
                )
        except Exception as error:
            if not blames_event(error):
                raise
            culprit = Culprit(released.position, (released.lineage,), type(error).__name__)
            return self._failed(position, culprit, error, again=True)
        return released.position

    def _again(self, released: Released) -> list[RecordedEvent]:
        """The events of a released stream, from its first one to the release."""
        return [
            event
            for event in self.log.stream(*released.lineage)
            if event.position < released.position and event.topic in self.projection.topics
        ]

    def _failed(
        self, position: int, culprit: Culprit, error: Exception, *, again: bool = False
    ) -> int:
        """Count a try, in a transaction of its own; the last one gives up, and goes on behind it.

        `again`: a released stream was tried, which stays as it was.
        """
        if self.projection.poison == "stop":
            raise error
        parking, now_us = Parking(self.projection, self.part), wall_clock_us()
        with self._held(position) as connection:
            tries = parking.count_try(connection, culprit, now_us)
            if tries >= TRIES_MAX:
                if again:
                    parking.retry_failed(connection, culprit, now_us)
                elif self.projection.poison == "skip_event":
                    parking.skip_event(connection, culprit, now_us)
                else:
                    parking.park(connection, culprit, now_us)
                parking.forget_tries(connection, culprit.position)
                checkpoints.move(connection, self.projection, self.part, culprit.position, now_us)
        if tries < TRIES_MAX:
            raise error
        streams = ", ".join(stream for _, stream in culprit.lineages)
        said = "%s goes on without position %d (%s, %s): see `memoranda parked list`"
        LOG.error(said, self.projection.name, culprit.position, streams, culprit.error)
        return culprit.position

    @contextmanager
    def _held(self, position: int) -> Iterator[Connection]:
        """A transaction that holds the checkpoint, which must be where it was thought to be."""
        if position == 0:
            with writing(self.engine) as connection:
                checkpoints.begin(connection, self.projection, self.part)
        with writing(self.engine) as connection:
            stored = checkpoints.take(connection, self.projection, self.part)
            if stored != position:
                raise _MovedError(stored)
            yield connection


def catch_up(
    projection: Projection,
    part: int,
    log: LogReader,
    engine: Engine,
    batch: int = BATCH_EVENTS,
    stop: Callable[[], bool] = never,
    *,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Follow the log to its head; the position reached, also where `stop` ended it earlier.

    Each batch is one transaction of rows and checkpoint, so an interrupted call has handled whole
    batches only. Errors of the log and the database are raised as they are; what was committed
    before stays. Between the tries of an event that cannot be handled it pauses, for seconds.
    Raises BusyError where another process is at work on the same checkpoint.
    """
    follower = Follower(projection, part, log, engine)
    position = follower.position()
    while not stop():
        reached = follower.persist(position, batch, pause)
        if reached == position:
            break
        position = reached
    return position
