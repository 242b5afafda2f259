"""The evidence on either side as a policy takes it: what counts at all, by common origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from domain.claims.independence import Cluster, clusters
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence, Piece
from domain.events import Target
from domain.validation.definition import Definition
from domain.validation.sources import Sources, Tier

UNRATED = Sources()
"""Of a policy that rates no sources."""


class Sides(NamedTuple):
    """What stands for and against a claim.

    `tiers` are those of all pieces, by relationship. `support` stands, `against` holds at the
    basis, both without what is in quarantine. `withdrawn` are contradictions that stand no more,
    quarantined or not: what an erasure left of one does not tell.
    """

    tiers: Mapping[Target, Tier]
    support: list[Cluster]
    against: list[Cluster]
    withdrawn: list[Piece]

    def everything(self) -> Iterator[Piece]:
        """All the pieces of the three."""
        for cluster in (*self.support, *self.against):
            yield from cluster.pieces
        yield from self.withdrawn


def sides_of(evidence: Evidence, definition: Definition) -> Sides:
    """The evidence as the definition rates and groups it."""
    rated = definition.sources or UNRATED
    tiers = {one.edge: rated.tier(one.names) for one in evidence.pieces}
    heard = [one for one in evidence.pieces if tiers[one.edge] != "quarantine"]
    against = [one for one in evidence.pieces if one.stance == CONTRADICTS]
    by_host = definition.group_by_host
    return Sides(
        tiers,
        clusters(
            [one for one in heard if one.stance == SUPPORTS and one.standing], by_host=by_host
        ),
        clusters(
            [one for one in heard if one.stance == CONTRADICTS and one.holds(evidence.as_of_us)],
            by_host=by_host,
        ),
        [one for one in against if not one.standing],
    )
