"""Proposals to consolidate: which there are, how they stand, and what has become of members.

What a proposal says is read from its stream, so that an erasure reaches every answer; whether its
members have changed since is read from the read models, and `position` says how far these saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final

from pydantic import Field
from sqlalchemy import Connection, Engine, bindparam, select

from domain.canonical import JsonObject
from domain.checks import short
from domain.context import Context
from domain.errors import not_found
from domain.ids import PROPOSAL, decode_id
from domain.ports import LogReader
from domain.proposals import ProposalState, apply_proposal
from domain.recorded import RecordedEvent
from projections.columns import Words
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.basis import of_ids, parts_of
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import PAGE, PAGE_MAX, Waiting
from read_api.proposal_bodies import Member, Status, Told, item, stale_members
from read_api.proposal_index import Listed, ProposalIndex
from read_api.record_doors import MEMORIES, seen_position
from read_api.selecting import Keyed

LOOKED_AT_ONCE: Final = 100
"""Proposals whose members are looked up together."""

_ROW: Final = MEMORY_VERSION.c
_CURRENT: Final = select(
    _ROW.memory_id, _ROW.version, _ROW.forgotten, _ROW.dead_versions, _ROW.slot, _ROW.slot_ref
).where(
    _ROW.workspace == bindparam("workspace", type_=Words),
    of_ids(_ROW.memory_id),
    _ROW.to_position.is_(None),
)


class ProposalFilters(Waiting):
    """Which proposals."""

    status: Annotated[
        Status | None,
        Field(description="`stale`: open, but a member has changed, so it cannot be applied."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=PAGE_MAX)] = PAGE
    cursor: Annotated[str | None, Field(description="`next_cursor` of the page before.")] = None

    def check(self) -> None:
        """Refuse a cursor that is too long."""
        if self.cursor is not None:
            short(self.cursor, "cursor")


@dataclass(frozen=True, slots=True)
class Proposals:
    """Reads proposals; safe to share between threads. `seen` as for `Records`."""

    log: LogReader
    views: Engine
    index: ProposalIndex
    secrets: Keyed
    seen: Callable[[str], int]

    def page(self, context: Context, filters: ProposalFilters) -> JsonObject:
        """`{items, next_cursor, damaged, position}`: proposals by id, which is by creation.

        `damaged` are the positions of events of proposals that cannot be read.
        """
        filters.check()
        secret = self.secrets.page_tokens(context.workspace)
        question = ["proposals", filters.status]
        after = "" if filters.cursor is None else read_cursor(secret, question, filters.cursor)
        known = self.index.of(context.workspace)
        listed = [
            one for one in known.listed if one.id > after and one.home.visible_to(context.viewer)
        ]
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            standing = matching(connection, context.workspace, listed, filters.status)
            found = list(islice(standing, filters.limit + 1))
            shown = [one.id for one in found[: filters.limit]]
            items = self._items(connection, context, shown)
            position = seen_position(connection, MEMORIES, context, seen)
        cursor = None
        if len(found) > filters.limit and secret is not None:
            cursor = write_cursor(secret, question, shown[-1])
        return {
            "items": items,
            "next_cursor": cursor,
            "damaged": known.damaged,
            "position": position,
        }

    def one(self, context: Context, proposal_id: str) -> JsonObject:
        """A proposal, and how far its members were seen; NOT_FOUND for what is not to be seen."""
        if decode_id(proposal_id, PROPOSAL) is None:
            raise not_found("the proposal")
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            items = self._items(connection, context, [proposal_id])
            position = seen_position(connection, MEMORIES, context, seen)
        if not items:
            raise not_found("the proposal")
        return {**items[0], "position": position}

    def _items(
        self, connection: Connection, context: Context, ids: Sequence[str]
    ) -> list[JsonObject]:
        streams = self.log.streams(context.workspace, ids)
        told = [Told(state, streams[name]) for name in ids if (state := _state(streams, name))]
        visible = [one for one in told if one.state.home.visible_to(context.viewer)]
        members = current(
            connection,
            context.workspace,
            [member for one in visible for member, _ in one.state.members],
        )
        return [item(one, members, rationale=_reads_reasons(context)) for one in visible]


def current(connection: Connection, workspace: str, ids: Sequence[str]) -> dict[str, Member]:
    """Memories as they are now; those that the read models do not have are left out."""
    found: dict[str, Member] = {}
    for part in parts_of(ids):
        asked = {"workspace": workspace, "ids": part}
        for memory_id, version, forgotten, dead, slot, ref in connection.execute(_CURRENT, asked):
            gone = forgotten is not None
            found[memory_id] = Member(version, gone, not gone and dead is None, slot, ref)
    return found


def matching(
    connection: Connection, workspace: str, listed: Sequence[Listed], status: Status | None
) -> Iterator[Listed]:
    """Those of the proposals that stand so, in their order; None: all of them."""
    if status in {None, "applied", "rejected"}:
        yield from (one for one in listed if status in {None, one.ended})
        return
    standing = [one for one in listed if one.ended is None]
    for start in range(0, len(standing), LOOKED_AT_ONCE):
        part = standing[start : start + LOOKED_AT_ONCE]
        now = current(connection, workspace, [key for one in part for key, _ in one.members])
        for one in part:
            if bool(stale_members(one.members, now)) == (status == "stale"):
                yield one


def _state(streams: Mapping[str, Sequence[RecordedEvent]], name: str) -> ProposalState | None:
    state: ProposalState | None = None
    for event in streams.get(name, ()):
        state = apply_proposal(state, event)
    return state


def _reads_reasons(context: Context) -> bool:
    """Who decides about proposals reads why they were made; so do auditors."""
    granted = context.permissions
    return not granted.isdisjoint({"consolidate", "review"}) or granted >= {"trace", "forget"}
