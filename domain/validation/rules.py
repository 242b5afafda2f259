"""Rules that each piece of support meets or does not meet, whatever the other pieces are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from domain.claims.pieces import Evidence, Piece
from domain.event_bases import Target
from domain.slots import comparable
from domain.validation.blockers import BlockerName
from domain.validation.definition import Definition
from domain.validation.sources import Tier, spelled

MICROS: Final = 1_000_000
"""In a second."""


class Rule(NamedTuple):
    """What is asked of a piece, and the name of what is wrong where too few meet it."""

    blocker: BlockerName
    met: Callable[[Piece], bool]


def piece_rules(
    definition: Definition, evidence: Evidence, tiers: Mapping[Target, Tier]
) -> list[Rule]:
    """The rules of a definition, in the order of `PIECE_BLOCKERS`; `tiers` are by relationship."""
    return [*_of_sources(definition, tiers), *_of_times(definition, evidence)]


def _of_sources(definition: Definition, tiers: Mapping[Target, Tier]) -> Iterator[Rule]:
    if definition.source_kinds is not None:
        kinds = frozenset(definition.source_kinds)
        yield Rule("source_kind", lambda one: not kinds.isdisjoint(map(spelled, one.kinds)))
    if definition.trusted_only:
        yield Rule("source_not_trusted", lambda one: tiers[one.edge] == "trusted")
    if definition.require_locator:
        yield Rule("locator_missing", lambda one: one.located)
    if definition.require_observed_at:
        yield Rule("observed_at_missing", lambda one: one.observed_us is not None)


def _of_times(definition: Definition, evidence: Evidence) -> Iterator[Rule]:
    as_of = evidence.as_of_us
    if definition.require_current:
        yield Rule("not_current", lambda one: one.holds(as_of))
    if definition.max_age_seconds is not None:
        oldest = as_of - definition.max_age_seconds * MICROS
        yield Rule(
            "evidence_too_old",
            lambda one: one.observed_us is not None and one.observed_us >= oldest,
        )
    if definition.match_scope:
        scope = comparable(evidence.claim.statement.scope)
        yield Rule("scope_mismatch", lambda one: comparable(one.scope) == scope)
