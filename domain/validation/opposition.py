"""What speaks against a claim, and what a policy asks for besides evidence."""

from __future__ import annotations

from collections.abc import Iterator

from domain.claims.independence import clusters
from domain.claims.pieces import Approval, Evidence, Piece
from domain.validation.blockers import Blocker
from domain.validation.definition import Definition
from domain.validation.sides import Sides


def opposition_blockers(
    evidence: Evidence, sides: Sides, approvals: list[Approval], definition: Definition
) -> Iterator[Blocker]:
    """What of contradictions and rivals the definition does not tolerate.

    Contradictions of one origin are one; that a relationship says `independent: false` does not
    silence it. One that was withdrawn is counted as if it still stood, until a reviewer approved
    the claim after that: taking back what spoke against a claim is no evidence for it.
    """
    allowed = definition.contradictions_allowed
    if allowed is not None:
        if len(sides.against) > allowed:
            ids = [one.edge[0] for cluster in sides.against for one in cluster.pieces]
            said = {"allowed": allowed, "found": len(sides.against), "relationships": sorted(ids)}
            yield Blocker("contradiction", said)
        cleared = any(one.position > evidence.withdrawn_at for one in approvals)
        if evidence.withdrawn_at and not (definition.withdrawn_allowed or cleared):
            found = _once_against(sides, by_host=definition.group_by_host)
            if found > allowed:
                ids = sorted(one.edge[0] for one in sides.withdrawn)
                said = {"allowed": allowed, "found": found, "relationships": ids}
                yield Blocker("contradiction_withdrawn", said)
    if evidence.rivals and not definition.rivals_allowed:
        memories = sorted(one.memory[0] for one in evidence.rivals)
        yield Blocker("rival_claim", {"memories": memories})


def _once_against(sides: Sides, *, by_host: bool) -> int:
    """How many contradictions there were, with at least one that was withdrawn."""
    pieces: list[Piece] = [one for cluster in sides.against for one in cluster.pieces]
    if not sides.withdrawn:
        return len(sides.against) + 1
    return len(clusters([*pieces, *sides.withdrawn], by_host=by_host))


def other_blockers(
    evidence: Evidence, approvals: list[Approval], definition: Definition
) -> Iterator[Blocker]:
    """What is missing of approvals and confidence, and of the evidence itself."""
    if len(approvals) < definition.approvals:
        said = {"needed": definition.approvals, "found": len(approvals)}
        yield Blocker("approvals_missing", said)
    least, confidence = definition.min_confidence, evidence.claim.confidence
    if least is not None and (confidence is None or confidence < least):
        yield Blocker("confidence_too_low", {"needed": least, "found": confidence})
    if not evidence.complete:
        yield Blocker("evidence_incomplete", {})
