"""Each change of what the recall index consists of: all of it in one transaction, or nothing.

All functions work in the transaction of a connection of `IndexStore.writing`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, and_, delete, func, insert, select, update

from domain.instants import Micros
from projections.columns import POSTGRES
from projections.index_manifest import Live, Mark, Tip
from projections.index_schema import DAMAGE, MARK, SEGMENT, WORKSPACE
from projections.lexical.fingerprint import INDEX_FORMAT

ALL_VERSIONS: Final = 0
_W: Final = WORKSPACE.c
_S: Final = SEGMENT.c


def begin_build(connection: Connection, workspace: str, name: str, now_us: Micros) -> None:
    """Name a directory that is going to be made."""
    connection.execute(
        insert(SEGMENT),
        {
            "name": name,
            "workspace": workspace,
            "state": "building",
            "after_position": 0,
            "until_position": 0,
            "documents": 0,
            "bytes": 0,
            "digest": "",
            "applied": 0,
            "changed_us": now_us,
        },
    )


def is_building(connection: Connection, name: str) -> bool:
    """Whether a directory may still become a segment: nobody gave it up."""
    query = select(_S.name).where(_S.name == name, _S.state == "building")
    return connection.execute(query).first() is not None


def unfinished(connection: Connection, workspace: str) -> list[str]:
    """The directories of a workspace that are being made, or were when somebody died."""
    query = select(_S.name).where(_S.workspace == workspace, _S.state == "building")
    return list(connection.scalars(query))


def condemned(connection: Connection, workspace: str) -> list[str]:
    """The directories of a workspace that have to go."""
    query = select(_S.name).where(_S.workspace == workspace, _S.state == "condemned")
    return list(connection.scalars(query))


def condemn(connection: Connection, names: Collection[str]) -> None:
    """Directories have to go, whatever they were; who is making one finds that out."""
    connection.execute(update(SEGMENT).where(_S.name.in_(names)).values(state="condemned"))


def removed(connection: Connection, names: Collection[str]) -> None:
    """Condemned directories are gone."""
    connection.execute(delete(SEGMENT).where(_S.name.in_(names), _S.state == "condemned"))


class Advance(NamedTuple):
    """What a flush adds: all events in (after, until], as a segment if they made documents."""

    after: int
    until: int
    tip: Tip
    segment: Live | None
    marks: Sequence[Mark]
    damaged: Sequence[int]
    events: int


def advance(connection: Connection, workspace: str, done: Advance) -> bool:
    """The index has come further; False where another one was quicker, and nothing is changed."""
    row = _held(connection, workspace)
    position, version = (0, 0) if row is None else row
    if position != done.after:
        return False
    version += 1
    if done.segment is not None and not _born(connection, done.segment, version):
        return False
    _add_marks(connection, workspace, done.marks, version)
    for damage in done.damaged:
        connection.execute(insert(DAMAGE), {"workspace": workspace, "position": damage})
    values = {
        "version": version,
        "position": done.until,
        "tip_position": done.tip.position,
        "tip": done.tip.name,
    }
    here = update(WORKSPACE).where(_W.workspace == workspace)
    if row is None:
        known = {
            "head": done.until,
            "pending": 0,
            "changed_us": 0,
            "urgent": False,
            "suspect": False,
        }
        connection.execute(
            insert(WORKSPACE), {"workspace": workspace, "format": INDEX_FORMAT, **values, **known}
        )
        return True
    connection.execute(here.values(**values, pending=_W.pending - done.events))
    done_all = and_(_W.head <= done.until)
    connection.execute(here.where(done_all).values(pending=0, urgent=False))
    return True


def replace(
    connection: Connection, workspace: str, inputs: Sequence[str], output: Live | None
) -> bool:
    """One segment takes the place of others; False where one of these is not live any more.

    `output` is None for segments whose documents are folded anew by somebody else.
    """
    row = _held(connection, workspace)
    still = select(_S.name).where(_S.name.in_(inputs), _S.state == "live")
    if row is None or set(connection.scalars(still)) != set(inputs):
        return False
    version = row[1] + 1
    if output is not None and not _born(connection, output, output.applied):
        return False
    condemn(connection, inputs)
    connection.execute(update(WORKSPACE).where(_W.workspace == workspace).values(version=version))
    return True


def settle(connection: Connection, workspace: str, names: Collection[str], applied: int) -> None:
    """Segments hold nothing of what was marked up to a version; so marks that all know are done.

    Who is merging segments meanwhile is not wrong for it: of those that held what was marked
    another one has the place.
    """
    if names:
        connection.execute(
            update(SEGMENT).where(_S.name.in_(names), _S.applied < applied).values(applied=applied)
        )
    least = select(func.min(_S.applied)).where(_S.workspace == workspace, _S.state == "live")
    known = connection.scalar(least)
    done = [MARK.c.workspace == workspace, MARK.c.reason == "forgotten"]
    if known is not None:
        done.append(MARK.c.since <= known)
    connection.execute(delete(MARK).where(*done))


def reset(connection: Connection, workspace: str) -> None:
    """Nothing of the index can be used: it begins again at the first event."""
    row = _held(connection, workspace)
    if row is None:
        return
    condemn(
        connection,
        list(connection.scalars(select(_S.name).where(_S.workspace == workspace))),
    )
    for table in (MARK, DAMAGE):
        connection.execute(delete(table).where(table.c.workspace == workspace))
    connection.execute(
        update(WORKSPACE)
        .where(_W.workspace == workspace)
        .values(
            format=INDEX_FORMAT,
            version=row[1] + 1,
            position=0,
            tip_position=0,
            tip="",
            pending=_W.head,
        )
    )


def _held(connection: Connection, workspace: str) -> tuple[int, int] | None:
    """Position and version, which nobody changes before the transaction ends."""
    query = select(_W.position, _W.version).where(_W.workspace == workspace)
    if connection.dialect.name == POSTGRES:
        query = query.with_for_update()
    row = connection.execute(query).one_or_none()
    return None if row is None else (row.position, row.version)


def _born(connection: Connection, segment: Live, applied: int) -> bool:
    """A directory that was being made is a segment; False where it was given up meanwhile."""
    changed = connection.execute(
        update(SEGMENT)
        .where(_S.name == segment.name, _S.state == "building")
        .values(
            state="live",
            after_position=segment.after,
            until_position=segment.until,
            documents=segment.documents,
            bytes=segment.bytes,
            digest=segment.digest,
            applied=applied,
        )
    )
    return changed.rowcount == 1


def _add_marks(connection: Connection, workspace: str, marks: Sequence[Mark], version: int) -> None:
    """Marks that are there already stay as they are: what they are about is gone since then."""
    for mark in marks:
        key = {
            "workspace": workspace,
            "memory_id": mark.memory_id,
            "memory_version": mark.version or ALL_VERSIONS,
        }
        same = and_(*(MARK.c[name] == value for name, value in key.items()))
        if connection.execute(select(MARK.c.since).where(same)).first() is None:
            connection.execute(insert(MARK), {**key, "reason": mark.reason, "since": version})
