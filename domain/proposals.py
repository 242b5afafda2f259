"""A proposal to consolidate: how it stands, what is told of it, and deciding against it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.canonical import JsonObject
from domain.decisions import Decision, Fact
from domain.errors import Code, MemorandaError, not_found
from domain.event_bases import Reason, Target
from domain.events import ConsolidationApplied, ConsolidationProposed, ConsolidationRejected
from domain.memory import MemoryState
from domain.recorded import RecordedEvent
from domain.visibility import Home

PROPOSAL_REJECTED: Final = "PROPOSAL_REJECTED"
PROPOSAL_APPLIED: Final = "PROPOSAL_APPLIED"


@dataclass(frozen=True, slots=True)
class ProposalState:
    """What was proposed, and whether it was applied or rejected.

    `reason` and `disagreements` are None where the proposal's text was erased; `applied` holds
    the members at their versions after the apply. `objection` is why it was rejected, None where
    that was erased, too.
    """

    id: str
    members: tuple[Target, ...]
    canonical_id: str
    home: Home
    reason: str | None
    preserve_disagreements: bool
    disagreements: list[JsonObject] | None
    applied: tuple[Target, ...] | None = None
    rejected: bool = False
    objection: str | None = None

    @property
    def erased(self) -> bool:
        """Whether its text is gone, with that of one of its members."""
        return self.reason is None


def apply_proposal(state: ProposalState | None, event: RecordedEvent) -> ProposalState | None:
    """The state after one stored event of a proposal."""
    for fact in event.facts:
        if isinstance(fact, ConsolidationProposed):
            state = _proposed(event.stream, fact)
        elif isinstance(fact, ConsolidationApplied) and state is not None:
            state = replace(state, applied=tuple(fact.targets))
        elif isinstance(fact, ConsolidationRejected) and state is not None:
            objection = None if fact.payload is None else fact.payload.reason
            state = replace(state, rejected=True, objection=objection)
    return state


def _proposed(stream: str, fact: ConsolidationProposed) -> ProposalState:
    said = fact.payload
    return ProposalState(
        id=stream,
        members=tuple(fact.targets),
        canonical_id=fact.target_id,
        home=Home(fact.session, fact.visibility, fact.owner),
        reason=None if said is None else said.reason,
        preserve_disagreements=said is not None and said.preserve_disagreements,
        disagreements=None if said is None else said.disagreements,
    )


def reject(
    d: Decision,
    reason: str,
    proposal: ProposalState | None,
    states: Sequence[MemoryState | None],
) -> list[Fact]:
    """Decide against a proposal, for good; nothing where that was done before.

    `states` are its members. NOT_FOUND for a proposal that may not be seen, VERSION_CONFLICT for
    one that was applied: what an apply did is undone by updates.
    """
    if proposal is None or not proposal.home.visible_to(d.context.viewer):
        raise not_found("the proposal")
    if proposal.applied is not None:
        raise MemorandaError(
            Code.VERSION_CONFLICT,
            "the proposal was applied: update the members to take that back",
            field="proposal_id",
            reason=PROPOSAL_APPLIED,
        )
    if proposal.rejected:
        return []
    known = {state.id: state.version for state in states if state is not None}
    rejected = ConsolidationRejected(
        session=proposal.home.session,
        visibility=proposal.home.visibility,
        owner=proposal.home.owner,
        targets=[(member, known.get(member, version)) for member, version in proposal.members],
        payload=Reason(reason=reason),
    )
    return [Fact(proposal.id, rejected)]


def proposal_answer(
    state: ProposalState, slots: Mapping[str, str | None], *, rationale: bool = True
) -> JsonObject:
    """The part of a consolidate answer that the proposal says.

    `slots` gives the text of a slot_ref, where a member that still has it may be shown. Without
    `rationale` the reason is left out: it may quote a member that was forgotten.
    """
    pairs = [
        {"slot": slots.get(pair["slot_ref"]), "memory_ids": pair["memory_ids"]}
        if "slot_ref" in pair
        else pair
        for pair in state.disagreements or ()
    ]
    return {
        "proposal_id": state.id,
        "applied": state.applied is not None,
        "canonical_id": state.canonical_id,
        "originals_retained": [member for member, _ in state.members],
        "disagreements_retained": state.preserve_disagreements or state.applied is not None,
        "disagreements": pairs,
        "rationale": state.reason if rationale else None,
    }
