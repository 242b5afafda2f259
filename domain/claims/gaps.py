"""What is missing behind a claim at a basis: names, in a fixed order.

A gap is no verdict: nothing is refused for it. It says what nobody has checked, or what has changed
since somebody did.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from domain.claims.dimensions import speaking
from domain.claims.gap_names import GAPS
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence
from domain.claims.statuses import DAMAGED, Latest

Standing: TypeAlias = Literal["known", "retired", "unknown"]
PolicyStanding: TypeAlias = Callable[[str], Standing]
"""What the name of a validation policy stands for at the basis."""

DECIDED: Final = frozenset({"validated", "contested", "rejected"})
"""Statuses that somebody must have decided on; any other one is the claim's own word."""
VALIDATED: Final = "validated"

SOURCES_TO_CORROBORATE: Final = 2
"""So many different sources that a claim cites are a corroboration in themselves."""


def gaps(evidence: Evidence, assessed: Latest, standing: PolicyStanding) -> tuple[str, ...]:
    """The gaps of a claim, in the order of `GAPS`.

    `assessed` is the latest assessment of what the claim states now, None for none.
    """
    found = {
        *_of_sources(evidence),
        *_of_decisions(evidence, assessed, standing),
    }
    if speaking(evidence, CONTRADICTS) or evidence.rivals:
        found.add("unresolved_contradiction")
    return tuple(name for name in GAPS if name in found)


def _of_sources(evidence: Evidence) -> set[str]:
    supports = speaking(evidence, SUPPORTS)
    found = {f"source_{one.why}" for one in evidence.fallen}
    if not evidence.cited and not any(one.stance == SUPPORTS for one in evidence.pieces):
        found.add("no_source")
    if not supports and not evidence.agreed and evidence.cited < SOURCES_TO_CORROBORATE:
        found.add("never_corroborated")
    return found


def _of_decisions(evidence: Evidence, assessed: Latest, standing: PolicyStanding) -> set[str]:
    said = evidence.claim.statement
    found = set[str]()
    if said.status == VALIDATED and said.policy is None:
        found.add("validated_without_policy")
    if said.policy is not None and (known := standing(said.policy)) != "known":
        found.add(f"{known}_policy")
    if assessed == DAMAGED:
        found.add("decision_damaged")
        return found
    if assessed is None or assessed.assessment is None:
        found.add("no_assessment")
        return found
    if evidence.newest_at > assessed.seen:
        found.add("evidence_newer_than_assessment")
    decided = said.status in DECIDED or assessed.assessment.recommended in DECIDED
    if decided and said.status != assessed.assessment.recommended:
        found.add("status_differs_from_assessment")
    return found
