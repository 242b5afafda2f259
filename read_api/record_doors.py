"""The two kinds of records that are read from the read models: memories and relationships."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, FromClause, Table, and_, exists, or_

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import Code, MemorandaError, not_found
from domain.visibility import Viewer
from projections import checkpoints
from projections.catalogue import CATALOGUE, Projection
from projections.database import part_in
from projections.parked_streams import first_parked, is_parked
from projections.schema import EDGE_VERSION, MEMORY_VERSION
from read_api.derivations import Derivations, Version, cited_by

Condition: TypeAlias = ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Door:
    """One kind of record: its table and what it is called."""

    table: Table
    id_column: str
    projection: Projection
    what: str

    @property
    def id(self) -> ColumnElement[str]:
        return self.table.c[self.id_column]

    def visible(self, context: Context) -> Condition:
        """Of the workspace, and not private to somebody else; forgotten ones left out."""
        table = self.table
        here = and_(table.c.workspace == context.workspace, _seen_by(context.viewer, table))
        if table is MEMORY_VERSION:
            return and_(here, table.c.forgotten.is_(None))
        return and_(here, _stands(table.c.source_id, context), _stands(table.c.target_id, context))


def _stands(end: ColumnElement[str], context: Context) -> ColumnElement[bool]:
    """An edge is visible if it and both of its ends are (spec/policy.md §2.13)."""
    memory = MEMORY_VERSION.alias()
    return exists().where(
        memory.c.workspace == context.workspace,
        memory.c.memory_id == end,
        memory.c.to_position.is_(None),
        memory.c.forgotten.is_(None),
        _seen_by(context.viewer, memory),
    )


def _seen_by(viewer: Viewer, table: FromClause) -> Condition:
    """`domain.visibility.Home.visible_to` over the rows of a table."""
    mine = or_(table.c.visibility == "workspace", table.c.owner == viewer.actor)
    return mine if viewer.session is None else and_(mine, table.c.session == viewer.session)


PROJECTIONS: Final = {projection.name: projection for projection in CATALOGUE}
"""By their names."""
MEMORIES: Final = Door(MEMORY_VERSION, "memory_id", PROJECTIONS["records"], "the memory")
EDGES: Final = Door(
    EDGE_VERSION,
    "relationship_id",
    PROJECTIONS["evidence"],
    "the relationship",
)


def seen_position(connection: Connection, door: Door, context: Context, seen: int) -> int:
    """How far all of the workspace is seen; what is parked at a position is not.

    `seen` was so before the transaction of the connection began.
    """
    return seen_at_all(connection, (door,), context, seen)


def seen_at_all(connection: Connection, doors: Sequence[Door], context: Context, seen: int) -> int:
    """`seen_position` where all of the doors are looked through, as that of the least of them."""
    part = part_in(connection, context.workspace)
    followed = checkpoints.least(connection, [door.projection for door in doors], part)
    reached = max(seen, followed)
    parked = first_parked(connection, CATALOGUE, context.workspace)
    return reached if parked is None else min(reached, parked - 1)


def missing(connection: Connection, door: Door, context: Context, record_id: str) -> MemorandaError:
    """A parked record is not said to be absent."""
    if not is_parked(connection, door.projection, context.workspace, record_id):
        return not_found(door.what)
    return MemorandaError(
        Code.INTERNAL,
        "an event of this record could not be handled, so it is not shown: "
        "`memoranda parked list` says more, trace reads its log",
        reason="PARKED",
    )


def shown_records(
    connection: Connection, door: Door, context: Context, rows: Sequence[Any]
) -> list[JsonObject]:
    """Records, where they belong, and of memories whether they have to be looked at again."""
    items = [
        {
            **json.loads(row["record"]),
            "visibility": row["visibility"],
            "owner": row["owner"],
            "session": row["session"],
        }
        for row in rows
    ]
    if door is MEMORIES:
        versions = [
            Version(item["id"], row["position"], cited_by(item))
            for item, row in zip(items, rows, strict=True)
        ]
        derivations = Derivations(connection, context.workspace, context.viewer)
        review = derivations.needs_review(versions)
        items = [{**item, "needs_review": item["id"] in review} for item in items]
    return items
