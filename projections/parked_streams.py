"""What readers and operators may know of the streams that are parked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
)

from domain.instants import Micros
from projections.catalogue import Projection
from projections.columns import Words
from projections.schema import PARKED

_ROW: Final = PARKED.c


@dataclass(frozen=True, slots=True)
class ParkedStream:
    """A stream that a projection does not show: since which position, why, and how much waits.

    `state` is `parked`, `passed` (an operator gave it up) or `skipped` (one event is left out).
    `error` is the name of the class of what was raised, '' for a stream that was passed.
    """

    projection: str
    workspace: str
    stream: str
    state: str
    position: int
    events: int
    error: str
    since_us: Micros


@dataclass(frozen=True, slots=True)
class ParkedEvent:
    """One event of such a stream; `blocked_by` is the position that it waits for."""

    position: int
    state: str
    error: str
    blocked_by: int | None
    parked_us: Micros


def parked_counts(
    connection: Connection, catalogue: Sequence[Projection]
) -> dict[str, tuple[int, int]]:
    """By projection how many streams are parked, and how many events; those with none left out."""
    streams = (
        select(_ROW.projection, func.count().label("events"))
        .where(_of(catalogue), _ROW.state == "parked")
        .group_by(_ROW.projection, _ROW.workspace, _ROW.stream)
        .subquery()
    )
    query = select(streams.c.projection, func.count(), func.sum(streams.c.events)).group_by(
        streams.c.projection
    )
    return {name: (count, int(events)) for name, count, events in connection.execute(query)}


def parked_streams(
    connection: Connection, catalogue: Sequence[Projection], stream: str | None = None
) -> list[ParkedStream]:
    """All streams that are not shown, or those of one id, by position."""
    first = func.min(_ROW.position)
    error = func.max(case((_ROW.blocked_by.is_(None), _ROW.error), else_=""))
    query = (
        select(
            _ROW.projection,
            _ROW.workspace,
            _ROW.stream,
            _ROW.state,
            first,
            func.count(),
            error,
            func.min(_ROW.parked_us),
        )
        .where(_of(catalogue), *([] if stream is None else [_ROW.stream == stream]))
        .group_by(_ROW.projection, _ROW.workspace, _ROW.stream, _ROW.state)
        .order_by(first, _ROW.projection, _ROW.stream)
    )
    return [ParkedStream(*row) for row in connection.execute(query)]


def parked_events(connection: Connection, parked: ParkedStream) -> list[ParkedEvent]:
    """The events of such a stream, in order."""
    query = (
        select(_ROW.position, _ROW.state, _ROW.error, _ROW.blocked_by, _ROW.parked_us)
        .where(
            _ROW.projection == parked.projection,
            _ROW.workspace == parked.workspace,
            _ROW.stream == parked.stream,
        )
        .order_by(_ROW.position)
    )
    return [ParkedEvent(*row) for row in connection.execute(query)]


def first_parked(
    connection: Connection, catalogue: Sequence[Projection], workspace: str
) -> int | None:
    """The first position of a workspace that is parked; None where all that is seen is shown."""
    query = _first_of(tuple((one.name, one.version) for one in catalogue))
    found: int | None = connection.execute(query, {"workspace": workspace}).scalar_one()
    return found


@cache
def _first_of(projections: Sequence[tuple[str, int]]) -> Select[Any]:
    """Made once: every recall asks, and making a statement costs more than answering it."""
    return select(func.min(_ROW.position)).where(
        or_(*(and_(_ROW.projection == name, _ROW.version == at) for name, at in projections)),
        _ROW.workspace == bindparam("workspace", type_=Words),
        _ROW.state == "parked",
    )


def is_parked(connection: Connection, projection: Projection, workspace: str, stream: str) -> bool:
    """Whether a stream is left out of a projection: parked, or passed by an operator."""
    query = select(_ROW.position).where(
        _of([projection]),
        _ROW.workspace == workspace,
        _ROW.stream == stream,
        _ROW.state != "skipped",
    )
    return connection.execute(query.limit(1)).first() is not None


def _of(catalogue: Sequence[Projection]) -> ColumnElement[bool]:
    return or_(
        *(and_(_ROW.projection == one.name, _ROW.version == one.version) for one in catalogue)
    )
