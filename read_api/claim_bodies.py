"""What an answer says of a claim and of the evidence about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState
from domain.claims.dimensions import speaking, weigh
from domain.claims.gaps import PolicyStanding, gaps
from domain.claims.gathering import Gathered
from domain.claims.independence import clusters
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence, Piece
from domain.claims.statuses import Latest, latest_assessment, statuses
from domain.event_bases import Target
from domain.instants import FOREVER, Micros, server_time


def claim_body(found: Gathered, assessed: Latest, standing: PolicyStanding) -> JsonObject:
    """A claim as lists show it: what it says, its status as written, dimensions and gaps."""
    state, evidence = found.memory[-1].state, found.evidence
    said = evidence.claim.statement
    last = assessed.id if isinstance(assessed, DecisionState) else None
    return {
        "id": state.id,
        "version": state.version,
        "kind": state.kind,
        "slot": state.slot,
        "subject": said.subject,
        "predicate": said.predicate,
        "object": said.object,
        "scope": said.scope,
        "status": said.status,
        "policy": said.policy,
        "assessment_id": said.assessment_id,
        "last_assessment": last,
        "dimensions": weigh(evidence).as_json(),
        "gaps": list(gaps(evidence, assessed, standing)),
        "supports": len(speaking(evidence, SUPPORTS)),
        "contradicts": len(speaking(evidence, CONTRADICTS)),
        "rivals": [named(rival.memory) for rival in evidence.rivals],
    }


def whole_claim(
    found: Gathered, decisions: Sequence[DecisionState], standing: PolicyStanding
) -> JsonObject:
    """A claim with its record, every status it has had, and what was decided about it."""
    return {
        **claim_body(found, latest_assessment(found.memory, _assessments(decisions)), standing),
        "record": found.memory[-1].state.as_record(),
        "statuses": statuses(found.memory),
        "decisions": [one.as_json() for one in decisions],
    }


def evidence_body(evidence: Evidence) -> JsonObject:
    """All that speaks for and against a claim, and what of it is one origin."""
    return {
        "supports": _pieces(evidence, SUPPORTS),
        "contradicts": _pieces(evidence, CONTRADICTS),
        "rivals": [named(one.memory) | {"weight": one.weight} for one in evidence.rivals],
        "fallen": [named(one.memory) | {"why": one.why} for one in evidence.fallen],
        "complete": evidence.complete,
    }


def audit_body(
    found: Gathered, decisions: Sequence[DecisionState], standing: PolicyStanding
) -> JsonObject:
    """Everything for and against, what was decided when, and what nobody has checked.

    `never_checked` are the versions of evidence that no assessment of the claim has read.
    """
    checked = {target for one in decisions if one.assessment for target in one.read}
    about = found.evidence.claim.target[0]
    unread = [one for one in found.evidence.read if one[0] != about and one not in checked]
    return {
        "claim": whole_claim(found, decisions, standing),
        "evidence": evidence_body(found.evidence),
        "never_checked": [named(one) for one in unread],
    }


def _assessments(decisions: Sequence[DecisionState]) -> Iterator[DecisionState]:
    """The newest first."""
    return (one for one in reversed(decisions) if one.assessment is not None)


def named(target: Target) -> JsonObject:
    """A record at a version."""
    return {"id": target[0], "version": target[1]}


def _pieces(evidence: Evidence, stance: str) -> list[JsonObject]:
    mine = [piece for piece in evidence.pieces if piece.stance == stance]
    holding = [piece for piece in mine if piece.holds(evidence.as_of_us)]
    cluster = {
        piece.edge: number
        for number, one in enumerate(clusters(holding), start=1)
        for piece in one.pieces
    }
    return [_piece(piece, evidence.as_of_us, cluster.get(piece.edge)) for piece in mine]


def _piece(piece: Piece, as_of_us: Micros, cluster: int | None) -> JsonObject:
    said: dict[str, Any] = {
        "relationship": named(piece.edge),
        "memory": named(piece.memory),
        "stands": piece.standing,
        "holds": piece.holds(as_of_us),
        "valid_from": server_time(piece.from_us),
        "valid_until": None if piece.until_us >= FOREVER else server_time(piece.until_us),
        "weight": piece.weight,
        "cluster": cluster,
        "sources": _sorted(piece.names),
        "origins": _sorted(piece.origins),
        "kinds": _sorted(piece.kinds),
        "located": piece.located,
        "observed_at": None if piece.observed_us is None else server_time(piece.observed_us),
        "independent": piece.independent,
        "scope": piece.scope,
    }
    return said


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names)
