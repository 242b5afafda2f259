"""Each step of a proposal as it was recorded, and as it is decided once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from domain import consolidation, proposals
from domain.canonical import Json, JsonObject
from domain.consolidation import COMPARED, COMPARED_AT_FIRST, SUPERSEDED_BY
from domain.context import Context
from domain.contract import ApplyApproved, ConsolidateInput, Propose
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.event_bases import Target
from domain.events import (
    ConsolidationApplied,
    ConsolidationProposed,
    ConsolidationRejected,
    MemorySuperseded,
    RelationshipRelated,
)
from domain.memory import ERASED_KIND
from domain.proposals import ProposalState
from domain.recorded import RecordedEvent
from domain.registry import Event
from read_api.histories import Histories
from read_api.proposal_seen import Seen

Sides: TypeAlias = tuple[JsonObject, JsonObject]
"""What was recorded, and what comes out when it is decided once more."""

_GONE: Final = "erased"
"""Stands for a reason whose text is gone: no decision depends on what it says."""


def proposed(histories: Histories, event: RecordedEvent, fact: ConsolidationProposed) -> Sides:
    """`{members, canonical_id, visibility, disagreements}`, the last null where it was erased."""
    said = fact.payload
    was = _proposal(fact)
    told = {pair.get("relationship_id") for pair in was["disagreements"] or ()}
    members = [member for member, _ in fact.targets]
    asked = ConsolidateInput(
        mode=Propose(mode="propose"),
        memory_ids=members,
        canonical_id=fact.target_id if fact.target_id in members else None,
        reason=_GONE,
        preserve_disagreements=said is None or said.preserve_disagreements,
    )
    compared = COMPARED if said is None else said.compared or COMPARED_AT_FIRST
    seen = Seen(histories, event.position, event.appended_us)
    d = _decision(event)
    try:
        states = consolidation.members_of(d, seen.members(fact.targets))
        [(_, again)] = consolidation.propose(d, asked, states, seen.edges(members, told), compared)
    except MemorandaError:
        return was, dict.fromkeys(was)
    return was, _proposal(again)


def _proposal(fact: Event) -> JsonObject:
    if not isinstance(fact, ConsolidationProposed):
        raise TypeError("only a proposal is proposed")
    said = fact.payload
    return {
        "members": _targets(fact.targets),
        "canonical_id": fact.target_id,
        "visibility": fact.visibility,
        "disagreements": None if said is None else said.disagreements,
    }


def applied(
    histories: Histories,
    event: RecordedEvent,
    fact: ConsolidationApplied,
    state: ProposalState,
) -> Sides:
    """`{members, canonical_id, superseded, links}`: versions after it, and what was written."""
    others = [one for one in fact.targets if one[0] != fact.target_id]
    superseding = list(_superseding(histories, others))
    start = min([one.position for one, _ in superseding], default=event.position)
    was: JsonObject = {
        "members": _targets(fact.targets),
        "canonical_id": fact.target_id,
        "superseded": sorted([one.stream, one.version, behind] for one, behind in superseding),
        "links": _links(histories, fact, start, event.position),
    }
    reason = _GONE if state.reason is None else state.reason
    known = replace(
        state, reason=reason, preserve_disagreements=state.erased or state.preserve_disagreements
    )
    mode = ApplyApproved(mode="apply_approved", proposal_id=state.id, approval_policy=_GONE)
    asked = ConsolidateInput(
        mode=mode,
        memory_ids=[member for member, _ in state.members],
        canonical_id=state.canonical_id,
        reason=reason,
        preserve_disagreements=True,
    )
    seen = Seen(histories, start, event.appended_us)
    try:
        facts = consolidation.apply(
            _decision(event), asked, mode, known, seen.members(state.members)
        )
    except MemorandaError as refusal:
        return was, _refused(refusal)
    return was, _application(facts, dict(state.members))


def _application(facts: Sequence[Fact], before: Mapping[str, int]) -> JsonObject:
    superseded: list[Json] = []
    links: list[Json] = []
    said: JsonObject = {}
    for stream, event in facts:
        match event:
            case MemorySuperseded():
                superseded.append([stream, before[stream] + 1, event.target_id])
            case RelationshipRelated():
                links.append([event.source_id, event.target_id])
            case ConsolidationApplied():
                said = {"members": _targets(event.targets), "canonical_id": event.target_id}
            case _:
                raise TypeError(f"{type(event).__name__} is no part of an apply")
    return {**said, "superseded": superseded, "links": links}


def _superseding(
    histories: Histories, targets: Sequence[Target]
) -> Iterator[tuple[RecordedEvent, str]]:
    """The events that superseded memories at these versions, and behind which ones."""
    for member, history in histories.memories(member for member, _ in targets).items():
        version = dict(targets)[member]
        for event in history.events[version - 1 : version]:
            for fact in event.facts:
                if isinstance(fact, MemorySuperseded):
                    yield event, fact.target_id


def _links(
    histories: Histories, fact: ConsolidationApplied, start: int, until: int
) -> list[list[str]]:
    """What was linked between two positions. Of a memory that was erased the kind is gone, too."""
    found = histories.among(member for member, _ in fact.targets)
    return sorted(
        [one.last.source_id, one.last.target_id]
        for one in found
        if start < one.events[0].position < until
        and one.states[0].kind in {SUPERSEDED_BY, ERASED_KIND}
    )


def rejected(
    histories: Histories,
    event: RecordedEvent,
    fact: ConsolidationRejected,
    state: ProposalState,
) -> Sides:
    """`{members}`: their versions then."""
    was: JsonObject = {"members": _targets(fact.targets)}
    seen = Seen(histories, event.position, event.appended_us)
    try:
        [(_, again)] = proposals.reject(_decision(event), _GONE, state, seen.members(fact.targets))
    except MemorandaError as refusal:
        return was, _refused(refusal)
    if not isinstance(again, ConsolidationRejected):
        raise TypeError("a rejection is one event")
    return was, {"members": _targets(again.targets)}


def _refused(refusal: MemorandaError) -> JsonObject:
    return {"refused": str(refusal.reason or refusal.code)}


def _targets(targets: Sequence[Target]) -> list[Json]:
    return [list(target) for target in targets]


def _decision(event: RecordedEvent) -> Decision:
    """The circumstances of a decision that was made."""
    said = event.context
    context = Context(
        workspace=said.workspace,
        actor=said.actor,
        session=said.session,
        permissions=frozenset(),
        request_id=said.request,
    )
    return Decision(
        context=context,
        now=event.recorded_at,
        now_us=event.recorded_us,
        new_id=lambda prefix: f"{prefix}{event.version}",
        slot_ref=lambda slot: slot,
    )
