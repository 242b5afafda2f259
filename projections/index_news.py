"""What is new in the log, and so to be done for the index: noted by whoever looks, for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, and_, insert, or_, select, union, update

from domain.instants import Micros
from projections.columns import POSTGRES
from projections.index_schema import MARK, SCAN, SEGMENT, WORKSPACE
from projections.lexical.fingerprint import INDEX_FORMAT

_W: Final = WORKSPACE.c
_S: Final = SEGMENT.c


class News(NamedTuple):
    """What a look at the log found of a workspace; `urgent`: a forget is among the events."""

    workspace: str
    head: int
    events: int
    urgent: bool


def scan_position(connection: Connection) -> int:
    """Up to which position the log was looked through."""
    return connection.execute(select(SCAN.c.position)).scalar_one_or_none() or 0


def scanned(connection: Connection) -> int:
    """Up to which position the log was looked through; nobody else looks before the end of this."""
    query = select(SCAN.c.position)
    if connection.dialect.name == POSTGRES:
        query = query.with_for_update()
    found: int | None = connection.execute(query).scalar_one_or_none()
    if found is None:
        connection.execute(insert(SCAN), {"part": 0, "position": 0})
    return found or 0


def note(connection: Connection, until: int, news: Sequence[News], now_us: Micros) -> None:
    """Say what stands in the log up to a position; with `scanned`, in one transaction."""
    for one in news:
        here = _W.workspace == one.workspace
        known = connection.execute(select(_W.position, _W.urgent).where(here)).one_or_none()
        said = {"head": one.head, "changed_us": now_us}
        if known is None:
            fresh = {
                "format": INDEX_FORMAT,
                "version": 0,
                "position": 0,
                "tip_position": 0,
                "tip": "",
            }
            row = {"workspace": one.workspace, **fresh, **said, "suspect": False}
            connection.execute(
                insert(WORKSPACE), {**row, "pending": one.events, "urgent": one.urgent}
            )
        elif one.head > known.position:
            counted = {"pending": _W.pending + one.events, "urgent": known.urgent or one.urgent}
            connection.execute(update(WORKSPACE).where(here).values(**said, **counted))
    connection.execute(update(SCAN).values(position=until))


def suspect(connection: Connection, workspace: str, *, found: bool) -> None:
    """Say that a segment of a workspace cannot be used, or that all were looked at since."""
    connection.execute(update(WORKSPACE).where(_W.workspace == workspace).values(suspect=found))


def is_suspect(connection: Connection, workspace: str) -> bool:
    """Whether somebody could not use a segment of a workspace."""
    query = select(_W.suspect).where(_W.workspace == workspace)
    return bool(connection.execute(query).scalar_one_or_none())


def due(connection: Connection, enough: int, idle_since_us: Micros) -> list[str]:
    """Workspaces of which a segment is to be made: much is new, or it is old, or to be forgotten,
    or what there is was made by another program.

    Those with something to forget come first, then those with most to do.
    """
    waiting = or_(
        _W.pending >= enough,
        _W.urgent,
        _W.suspect,
        _W.format != INDEX_FORMAT,
        and_(_W.pending > 0, _W.changed_us <= idle_since_us),
    )
    query = select(_W.workspace).where(waiting).order_by(_W.urgent.desc(), _W.pending.desc())
    return list(connection.scalars(query))


def unclean(connection: Connection, before_us: Micros) -> list[str]:
    """Workspaces with something to remove: condemned directories, or builds that never ended."""
    query = select(_S.workspace).where(
        or_(
            _S.state == "condemned",
            and_(_S.state == "building", _S.changed_us <= before_us),
        )
    )
    return sorted(set(connection.scalars(query)))


def workspaces(connection: Connection) -> list[str]:
    """All workspaces with an index, or one that is being made."""
    return sorted(set(connection.scalars(union(select(_W.workspace), select(_S.workspace)))))


def marked(connection: Connection) -> list[str]:
    """Workspaces with marks that segments do not know yet."""
    query = (
        select(MARK.c.workspace)
        .join(SEGMENT, and_(_S.workspace == MARK.c.workspace, _S.state == "live"))
        .where(_S.applied < MARK.c.since)
    )
    return sorted(set(connection.scalars(query)))
