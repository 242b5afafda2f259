"""Whose approvals count: those of people who have no part in what they approve of."""

from __future__ import annotations

from domain.claims.pieces import Approval, Evidence
from domain.validation.sides import Sides


def counting_approvals(evidence: Evidence, policy: str, sides: Sides) -> list[Approval]:
    """The approvals under a policy that count: at most one an actor, by actor.

    The latest word of each counts, so that a rejection takes an approval back. Nobody approves of
    a claim or of evidence that they wrote: neither of what supports it nor of what contradicts or
    once contradicted it.
    """
    barred = evidence.claim.authors.union(*(one.authors for one in sides.everything()))
    latest: dict[str, Approval] = {}
    for one in sorted(evidence.approvals, key=lambda one: (one.position, one.decision)):
        if one.policy == policy and one.actor not in barred:
            latest[one.actor] = one
    return [latest[actor] for actor in sorted(latest) if latest[actor].approved]
