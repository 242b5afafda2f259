"""The log of a workspace, page by page; a damaged event costs its own memory, and is told."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from domain.envelope import CorruptEventError
from domain.ids import MEMORY, encode_id
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.registry import UnknownTopicError
from projections.records import TOPICS

LOG: Final = logging.getLogger("memoranda.recall")
EVENTS_AT_ONCE: Final = 500
"""Events read from the log in one go."""


@dataclass(frozen=True, slots=True)
class Damage:
    """An event that cannot be read, and the memories that it may belong to."""

    position: int
    memories: frozenset[str]


@dataclass(frozen=True, slots=True)
class LogPage:
    """Events in order, up to a damaged one if there is one; `last`: there was no more."""

    events: list[RecordedEvent]
    damage: Damage | None
    last: bool


class LogPages:
    """Reads what the memories of a workspace are made of."""

    def __init__(self, log: LogReader, workspace: str) -> None:
        self._log = log
        self._workspace = workspace

    def after(self, position: int) -> LogPage:
        """The page after a position.

        Raises UnknownTopicError for an event of a newer program: it is whole, and not for us.
        """
        try:
            events = self._events(position, EVENTS_AT_ONCE)
        except CorruptEventError:
            return self._up_to_damage(position)
        return LogPage(events, None, last=len(events) < EVENTS_AT_ONCE)

    def _events(self, position: int, limit: int) -> list[RecordedEvent]:
        return self._log.after(position, limit, workspace=self._workspace, topics=TOPICS)

    def _up_to_damage(self, position: int) -> LogPage:
        """One by one, since a page is opened whole or not at all; once for each damaged event."""
        events: list[RecordedEvent] = []
        while True:
            try:
                found = self._events(position, 1)
            except CorruptEventError as error:
                if error.position is None or isinstance(error, UnknownTopicError):
                    raise
                LOG.error("the log is damaged: %s. Run `memoranda verify`", error)  # noqa: TRY400
                return LogPage(events, Damage(error.position, _memories(error)), last=False)
            if not found:
                return LogPage(events, None, last=True)
            events += found
            position = found[-1].position


def _memories(error: CorruptEventError) -> frozenset[str]:
    """A damaged column may name nothing at all."""
    found = set()
    for name in error.originator_ids:
        try:
            found.add(encode_id(MEMORY, UUID(hex=name)))
        except ValueError:
            continue
    return frozenset(found)
