"""How much speaks for and against a claim at a basis: figures, and no verdict.

Each dimension is absent (None) where it cannot be computed; absent is not 0 (design.md §6).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from domain.canonical import JsonObject
from domain.claims.independence import clusters
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence, Piece, Stance


class Dimensions(NamedTuple):
    """Figures about the evidence that holds at the basis (`Piece.holds`).

    - `support_mass`: Σ over independent clusters of supports of the weight of the heaviest piece;
      0 to the number of clusters. Copies of one origin add nothing. Absent where nothing supports
      the claim.
    - `contradiction_mass`: the same over contradicting pieces, plus the weight of each rival.
      Absent where nothing contradicts it.
    - `independence`: number of clusters of supports that may open one. 0 and above; absent where
      nothing supports the claim.
    - `authority`: share of the support mass that stands on trusted sources, 0 to 1. Absent without
      a policy that rates sources, or without support.
    - `temporal_cover`: share of the supports that stand, now and at other times, which hold at the
      basis; 0 to 1. Absent where none stands.
    """

    support_mass: float | None = None
    contradiction_mass: float | None = None
    independence: int | None = None
    authority: float | None = None
    temporal_cover: float | None = None

    def as_json(self) -> JsonObject:
        """Those that are there, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def weigh(
    evidence: Evidence,
    *,
    trusted: Iterable[Piece] | None = None,
    ignored: Iterable[Piece] = (),
    by_host: bool = False,
) -> Dimensions:
    """The dimensions of the evidence.

    `trusted` are the pieces that a policy trusts, None where none rates them; `ignored` are those
    that weigh nothing.
    """
    # Told apart by their relationship: a scope is any JSON, and not every JSON has a hash.
    unheard = {one.edge for one in ignored}
    supports = [one for one in speaking(evidence, SUPPORTS) if one.edge not in unheard]
    against = [one for one in speaking(evidence, CONTRADICTS) if one.edge not in unheard]
    standing = [one for one in evidence.pieces if one.standing and one.stance == SUPPORTS]
    standing = [one for one in standing if one.edge not in unheard]
    support = clusters(supports, by_host=by_host)
    mass = sum(cluster.weight for cluster in support)
    contradiction = _mass(against, by_host=by_host) + sum(one.weight for one in evidence.rivals)
    authority = None
    if trusted is not None and mass:
        believed = {one.edge for one in trusted}
        heard = [one for one in supports if one.edge in believed]
        authority = _mass(heard, by_host=by_host) / mass
    return Dimensions(
        support_mass=mass if supports else None,
        contradiction_mass=contradiction if against or evidence.rivals else None,
        independence=sum(cluster.counts for cluster in support) if supports else None,
        authority=authority,
        temporal_cover=len(supports) / len(standing) if standing else None,
    )


def speaking(evidence: Evidence, stance: Stance) -> list[Piece]:
    """The pieces of one stance that hold at the basis."""
    return [
        piece
        for piece in evidence.pieces
        if piece.stance == stance and piece.holds(evidence.as_of_us)
    ]


def _mass(pieces: Sequence[Piece], *, by_host: bool) -> float:
    return sum(cluster.weight for cluster in clusters(pieces, by_host=by_host))
