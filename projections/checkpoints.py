"""How far each projection has seen the log. Moved in the transaction that writes its rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Connection, Select, and_, bindparam, func, or_, select
from sqlalchemy.dialects import postgresql

from domain.instants import Micros
from projections.catalogue import Projection
from projections.columns import POSTGRES
from projections.dialects import Upsert
from projections.schema import CHECKPOINT

_READ: Final = select(CHECKPOINT.c.position).where(
    CHECKPOINT.c.projection == bindparam("projection"),
    CHECKPOINT.c.version == bindparam("version"),
    CHECKPOINT.c.part == bindparam("part"),
)
_TAKE: Final = _READ.with_for_update(skip_locked=True)
_BEGIN: Final = postgresql.insert(CHECKPOINT).on_conflict_do_nothing()
_MOVE: Final = Upsert(
    CHECKPOINT, lambda new: {"position": new.position, "updated_us": new.updated_us}
)


class BusyError(Exception):
    """Another process follows this part with this projection. It sees what comes meanwhile."""


class ViewsAheadError(Exception):
    """The read models hold events that the log does not: rebuild them from this log."""


def position(connection: Connection, projection: Projection, part: int) -> int:
    """The last position that the projection has handled; 0 where it has not begun."""
    key = {"projection": projection.name, "version": projection.version, "part": part}
    return connection.execute(_READ, key).scalar_one_or_none() or 0


def least(connection: Connection, projections: Sequence[Projection], part: int) -> int:
    """The last position that all of the projections have handled, in one statement."""
    names = tuple((one.name, one.version) for one in projections)
    begun, reached = connection.execute(_least_of(names), {"part": part}).one()
    return reached if begun == len(names) else 0


@cache
def _least_of(projections: Sequence[tuple[str, int]]) -> Select[int, Any]:
    """Made once: making a statement costs more than answering it."""
    row = CHECKPOINT.c
    return select(func.count(), func.min(row.position)).where(
        or_(*(and_(row.projection == name, row.version == at) for name, at in projections)),
        row.part == bindparam("part"),
    )


def positions(connection: Connection, projection: Projection) -> dict[int, int]:
    """The last position that the projection has handled, by part; a part not begun is left out."""
    query = select(CHECKPOINT.c.part, CHECKPOINT.c.position).where(
        CHECKPOINT.c.projection == projection.name, CHECKPOINT.c.version == projection.version
    )
    return {row.part: row.position for row in connection.execute(query)}


def begin(connection: Connection, projection: Projection, part: int) -> None:
    """Make the row that followers take, at position 0, unless it is there.

    In a transaction of its own: whoever comes at the same time waits for the end of this one.
    """
    if connection.dialect.name == POSTGRES:
        key = {"projection": projection.name, "version": projection.version, "part": part}
        connection.execute(_BEGIN, {**key, "position": 0, "updated_us": 0})


def take(connection: Connection, projection: Projection, part: int) -> int:
    """`position`, held against all other followers until the transaction ends.

    Raises BusyError where another one holds it, or nobody began. SQLite has one writer, which
    `writing` is.
    """
    if connection.dialect.name != POSTGRES:
        return position(connection, projection, part)
    key = {"projection": projection.name, "version": projection.version, "part": part}
    held: int | None = connection.execute(_TAKE, key).scalar_one_or_none()
    if held is None:
        raise BusyError(f"{projection.name}, part {part}")
    return held


def move(
    connection: Connection, projection: Projection, part: int, to: int, now_us: Micros
) -> None:
    """Say that everything up to a position is handled, the skipped topics included."""
    connection.execute(
        _MOVE.on(connection),
        {
            "projection": projection.name,
            "version": projection.version,
            "part": part,
            "position": to,
            "updated_us": now_us,
        },
    )


def reconcile(
    connection: Connection, projection: Projection, part: int, head: int, now_us: Micros
) -> int:
    """Take a checkpoint back to the head of a log that lost its last recalls; the position.

    A power cut may take back recalls, and nothing else (design.md §3); their positions are given
    again, to events that would be skipped. So call this before the log grows. Raises
    ViewsAheadError where the table holds a version that is not in the log.
    """
    reached = position(connection, projection, part)
    if reached <= head:
        return reached
    last = connection.execute(select(func.max(projection.table.c.position))).scalar_one()
    if last is not None and last > head:
        raise ViewsAheadError(
            f"the read model {projection.name} holds position {last}, the log ends at {head}: "
            "rebuild the read models"
        )
    move(connection, projection, part, head, now_us)
    return head
