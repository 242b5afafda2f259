"""What an answer says of a proposal to consolidate, and of what its members have become since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from domain.canonical import JsonObject
from domain.event_bases import Target
from domain.events import ConsolidationApplied, ConsolidationProposed, ConsolidationRejected
from domain.proposals import ProposalState, proposal_answer
from domain.recorded import RecordedEvent

Status: TypeAlias = Literal["open", "applied", "rejected", "stale"]


class Member(NamedTuple):
    """A member as it is now, whatever became of it."""

    version: int
    forgotten: bool
    whole: bool
    slot: str | None
    slot_ref: str | None


Members: TypeAlias = Mapping[str, Member]


class Told(NamedTuple):
    """A proposal with its events."""

    state: ProposalState
    events: Sequence[RecordedEvent]


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


def item(told: Told, now: Members, *, rationale: bool) -> JsonObject:
    """A proposal as lists show it; `rationale`: whoever asks may read reasons."""
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
