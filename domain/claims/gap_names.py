"""The names of what may be missing behind a claim."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

GapName: TypeAlias = Literal[
    "no_source",
    "source_forgotten",
    "source_expired",
    "source_superseded",
    "source_contradicted",
    "never_corroborated",
    "evidence_newer_than_assessment",
    "unresolved_contradiction",
    "validated_without_policy",
    "unknown_policy",
    "retired_policy",
    "no_assessment",
    "status_differs_from_assessment",
    "decision_damaged",
]

GAPS: Final[tuple[GapName, ...]] = get_args(GapName)
"""Every name, in the order in which they are told."""
