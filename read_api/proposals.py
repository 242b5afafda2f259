"""Proposals to consolidate: which there are, how they stand, and what has become of members.

What a proposal says is read from its stream, so that an erasure reaches every answer; whether its
members have changed since is read from the read models, and `position` says how far these saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field
from sqlalchemy import Connection, Engine, bindparam, select

from domain.canonical import JsonObject
from domain.checks import short
from domain.context import Context
from domain.errors import not_found
from domain.events import (
    ConsolidationApplied,
    ConsolidationProposed,
    ConsolidationRejected,
    Target,
)
from domain.ids import PROPOSAL, decode_id
from domain.ports import LogReader
from domain.proposals import ProposalState, apply_proposal, proposal_answer
from domain.recorded import RecordedEvent
from projections.columns import Words
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.basis import IDS, parts_of
from read_api.list_cursors import read_cursor, write_cursor
from read_api.list_filters import PAGE, PAGE_MAX, Waiting
from read_api.proposal_index import Listed, ProposalIndex
from read_api.record_doors import MEMORIES, seen_position
from read_api.selecting import Keyed

Status: TypeAlias = Literal["open", "applied", "rejected", "stale"]
LOOKED_AT_ONCE: Final = 100
"""Proposals whose members are looked up together."""

_ROW: Final = MEMORY_VERSION.c
_CURRENT: Final = select(
    _ROW.memory_id, _ROW.version, _ROW.forgotten, _ROW.dead_versions, _ROW.slot, _ROW.slot_ref
).where(
    _ROW.workspace == bindparam("workspace", type_=Words),
    _ROW.memory_id.in_(IDS),
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


class Member(NamedTuple):
    """A member as it is now, whatever became of it."""

    version: int
    forgotten: bool
    whole: bool
    slot: str | None
    slot_ref: str | None


Members: TypeAlias = Mapping[str, Member]


class _Told(NamedTuple):
    """A proposal with its events."""

    state: ProposalState
    events: Sequence[RecordedEvent]


@dataclass(frozen=True, slots=True)
class Proposals:
    """Reads proposals; safe to share between threads. `seen` as for `Records`."""

    log: LogReader
    views: Engine
    index: ProposalIndex
    secrets: Keyed
    seen: Callable[[str], int]

    def page(self, context: Context, filters: ProposalFilters) -> JsonObject:
        """`{items, next_cursor, position}`: proposals by id, which is by creation."""
        filters.check()
        secret = self.secrets.page_tokens(context.workspace)
        question = ["proposals", filters.status]
        after = "" if filters.cursor is None else read_cursor(secret, question, filters.cursor)
        listed = [
            one
            for one in self.index.of(context.workspace)
            if one.id > after and one.home.visible_to(context.viewer)
        ]
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            matching = _matching(connection, context.workspace, listed, filters.status)
            found = list(islice(matching, filters.limit + 1))
            shown = [one.id for one in found[: filters.limit]]
            items = self._items(connection, context, shown)
            position = seen_position(connection, MEMORIES, context, seen)
        cursor = None
        if len(found) > filters.limit and secret is not None:
            cursor = write_cursor(secret, question, shown[-1])
        return {"items": items, "next_cursor": cursor, "position": position}

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
        told = [_Told(state, streams[name]) for name in ids if (state := _state(streams, name))]
        visible = [one for one in told if one.state.home.visible_to(context.viewer)]
        members = current(
            connection,
            context.workspace,
            [member for one in visible for member, _ in one.state.members],
        )
        return [_item(one, members, rationale=_reads_reasons(context)) for one in visible]


def current(connection: Connection, workspace: str, ids: Sequence[str]) -> dict[str, Member]:
    """Memories as they are now; those that the read models do not have are left out."""
    found: dict[str, Member] = {}
    for part in parts_of(ids):
        asked = {"workspace": workspace, "ids": part}
        for memory_id, version, forgotten, dead, slot, ref in connection.execute(_CURRENT, asked):
            gone = forgotten is not None
            found[memory_id] = Member(version, gone, not gone and dead is None, slot, ref)
    return found


def stale_members(members: Sequence[Target], now: Members) -> list[JsonObject]:
    """The members that have changed since a proposal has seen them."""
    return [
        {
            "memory_id": memory_id,
            "proposed_version": version,
            "version": now[memory_id].version,
            "forgotten": now[memory_id].forgotten,
        }
        for memory_id, version in members
        if memory_id in now and now[memory_id].version != version
    ]


def _matching(
    connection: Connection, workspace: str, listed: Sequence[Listed], status: Status | None
) -> Iterator[Listed]:
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


def _item(told: _Told, now: Members, *, rationale: bool) -> JsonObject:
    state = told.state
    standing = [now[key] for key, _ in state.members if key in now and not now[key].forgotten]
    whole = len(standing) == len(state.members) and all(one.whole for one in standing)
    slots = {one.slot_ref: one.slot for one in standing if one.slot_ref is not None}
    said = proposal_answer(state, slots, rationale=rationale and whole)
    ended = state.rejected or state.applied is not None
    changed = [] if ended else stale_members(state.members, now)
    return {
        "proposal_id": state.id,
        "status": _status(state, stale=bool(changed)),
        "canonical_id": state.canonical_id,
        "members": [{"memory_id": key, "version": version} for key, version in state.members],
        "changed": changed,
        "disagreements": said["disagreements"],
        "rationale": said["rationale"],
        "visibility": state.home.visibility,
        "owner": state.home.owner,
        "session": state.home.session,
        "proposed": _proposed(told.events),
        "ended": _ended(told.events, reason=rationale and whole),
    }


def _status(state: ProposalState, *, stale: bool) -> Status:
    if state.rejected:
        return "rejected"
    if state.applied is not None:
        return "applied"
    return "stale" if stale else "open"


def _proposed(events: Sequence[RecordedEvent]) -> JsonObject | None:
    for event in events:
        if any(isinstance(fact, ConsolidationProposed) for fact in event.facts):
            return _by(event)
    return None


def _ended(events: Sequence[RecordedEvent], *, reason: bool) -> JsonObject | None:
    """By whom and when it was applied, under which policy; or rejected, and why."""
    for event in events:
        for fact in event.facts:
            if isinstance(fact, ConsolidationApplied):
                policy = None if fact.payload is None else fact.payload.approval_policy
                return {**_by(event), "policy": policy, "reason": None}
            if isinstance(fact, ConsolidationRejected):
                why = fact.payload.reason if reason and fact.payload is not None else None
                return {**_by(event), "policy": None, "reason": why}
    return None


def _by(event: RecordedEvent) -> JsonObject:
    return {"at": event.recorded_at, "actor_id": event.context.actor, "position": event.position}
