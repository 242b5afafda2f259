"""What waits for a person, of every kind, in one list with one cursor. Nothing is recorded.

Each kind goes on from a place of its own; a page looks at `LOOKED_MAX` events and proposals at
most, so it may be short, or empty, and yet have a next one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import Connection, Engine

from domain.canonical import JsonObject
from domain.checks import short
from domain.context import Context
from domain.ports import Clock, LogReader
from projections.database import reading
from read_api.inbox_parts import START, Place, Site
from read_api.inbox_sections import SECTIONS
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import PAGE, PAGE_MAX, Waiting
from read_api.past_basis import AskedBasis, PastBases
from read_api.proposal_index import ProposalIndex
from read_api.record_doors import EDGES, MEMORIES, seen_position
from read_api.selecting import Keyed

LOOKED_MAX: Final = 500
_QUESTION: Final = ["reviews"]


class InboxFilters(Waiting):
    """A page of what waits."""

    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse a cursor that is too long."""
        if self.cursor is not None:
            short(self.cursor, "cursor")


@dataclass(frozen=True, slots=True)
class Inbox:
    """Reads what waits for a person; safe to share between threads. `seen` as for `Records`."""

    views: Engine
    log: LogReader
    clock: Clock
    index: ProposalIndex
    secrets: Keyed
    seen: Callable[[str], int]

    def page(self, context: Context, filters: InboxFilters) -> JsonObject:
        """`{items, next_cursor, damaged, position}`: by kind, of each kind the oldest first.

        `damaged` are positions of events that cannot be read and might have been items.
        """
        filters.check()
        secret = self.secrets.page_tokens(context.workspace)
        section, place = 0, START
        if filters.cursor is not None:
            section, *at = json.loads(read_cursor(secret, _QUESTION, filters.cursor))
            place = Place(*at)
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            site = self._site(connection, context, seen)
            items: list[JsonObject] = []
            looked, damaged = 0, set[int]()
            while section < len(SECTIONS) and len(items) < filters.limit and looked < LOOKED_MAX:
                part = SECTIONS[section](
                    site, place, filters.limit - len(items), LOOKED_MAX - looked
                )
                items += part.items
                looked += part.looked
                damaged.update(part.damaged)
                section, place = (section, part.go_on) if part.go_on else (section + 1, START)
        cursor = None
        if section < len(SECTIONS) and secret is not None:
            cursor = write_cursor(secret, _QUESTION, json.dumps([section, *place]))
        return {
            "items": items,
            "next_cursor": cursor,
            "damaged": sorted(damaged),
            "position": site.basis.position,
        }

    def _site(self, connection: Connection, context: Context, seen: int) -> Site:
        doors: Sequence[int] = [
            seen_position(connection, door, context, seen) for door in (MEMORIES, EDGES)
        ]
        basis = PastBases(self.log, self.clock).choose(context, AskedBasis(), min(doors))
        return Site(connection, context, basis, self.log, self.index)
