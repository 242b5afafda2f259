"""Pages of the log for lists: an event that cannot be read costs itself, and is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from domain.envelope import CorruptEventError
from domain.recorded import RecordedEvent
from domain.registry import UnknownTopicError


class Damaged(NamedTuple):
    """An event that cannot be read, and in hex the streams that it may belong to."""

    position: int
    originator_ids: tuple[str, ...]


class EventsRead(NamedTuple):
    """The events of a page that can be read, in order, and those that cannot."""

    events: Sequence[RecordedEvent]
    damaged: Sequence[Damaged] = ()

    @property
    def looked(self) -> int:
        """How many events were looked at."""
        return len(self.events) + len(self.damaged)

    @property
    def last(self) -> int:
        """The position of the last one of them; 0 where there was none."""
        return max(self.positions, default=0)

    @property
    def positions(self) -> list[int]:
        """Of all that were looked at."""
        read = [event.position for event in self.events]
        return read + [one.position for one in self.damaged]


def around_damage(
    read: Callable[[int, int], Sequence[RecordedEvent]], after: int, most: int
) -> EventsRead:
    """At most `most` events behind a position; `read` takes both, and reads all or none of them.

    A page with a damaged event is read half by half. Raises UnknownTopicError for an event of a
    newer program, which is whole.
    """
    try:
        return EventsRead(read(after, most))
    except CorruptEventError as error:
        if error.position is None or isinstance(error, UnknownTopicError):
            raise
        if most == 1:
            return EventsRead((), [Damaged(error.position, error.originator_ids)])
    first = around_damage(read, after, most // 2)
    then = around_damage(read, first.last, most - most // 2)
    return EventsRead([*first.events, *then.events], [*first.damaged, *then.damaged])
