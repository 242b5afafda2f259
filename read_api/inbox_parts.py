"""What the kinds of things that wait for a person share: a place, a part of a page, a reading."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection

from domain.canonical import JsonObject
from domain.context import Context
from domain.ports import LogReader
from read_api.around_damage import EventsRead, around_damage
from read_api.basis import Basis
from read_api.decisions import Decisions
from read_api.proposal_index import ProposalIndex

What: TypeAlias = Literal[
    "approval",
    "contradiction_withdrawn",
    "proposal",
    "needs_review",
    "parked",
    "ambiguous_window",
]


class Place(NamedTuple):
    """From where on a kind goes on: a position, and what comes behind `after` there."""

    position: int
    after: str


START: Final = Place(0, "")


class Part(NamedTuple):
    """Items of one kind, where it goes on (None: that was all), and how much was looked at.

    `damaged` are the positions of events that cannot be read, and might have been items.
    """

    items: list[JsonObject]
    go_on: Place | None
    looked: int
    damaged: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """One reading of what waits."""

    connection: Connection
    context: Context
    basis: Basis
    log: LogReader
    index: ProposalIndex

    @property
    def decisions(self) -> Decisions:
        """What was decided about claims by the basis."""
        return Decisions(self.log, self.basis.workspace, self.basis.viewer, self.basis.position)

    def events(self, place: Place, most: int, topic: str) -> EventsRead:
        """The events of a topic from a place on that are seen."""
        here = self.basis.workspace
        found = around_damage(
            lambda after, limit: self.log.after(after, limit, workspace=here, topics=[topic]),
            max(0, place.position - 1),
            most,
        )
        seen = self.basis.position
        return EventsRead(
            [event for event in found.events if event.position <= seen],
            [one for one in found.damaged if one.position <= seen],
        )


def behind(found: EventsRead, look: int) -> Place | None:
    """Behind a page of events; None where it was the last one."""
    return Place(found.last + 1, "") if found.looked == look else None


def positions(found: EventsRead) -> Collection[int]:
    """Those of what cannot be read."""
    return [one.position for one in found.damaged]
