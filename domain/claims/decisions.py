"""What was decided about claims: assessments, and what reviewers said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from domain.canonical import JsonObject
from domain.claims.known import Memory
from domain.claims.pieces import Approval
from domain.claims.statement import decided_about
from domain.event_bases import Target
from domain.events import Assessment, ClaimAssessed, ReviewApproved, ReviewRejected
from domain.instants import Micros, parse_instant
from domain.recorded import RecordedEvent
from domain.visibility import Home

DecisionEvent: TypeAlias = ClaimAssessed | ReviewApproved | ReviewRejected


class DecisionState(NamedTuple):
    """One decision; `assessment` is None for a review, `approved` for an assessment.

    `claim` is the version that was decided about, `read` every version that was read for it.
    """

    id: str
    claim: Target
    policy: str
    home: Home
    actor: str
    recorded_at: str
    position: int
    read: tuple[Target, ...]
    counts: dict[str, int]
    assessment: Assessment | None = None
    approved: bool | None = None

    @property
    def seen(self) -> int:
        """The position that an assessment had seen; 0 for a review."""
        return 0 if self.assessment is None else int(self.assessment.basis["position"])

    @property
    def as_of_us(self) -> Micros:
        """The instant that an assessment was for; 0 for a review."""
        if self.assessment is None:
            return 0
        return parse_instant(self.assessment.basis["as_of"], "as_of")

    def as_json(self) -> JsonObject:
        """As it is shown: `{id, claim, policy, actor_id, recorded_at, …}`."""
        said: JsonObject = {
            "id": self.id,
            "claim": list(self.claim),
            "policy": self.policy,
            "actor_id": self.actor,
            "recorded_at": self.recorded_at,
        }
        verdict = self.assessment
        if verdict is None:
            return {**said, "review": "approved" if self.approved else "rejected"}
        return {
            **said,
            "definition": verdict.definition,
            "basis": verdict.basis,
            "recommended": verdict.recommended,
            "blockers": verdict.blockers,
            "dimensions": verdict.dimensions,
            "complete": verdict.complete,
            "counts": self.counts,
            "evidence": [f"{record}@{version}" for record, version in self.read],
        }


def apply_decision(state: DecisionState | None, event: RecordedEvent) -> DecisionState | None:
    """The state after one event of a decision's stream, which has no second one."""
    for fact in event.facts:
        if not isinstance(fact, (ClaimAssessed, ReviewApproved, ReviewRejected)):
            continue
        first, *read = fact.targets
        assessment = fact.payload if isinstance(fact, ClaimAssessed) else None
        state = DecisionState(
            id=event.stream,
            claim=first,
            policy="" if fact.payload is None else fact.payload.policy,
            home=Home(fact.session, fact.visibility, fact.owner),
            actor=event.context.actor,
            recorded_at=event.recorded_at,
            position=event.position,
            read=tuple(read),
            counts=fact.counts if isinstance(fact, ClaimAssessed) else {},
            assessment=assessment,
            approved=None if isinstance(fact, ClaimAssessed) else isinstance(fact, ReviewApproved),
        )
    return state


def approvals(claim: Memory, reviews: Sequence[DecisionState]) -> list[Approval]:
    """What reviewers said about the statement of a claim as it stands, by decision id.

    Words about another statement are left out: what was approved must be what is there.
    """
    if not reviews:
        return []
    stated = {told.state.version: decided_about(told.state.content) for told in claim}
    now = stated[claim[-1].state.version]
    return [
        Approval(one.id, one.approved, one.actor, one.policy, one.position)
        for one in sorted(reviews, key=lambda one: one.id)
        if one.approved is not None and stated.get(one.claim[1]) == now
    ]
