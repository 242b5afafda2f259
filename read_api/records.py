"""Memories and relationships as they stand, from the read models (design.md §7).

Every answer says how far it saw: the checkpoint is read in the transaction of the rows. Private
records exist for their owner alone, forgotten ones for nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import Engine, Select, and_, select

from domain.canonical import JsonObject
from domain.context import Context
from projections.database import reading
from projections.schema import EDGE_VERSION, MEMORY_SOURCE, MEMORY_TAG, MEMORY_VERSION
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import ListFilters, MemoryFilters, RelationshipFilters
from read_api.record_doors import (
    EDGES,
    MEMORIES,
    Condition,
    Door,
    missing,
    seen_position,
    shown_records,
)
from read_api.selecting import NO_SLOT, SlotRef

Secrets: TypeAlias = Callable[[str], bytes | None]
"""The secret that signs the cursors of a workspace; None for one that nobody has written to."""


@dataclass(frozen=True, slots=True)
class Found:
    """One record: what is shown, its version for ETags, and how far the read models had seen."""

    body: JsonObject
    version: int
    erased: bool
    position: int


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
        return self._one(MEMORIES, context, memory_id, version)

    def relationship(self, context: Context, relationship_id: str) -> Found:
        """A relationship as it stands; NOT_FOUND for what is not addressable."""
        return self._one(EDGES, context, relationship_id, None)

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
        return self._page(MEMORIES, context, filters, more)

    def relationships(self, context: Context, filters: RelationshipFilters) -> JsonObject:
        """`{items, next_cursor, position}`: current relationships by id."""
        more = [
            EDGE_VERSION.c[name] == wanted
            for name, wanted in (("source_id", filters.source_id), ("target_id", filters.target_id))
            if wanted is not None
        ]
        return self._page(EDGES, context, filters, more)

    def _one(self, door: Door, context: Context, record_id: str, version: int | None) -> Found:
        table = door.table.c
        which = table.to_position.is_(None) if version is None else table.version == version
        query = select(door.table).where(door.visible(context), door.id == record_id, which)
        seen = self._seen(context.workspace)
        with reading(self._views) as connection:
            row = connection.execute(query).mappings().first()
            if row is None:
                raise missing(connection, door, context, record_id)
            [shown] = shown_records(connection, door, context, [row])
            position = seen_position(connection, door, context, seen)
        body = {**shown, "position": position}
        return Found(body, row["version"], row["erased"], position)

    def _page(
        self, door: Door, context: Context, filters: ListFilters, more: list[Condition]
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
            items = shown_records(connection, door, context, shown)
            position = seen_position(connection, door, context, seen)
        cursor = None
        if rest and secret is not None:
            cursor = write_cursor(secret, question, shown[-1][door.id_column])
        return {"items": items, "next_cursor": cursor, "position": position}


def _listed(door: Door, context: Context, filters: ListFilters) -> Select[Any]:
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
