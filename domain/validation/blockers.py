"""The names of what stands against validating a claim; stored, so a name keeps its meaning."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from domain.canonical import JsonObject

BlockerName: TypeAlias = Literal[
    "no_support",
    "insufficient_independent_support",
    "contradiction",
    "rival_claim",
    "contradiction_withdrawn",
    "source_kind",
    "source_not_trusted",
    "locator_missing",
    "observed_at_missing",
    "not_current",
    "evidence_too_old",
    "scope_mismatch",
    "approvals_missing",
    "confidence_too_low",
    "rules_not_met_together",
    "evidence_incomplete",
]

BLOCKERS: Final[tuple[BlockerName, ...]] = get_args(BlockerName)
"""All of them, in the order in which they are told."""

PIECE_BLOCKERS: Final = BLOCKERS[
    BLOCKERS.index("source_kind") : BLOCKERS.index("approvals_missing")
]
"""Those of rules that each piece of support meets or not."""


class Blocker(NamedTuple):
    """One reason against validating, with the figures and ids that it is about.

    `said` holds `needed` or `allowed` and `found` where something is counted, and
    `relationships` or `memories`: the ids of what fails, in order.
    """

    name: BlockerName
    said: JsonObject

    def as_json(self) -> JsonObject:
        """`{"blocker": name, …}`."""
        return {"blocker": self.name, **self.said}
