"""The statuses that a claim has had, and who gave them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState
from domain.claims.known import Memory
from domain.claims.statement import decided_about, statement_of

DAMAGED: Final = "damaged"
Latest: TypeAlias = DecisionState | Literal["damaged"] | None
"""The latest assessment of a claim; None for none, `damaged` where a decision cannot be read."""


def statuses(claim: Memory) -> list[JsonObject]:
    """Each version that said another status, policy or assessment than the one before it.

    `{version, status, policy, assessment_id, actor_id, recorded_at, position}`; a version whose
    text is gone says null for all three.
    """
    told: list[JsonObject] = []
    before: tuple[str | None, ...] | None = None
    for version in claim:
        said = statement_of(version.state.content)
        now = (said.status, said.policy, said.assessment_id)
        if now != before:
            told.append(
                {
                    "version": version.state.version,
                    "status": said.status,
                    "policy": said.policy,
                    "assessment_id": said.assessment_id,
                    "actor_id": version.actor,
                    "recorded_at": version.state.recorded_at,
                    "position": version.position,
                }
            )
        before = now
    return told


def latest_assessment(claim: Memory, newest_first: Iterable[DecisionState]) -> DecisionState | None:
    """The last assessment of what the claim states now, of its assessments; None for none."""
    stated = {one.state.version: decided_about(one.state.content) for one in claim}
    now = stated[claim[-1].state.version]
    return next((one for one in newest_first if stated.get(one.claim[1]) == now), None)
