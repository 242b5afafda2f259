"""Memories and relationships as they stand, from the read models (design.md §7).

Every answer says how far it saw: the checkpoint is read in the transaction of the rows. Private
records exist for their owner alone, forgotten ones for nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, Engine, Select, Table, and_, exists, or_, select

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import Code, MemorandaError, not_found
from projections import checkpoints
from projections.catalogue import CATALOGUE, Projection
from projections.database import part_in, reading
from projections.parked_streams import first_parked, is_parked
from projections.schema import EDGE_VERSION, MEMORY_SOURCE, MEMORY_TAG, MEMORY_VERSION
from read_api.derivations import Derivations, Version, cited_by
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import ListFilters, MemoryFilters, RelationshipFilters
from read_api.selecting import NO_SLOT, SlotRef

Condition: TypeAlias = ColumnElement[bool]

Secrets: TypeAlias = Callable[[str], bytes | None]
"""The secret that signs the cursors of a workspace; None for one that nobody has written to."""


@dataclass(frozen=True, slots=True)
class Found:
    """One record: what is shown, its version for ETags, and how far the read models had seen."""

    body: JsonObject
    version: int
    erased: bool
    position: int


@dataclass(frozen=True, slots=True)
class _Door:
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
        mine = or_(table.c.visibility == "workspace", table.c.owner == context.actor)
        here = and_(table.c.workspace == context.workspace, mine)
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
        or_(memory.c.visibility == "workspace", memory.c.owner == context.actor),
    )


_PROJECTIONS: Final = {projection.name: projection for projection in CATALOGUE}
_MEMORIES: Final = _Door(MEMORY_VERSION, "memory_id", _PROJECTIONS["records"], "the memory")
_EDGES: Final = _Door(
    EDGE_VERSION,
    "relationship_id",
    _PROJECTIONS["evidence"],
    "the relationship",
)


class Records:
    """Reads the read models; safe to share between threads.

    `seen` gives a position up to which a workspace has been followed, where that is further than
    its checkpoints say: these move when there is something to do in their part of the log.
    """

    def __init__(
        self,
        views: Engine,
        secrets: Secrets,
        slot_ref: SlotRef,
        seen: Callable[[str], int] = lambda _: 0,
    ) -> None:
        self._views = views
        self._secrets = secrets
        self._slot_ref = slot_ref
        self._seen = seen

    def memory(self, context: Context, memory_id: str, version: int | None = None) -> Found:
        """A memory, current or at a version; NOT_FOUND for what is not addressable."""
        return self._one(_MEMORIES, context, memory_id, version)

    def relationship(self, context: Context, relationship_id: str) -> Found:
        """A relationship as it stands; NOT_FOUND for what is not addressable."""
        return self._one(_EDGES, context, relationship_id, None)

    def memories(self, context: Context, filters: MemoryFilters) -> JsonObject:
        """`{items, next_cursor, position}`: current memories by id, which is by creation."""
        more: list[Condition] = []
        table = MEMORY_VERSION.c
        if filters.status is not None:
            more.append(table.epistemic_status == filters.status)
        for wanted, other, column in (
            (filters.tag, MEMORY_TAG, "tag"),
            (filters.source_id, MEMORY_SOURCE, "source_id"),
        ):
            if wanted is not None:
                here = and_(other.c.workspace == context.workspace, other.c[column] == wanted)
                more.append(table.memory_id.in_(select(other.c.memory_id).where(here)))
        if filters.slot is not None:
            slot = self._slot_ref(context.workspace, filters.slot) or NO_SLOT
            # A slot that only an erased text has named is nobody's to guess.
            more += [table.slot_ref == slot, table.erased.is_(False)]
        return self._page(_MEMORIES, context, filters, more)

    def relationships(self, context: Context, filters: RelationshipFilters) -> JsonObject:
        """`{items, next_cursor, position}`: current relationships by id."""
        more = [
            EDGE_VERSION.c[name] == wanted
            for name, wanted in (("source_id", filters.source_id), ("target_id", filters.target_id))
            if wanted is not None
        ]
        return self._page(_EDGES, context, filters, more)

    def _one(self, door: _Door, context: Context, record_id: str, version: int | None) -> Found:
        table = door.table.c
        which = table.to_position.is_(None) if version is None else table.version == version
        query = select(door.table).where(door.visible(context), door.id == record_id, which)
        seen = self._seen(context.workspace)
        with reading(self._views) as connection:
            row = connection.execute(query).mappings().first()
            if row is None:
                raise _missing(connection, door, context, record_id)
            [shown] = _shown(connection, door, context, [row])
            position = _position(connection, door, context, seen)
        body = {**shown, "position": position}
        return Found(body, row["version"], row["erased"], position)

    def _page(
        self, door: _Door, context: Context, filters: ListFilters, more: list[Condition]
    ) -> JsonObject:
        filters.check()
        secret = self._secrets(context.workspace)
        question = [door.id_column, filters.question()]
        query = _listed(door, context, filters).where(*more)
        if filters.cursor is not None:
            query = query.where(door.id > read_cursor(secret, question, filters.cursor))
        seen = self._seen(context.workspace)
        with reading(self._views) as connection:
            rows = list(connection.execute(query.limit(filters.limit + 1)).mappings())
            shown, rest = rows[: filters.limit], rows[filters.limit :]
            items = _shown(connection, door, context, shown)
            position = _position(connection, door, context, seen)
        cursor = None
        if rest and secret is not None:
            cursor = write_cursor(secret, question, shown[-1][door.id_column])
        return {"items": items, "next_cursor": cursor, "position": position}


def _position(connection: Connection, door: _Door, context: Context, seen: int) -> int:
    """How far all of the workspace is seen; what is parked at a position is not.

    `seen` was so before the transaction of the connection began.
    """
    part = part_in(connection, context.workspace)
    reached = max(seen, checkpoints.position(connection, door.projection, part))
    parked = first_parked(connection, CATALOGUE, context.workspace)
    return reached if parked is None else min(reached, parked - 1)


def _missing(
    connection: Connection, door: _Door, context: Context, record_id: str
) -> MemorandaError:
    """A parked record is not said to be absent."""
    if not is_parked(connection, door.projection, context.workspace, record_id):
        return not_found(door.what)
    return MemorandaError(
        Code.INTERNAL,
        "an event of this record could not be handled, so it is not shown: "
        "`memoranda parked list` says more, trace reads its log",
        reason="PARKED",
    )


def _listed(door: _Door, context: Context, filters: ListFilters) -> Select[Any]:
    table = door.table.c
    query = select(door.table).where(door.visible(context), table.to_position.is_(None))
    for column, wanted in (
        (table.identity_key, filters.identity_key),
        (table.kind, filters.kind),
        (table.lifecycle, filters.lifecycle),
    ):
        if wanted is not None:
            query = query.where(column == wanted)
    after = filters.recorded_after_us
    if after is not None:
        query = query.where(table.recorded_us > after)
    return query.order_by(door.id)


def _shown(
    connection: Connection, door: _Door, context: Context, rows: Sequence[Any]
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
    if door is _MEMORIES:
        versions = [
            Version(item["id"], row["position"], cited_by(item))
            for item, row in zip(items, rows, strict=True)
        ]
        derivations = Derivations(connection, context.workspace, context.actor)
        review = derivations.needs_review(versions)
        items = [{**item, "needs_review": item["id"] in review} for item in items]
    return items
