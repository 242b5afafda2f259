"""Memories that say the same in one slot: candidates for a proposal. Nothing is written.

Two are duplicates where the same reader would be given both now: of one slot, with one value
(`domain.slots.value_of`), active, and valid at this instant. The same statement about two separate
periods is no duplicate. Deciding is for people.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy import Connection, Engine, bindparam, func, select

from domain.canonical import JsonObject
from domain.checks import short
from domain.context import Context
from domain.limits import MEMBERS_MAX, MEMBERS_MIN
from domain.ports import Clock, LogReader
from domain.slots import value_of
from projections.columns import BIG, Words
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, of_ids, parts_of, recallable
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import PAGE, PAGE_MAX, Waiting
from read_api.proposal_index import ProposalIndex
from read_api.record_doors import MEMORIES, seen_position
from read_api.selecting import Keyed

SCANNED_MAX: Final = 5000
"""Slots that are looked at for one page, which may be short and yet have a next one."""

_ROW: Final = MEMORY_VERSION.c
_SLOTS: Final = (
    select(_ROW.slot_ref, func.count())
    .where(
        recallable(MEMORY_VERSION),
        _ROW.slot_ref.is_not(None),
        _ROW.slot_ref > bindparam("after", type_=Words),
    )
    .group_by(_ROW.slot_ref)
    .order_by(_ROW.slot_ref)
    .limit(bindparam("most", type_=BIG))
)
_MEMORIES: Final = select(
    _ROW.slot_ref, _ROW.memory_id, _ROW.version, _ROW.slot, _ROW.record
).where(recallable(MEMORY_VERSION), of_ids(_ROW.slot_ref))


class SuggestionFilters(Waiting):
    """Which part of the list."""

    limit: Annotated[int, Field(ge=1, le=PAGE_MAX, description="Slots with duplicates.")] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse a cursor that is too long."""
        if self.cursor is not None:
            short(self.cursor, "cursor")


class _Copy(NamedTuple):
    """A memory that says something in a slot."""

    slot_ref: str
    memory_id: str
    version: int
    slot: str | None
    record: str


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Finds duplicates; safe to share between threads. `seen` as for `Records`."""

    views: Engine
    log: LogReader
    index: ProposalIndex
    clock: Clock
    secrets: Keyed
    seen: Callable[[str], int]

    def page(self, context: Context, filters: SuggestionFilters) -> JsonObject:
        """`{items, next_cursor, position}`: groups of duplicates by the reference of their slot.

        Each has a `canonical_id`, the oldest, and the open `proposals` that are about two of its
        members. At most `SCANNED_MAX` slots are looked at, and `limit` of them answered.
        """
        filters.check()
        secret = self.secrets.page_tokens(context.workspace)
        after = "" if filters.cursor is None else read_cursor(secret, "suggestions", filters.cursor)
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            position = seen_position(connection, MEMORIES, context, seen)
            basis = _now(context, position, self.clock, self.log)
            asked = {**basis.binds, "after": after, "most": SCANNED_MAX}
            slots = connection.execute(_SLOTS, asked).all()
            crowded = [ref for ref, count in slots if count >= MEMBERS_MIN][: filters.limit]
            groups = _groups(connection, basis, crowded)
        last = slots[-1][0] if slots else after
        more = len(slots) == SCANNED_MAX
        if len(crowded) == filters.limit and crowded[-1] != last:
            last, more = crowded[-1], True
        cursor = write_cursor(secret, "suggestions", last) if more and secret else None
        items = self._items(context, groups)
        return {"items": items, "next_cursor": cursor, "position": position}

    def _items(self, context: Context, groups: Sequence[Sequence[_Copy]]) -> list[JsonObject]:
        if not groups:
            return []
        proposed: defaultdict[str, set[str]] = defaultdict(set)
        for one in self.index.of(context.workspace).listed:
            if one.ended is None and one.home.visible_to(context.viewer):
                for memory_id, _ in one.members:
                    proposed[memory_id].add(one.id)
        return [
            {
                "slot": group[0].slot,
                "canonical_id": group[0].memory_id,
                "members": [{"memory_id": one.memory_id, "version": one.version} for one in group],
                "proposals": _about_two(proposed, group),
            }
            for group in groups
        ]


def _about_two(proposed: dict[str, set[str]], group: Sequence[_Copy]) -> list[str]:
    counted: defaultdict[str, int] = defaultdict(int)
    for one in group:
        for name in proposed.get(one.memory_id, ()):
            counted[name] += 1
    return sorted(name for name, count in counted.items() if count >= MEMBERS_MIN)


def _now(context: Context, position: int, clock: Clock, log: LogReader) -> Basis:
    """The present: no earlier than what is stored (design.md §2, Times)."""
    as_of_us = max(clock.now_us(), log.appended_at(position))
    return Basis(context.workspace, context.actor, position, as_of_us, context.viewer.session)


def _groups(connection: Connection, basis: Basis, refs: Sequence[str]) -> list[list[_Copy]]:
    """Those of the slots' memories that say the same, oldest first; at most a proposal's worth."""
    said: defaultdict[tuple[str, bytes], list[_Copy]] = defaultdict(list)
    for part in parts_of(refs):
        rows = connection.execute(_MEMORIES, {**basis.binds, "ids": part})
        # Asked for in this order, one slot alone would be looked for in the whole workspace.
        for copy in sorted(_Copy(*row) for row in rows):
            value = value_of(json.loads(copy.record)["content"])
            said[copy.slot_ref, value].append(copy)
    return [group[:MEMBERS_MAX] for group in said.values() if len(group) >= MEMBERS_MIN]
