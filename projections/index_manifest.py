"""What the recall index of a workspace consists of; `index_changes` changes it.

All functions work in the transaction of a connection of `IndexStore`. `version` counts the changes
that readers have to know of; they ask for it before each question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from sqlalchemy import Connection, bindparam, select

from projections.index_schema import DAMAGE, MARK, SEGMENT, WORKSPACE
from projections.lexical.fingerprint import INDEX_FORMAT

Reason: TypeAlias = Literal["forgotten", "lost"]
_W: Final = WORKSPACE.c
_S: Final = SEGMENT.c
_VERSION: Final = select(_W.version).where(_W.workspace == bindparam("workspace"))


class Mark(NamedTuple):
    """A memory, or one version of it (None: all), that no recall may give any more."""

    memory_id: str
    version: int | None
    reason: Reason
    since: int = 0


@dataclass(frozen=True, slots=True)
class Live:
    """A segment that holds the events at positions in (after, until]."""

    name: str
    after: int
    until: int
    documents: int
    bytes: int
    digest: str
    applied: int


@dataclass(frozen=True, slots=True)
class Tip:
    """The last event that was folded: `name` is its stream and version."""

    position: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """One state of the index of a workspace: segments in the order of the log."""

    version: int
    position: int
    tip: Tip
    live: tuple[Live, ...]
    marks: tuple[Mark, ...]
    damaged: tuple[int, ...]

    @property
    def lost(self) -> frozenset[str]:
        """Memories of which an event could not be read."""
        return frozenset(mark.memory_id for mark in self.marks if mark.reason == "lost")

    def dirty(self) -> list[Live]:
        """Segments that may still hold words of what is marked."""
        last = max((mark.since for mark in self.marks), default=0)
        return [one for one in self.live if one.applied < last]


NOTHING: Final = Manifest(0, 0, Tip(), (), (), ())


def version_of(connection: Connection, workspace: str) -> int:
    """The version of a workspace's index; 0 where there is none."""
    found: int | None = connection.execute(_VERSION, {"workspace": workspace}).scalar_one_or_none()
    return found or 0


def read(connection: Connection, workspace: str) -> Manifest:
    """The state of a workspace's index; `NOTHING` where there is none of this program's format."""
    row = connection.execute(select(WORKSPACE).where(_W.workspace == workspace)).one_or_none()
    if row is None or row.format != INDEX_FORMAT:
        return NOTHING
    live = connection.execute(
        select(SEGMENT)
        .where(_S.workspace == workspace, _S.state == "live")
        .order_by(_S.after_position)
    )
    marks = connection.execute(select(MARK).where(MARK.c.workspace == workspace))
    damaged = connection.scalars(
        select(DAMAGE.c.position).where(DAMAGE.c.workspace == workspace).order_by("position")
    )
    return Manifest(
        version=row.version,
        position=row.position,
        tip=Tip(row.tip_position, row.tip),
        live=tuple(
            Live(
                one.name,
                one.after_position,
                one.until_position,
                one.documents,
                one.bytes,
                one.digest,
                one.applied,
            )
            for one in live
        ),
        marks=tuple(
            Mark(one.memory_id, one.memory_version or None, one.reason, one.since) for one in marks
        ),
        damaged=tuple(damaged),
    )
