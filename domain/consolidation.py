"""Several memories become one: proposed first, applied only as proposed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from domain.canonical import JsonObject
from domain.contract import ApplyApproved, ConsolidateInput
from domain.decisions import Decision, Fact
from domain.errors import Code, MemorandaError
from domain.event_bases import Target
from domain.events import (
    Approval,
    ConsolidationApplied,
    ConsolidationProposed,
    MemorySuperseded,
    Proposal,
    Related,
)
from domain.ids import PROPOSAL
from domain.instants import Micros, parse_instant
from domain.memory import MemoryState
from domain.memory_decisions import addressable, homed
from domain.proposals import PROPOSAL_REJECTED, ProposalState
from domain.relationship import RelationshipState
from domain.relationship_decisions import new_edge
from domain.slots import value_of

SUPERSEDED_BY = "superseded_by"
CONTRADICTS = "contradicts"

COMPARED: Final = ("edges", "slots", "validity")
"""What members are compared by, as proposals record it."""
COMPARED_AT_FIRST: Final = ("edges", "slots")
"""The same for proposals that do not say it."""


def members_of(d: Decision, states: Sequence[MemoryState | None]) -> list[MemoryState]:
    """The distinct members, by id; NOT_FOUND if one is not addressable."""
    found = [addressable(state, d.context.viewer, "memory_ids") for state in states]
    return sorted({state.id: state for state in found}.values(), key=lambda state: state.id)


def canonical_of(said: ConsolidateInput) -> str:
    """The canonical member: the one that is named, else the smallest id."""
    return said.canonical_id or min(said.memory_ids)


def disagreements(
    members: Sequence[MemoryState],
    edges: Iterable[RelationshipState],
    compared: Sequence[str] = COMPARED,
) -> list[JsonObject]:
    """Pairs of members that do not say the same, with the edge, slot or validity that tells so."""
    found: list[JsonObject] = []
    if "edges" in compared:
        found.extend(_by_edges(members, edges))
    if "slots" in compared:
        found.extend(_by_slots(members))
    if "validity" in compared:
        found.extend(_by_validity(members))
    return sorted(found, key=lambda pair: (pair["memory_ids"], pair.get("relationship_id", "")))


def contradicting(edge: RelationshipState, ids: set[str]) -> bool:
    """Whether it says that two of these contradict each other."""
    return (
        edge.kind == CONTRADICTS
        and edge.lifecycle == "active"
        and {edge.source_id, edge.target_id} <= ids
    )


def _by_edges(
    members: Sequence[MemoryState], edges: Iterable[RelationshipState]
) -> Iterator[JsonObject]:
    ids = {state.id for state in members}
    for edge in edges:
        if contradicting(edge, ids):
            pair = sorted((edge.source_id, edge.target_id))
            yield {"memory_ids": pair, "relationship_id": edge.id}


def _by_slots(members: Sequence[MemoryState]) -> Iterator[JsonObject]:
    speaking = [state for state in members if state.slot_ref is not None and not state.erased]
    values = {state.id: value_of(state.content) for state in speaking}
    for one, other in combinations(speaking, 2):
        if one.slot_ref == other.slot_ref and values[one.id] != values[other.id]:
            yield {"memory_ids": [one.id, other.id], "slot_ref": one.slot_ref}


def _by_validity(members: Sequence[MemoryState]) -> Iterator[JsonObject]:
    """By the bounds that were given: when something was recorded says nothing about the world."""
    for one, other in combinations(members, 2):
        if _instants(one) != _instants(other):
            said = [
                {"valid_from": state.bounds.valid_from, "valid_until": state.bounds.valid_until}
                for state in (one, other)
            ]
            yield {"memory_ids": [one.id, other.id], "validity": said}


def _instants(state: MemoryState) -> tuple[Micros | None, Micros | None]:
    bounds = state.bounds
    start = None if bounds.valid_from is None else parse_instant(bounds.valid_from, "valid_from")
    return start, bounds.until_us


def propose(
    d: Decision,
    said: ConsolidateInput,
    members: Sequence[MemoryState],
    edges: Iterable[RelationshipState],
    compared: Sequence[str] = COMPARED,
) -> list[Fact]:
    """Record the proposal with the versions that it has seen; no memory changes."""
    private = any(state.home.visibility == "private" for state in members)
    proposed = ConsolidationProposed(
        session=d.context.session,
        visibility="private" if private else "workspace",
        owner=d.context.actor,
        targets=[(state.id, state.version) for state in members],
        target_id=canonical_of(said),
        payload=Proposal(
            reason=said.reason,
            preserve_disagreements=said.preserve_disagreements,
            disagreements=disagreements(members, edges, compared),
            compared=list(compared),
        ),
    )
    return [Fact(d.new_id(PROPOSAL), proposed)]


def apply(
    d: Decision,
    said: ConsolidateInput,
    mode: ApplyApproved,
    proposal: ProposalState | None,
    states: Sequence[MemoryState | None],
) -> list[Fact]:
    """Carry out a proposal exactly as it was made; nothing where it was applied before.

    Applied stays applied, whatever happened to its members since.
    """
    if proposal is not None and proposal.applied is not None:
        _approved(d, said, proposal)
        return []
    members = members_of(d, states)
    known = _approved(d, said, proposal)
    _fresh(known, members)
    private = {state.id for state in members if state.home.visibility == "private"}
    facts: list[Fact] = []
    after: list[Target] = []
    for state in members:
        if state.id == known.canonical_id:
            after.append((state.id, state.version))
            continue
        after.append((state.id, state.version + 1))
        ends = {state.id, known.canonical_id}
        facts.extend(_superseding(d, state, known, private=not private.isdisjoint(ends)))
    applied = ConsolidationApplied(
        targets=after,
        target_id=known.canonical_id,
        payload=Approval(approval_policy=mode.approval_policy),
    )
    return [*facts, Fact(known.id, applied)]


def _superseding(
    d: Decision, state: MemoryState, proposal: ProposalState, *, private: bool
) -> list[Fact]:
    superseded = MemorySuperseded(
        **homed(state), lifecycle="superseded", target_id=proposal.canonical_id
    )
    link = Related(kind=SUPERSEDED_BY, properties={}, provenance=[], identity_key=None)
    edge = new_edge(d, state.id, proposal.canonical_id, private=private, payload=link)
    return [Fact(state.id, superseded), edge]


def _approved(d: Decision, said: ConsolidateInput, proposal: ProposalState | None) -> ProposalState:
    """The proposal, if this is what was proposed (§5, consolidate)."""
    if not said.preserve_disagreements:
        raise _not_approved("preserve_disagreements must be true", "preserve_disagreements")
    if proposal is None or not proposal.home.visible_to(d.context.viewer):
        raise _not_approved("there is no such proposal: propose first", "mode.proposal_id")
    if proposal.rejected:
        raise _not_approved(
            "the proposal was rejected: propose again", "mode.proposal_id", PROPOSAL_REJECTED
        )
    repeated = {
        "memory_ids": set(said.memory_ids) == {member for member, _ in proposal.members},
        "canonical_id": canonical_of(said) == proposal.canonical_id,
    }
    if not proposal.erased:
        repeated["reason"] = said.reason == proposal.reason
        repeated["preserve_disagreements"] = proposal.preserve_disagreements
    elif proposal.applied is None:
        raise _not_approved("the reason of the proposal was erased: propose again", "reason")
    for field, same in repeated.items():
        if not same:
            raise _not_approved(f"{field} differs from the proposal: repeat it exactly", field)
    return proposal


def _not_approved(message: str, field: str, reason: str | None = None) -> MemorandaError:
    return MemorandaError(Code.POLICY_APPROVAL_REQUIRED, message, field=field, reason=reason)


def _fresh(proposal: ProposalState, members: Sequence[MemoryState]) -> None:
    seen = dict(proposal.members)
    for state in members:
        if state.version != seen[state.id]:
            raise MemorandaError(
                Code.VERSION_CONFLICT,
                "a member has changed since the proposal: propose again",
                field="mode.proposal_id",
                current_version=state.version,
            )
