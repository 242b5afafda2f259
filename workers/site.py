"""What a process of the server mode follows the log with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine

from domain.ports import LogReader
from projections import checkpoints
from projections.catalogue import CATALOGUE, Projection
from projections.database import reading
from workers.index_rounds import Grown


@dataclass(frozen=True, slots=True)
class Laggard:
    """A projection that has not seen all of a part: where it stands, and the part's last event."""

    projection: Projection
    part: int
    position: int
    head: int


@dataclass(frozen=True, slots=True)
class Site:
    """The log and the read models; `heads` gives the last position of each part with events.

    `grown` counts events of the log without reading them, for who makes the recall index.
    """

    log: LogReader
    views: Engine
    heads: Callable[[], Mapping[int, int]]
    catalogue: Sequence[Projection] = CATALOGUE
    grown: Grown | None = None

    def laggards(self) -> list[Laggard]:
        """What has to be caught up with, the furthest behind first."""
        heads = self.heads()
        with reading(self.views) as connection:
            reached = {
                projection.name: checkpoints.positions(connection, projection)
                for projection in self.catalogue
            }
        found = [
            Laggard(projection, part, position, head)
            for projection in self.catalogue
            for part, head in heads.items()
            if (position := reached[projection.name].get(part, 0)) < head
        ]
        return sorted(found, key=lambda one: one.position)
