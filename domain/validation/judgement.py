"""What a policy makes of the evidence about a claim: a recommendation, and all that is against it.

A pure function of evidence and definition, so that a judgement can be computed again at any time.
It recommends; a status is written by an update (design.md §6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from domain.canonical import JsonObject
from domain.claims.dimensions import Dimensions, weigh
from domain.claims.pieces import SUPPORTS, Evidence, Piece
from domain.validation.blockers import BLOCKERS, Blocker
from domain.validation.definition import Definition
from domain.validation.opposition import opposition_blockers, other_blockers
from domain.validation.reviewing import counting_approvals
from domain.validation.rules import Rule, piece_rules
from domain.validation.sides import Sides, sides_of
from domain.validation.sources import Tier
from domain.validation.support import support_blockers

Recommended: TypeAlias = Literal["validated", "contested", "rejected", "candidate"]


class Heard(NamedTuple):
    """How a policy took one piece of evidence.

    `cluster` is the first relationship of those of its origin, None for a piece that was compared
    with none: one that does not stand, or is in quarantine, or contradicts at another time.
    `reasons` tell why it does not count: `withdrawn`, `quarantined`, `not_independent`, or the
    blockers whose rules it does not meet; it counts where there are none.
    """

    piece: Piece
    tier: Tier
    cluster: str | None
    reasons: tuple[str, ...]

    def as_json(self) -> JsonObject:
        """The piece by its ids, its tier, its cluster, whether it counts, and why not."""
        piece = self.piece
        return {
            "relationship_id": piece.edge[0],
            "relationship_version": piece.edge[1],
            "memory_id": piece.memory[0],
            "memory_version": piece.memory[1],
            "stance": piece.stance,
            "tier": self.tier,
            "cluster": self.cluster,
            "counts": not self.reasons,
            "reasons": list(self.reasons),
        }


class Judgement(NamedTuple):
    """A recommendation with its grounds; blockers in the order of `BLOCKERS`, pieces by id."""

    recommended: Recommended
    blockers: tuple[Blocker, ...]
    dimensions: Dimensions
    pieces: tuple[Heard, ...]

    def as_json(self) -> JsonObject:
        """The four, each by its name."""
        return {
            "recommended": self.recommended,
            "blockers": [one.as_json() for one in self.blockers],
            "dimensions": self.dimensions.as_json(),
            "pieces": [one.as_json() for one in self.pieces],
        }


def judge(evidence: Evidence, name: str, definition: Definition) -> Judgement:
    """What the policy `name` recommends at the basis of the evidence, in whatever order that is.

    Quarantined evidence is listed and weighs nothing. Support is considered where it stands;
    whether it must hold at the basis is a rule (`require_current`). A contradiction counts while it
    holds. Rejected is looked for before contested; validated is what nothing blocks.
    """
    # Sums of floats depend on their order, so there is one.
    evidence = evidence._replace(pieces=tuple(sorted(evidence.pieces, key=lambda one: one.edge)))
    evidence = evidence._replace(rivals=tuple(sorted(evidence.rivals)))
    sides = sides_of(evidence, definition)
    rules = piece_rules(definition, evidence, sides.tiers)
    approvals = counting_approvals(evidence, name, sides)
    found = [
        *support_blockers(sides.support, rules, definition.supports_needed),
        *opposition_blockers(evidence, sides, approvals, definition),
        *other_blockers(evidence, approvals, definition),
    ]
    found.sort(key=lambda one: BLOCKERS.index(one.name))
    return Judgement(
        recommended=_recommended(found, definition),
        blockers=tuple(found),
        dimensions=_dimensions(evidence, sides, definition),
        pieces=tuple(_heard(evidence, sides, rules)),
    )


def _recommended(blockers: Sequence[Blocker], definition: Definition) -> Recommended:
    there = {one.name for one in blockers}
    if not there:
        return "validated"
    if "contradiction_withdrawn" in there:
        # No policy that looks for contradictions is led on by withdrawing one.
        there.add("contradiction")
    if any(there.issuperset(combination) for combination in definition.rejected_on):
        return "rejected"
    if any(there.issuperset(combination) for combination in definition.contested_on):
        return "contested"
    return "candidate"


def _dimensions(evidence: Evidence, sides: Sides, definition: Definition) -> Dimensions:
    def of_tier(tier: Tier) -> list[Piece]:
        return [one for one in evidence.pieces if sides.tiers[one.edge] == tier]

    return weigh(
        evidence,
        trusted=None if definition.sources is None else of_tier("trusted"),
        ignored=of_tier("quarantine"),
        by_host=definition.group_by_host,
    )


def _heard(evidence: Evidence, sides: Sides, rules: Sequence[Rule]) -> Iterator[Heard]:
    first = {
        piece.edge: cluster.pieces[0].edge[0]
        for cluster in (*sides.support, *sides.against)
        for piece in cluster.pieces
    }
    for piece in evidence.pieces:
        tier = sides.tiers[piece.edge]
        reasons = tuple(_reasons(piece, tier, rules, evidence.as_of_us))
        yield Heard(piece, tier, first.get(piece.edge), reasons)


def _reasons(piece: Piece, tier: Tier, rules: Sequence[Rule], as_of_us: int) -> Iterator[str]:
    if not piece.standing:
        yield "withdrawn"
    if tier == "quarantine":
        yield "quarantined"
    if not piece.standing or tier == "quarantine":
        return
    if piece.stance != SUPPORTS:
        if not piece.holds(as_of_us):
            yield "not_current"
        return
    if not piece.independent:
        yield "not_independent"
    for rule in rules:
        if not rule.met(piece):
            yield rule.blocker
