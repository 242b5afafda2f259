"""The evidence on either side as a policy takes it: what counts at all, by common origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from domain.claims.independence import Cluster, clusters
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Evidence, Piece
from domain.event_bases import Target
from domain.validation.definition import Definition
from domain.validation.sources import Sources, Tier

UNRATED = Sources()
"""Of a policy that rates no sources."""


class Sides(NamedTuple):
    """What stands for and against a claim.

    `tiers` are those of all pieces, by relationship. `support` stands, `against` holds at the
    basis, both without what is in quarantine. `withdrawn` are contradictions that hold no more; one
    that does not even stand quarantined or not, since what an erasure left of it does not tell.
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
    support = [one for one in heard if one.stance == SUPPORTS and one.standing]
    opposed = [one for one in heard if one.stance == CONTRADICTS and one.standing]
    as_of, by_host = evidence.as_of_us, definition.group_by_host
    against = [one for one in opposed if one.holds(as_of)]
    ended = [one for one in opposed if one.until_us <= as_of]
    gone = [one for one in evidence.pieces if one.stance == CONTRADICTS and not one.standing]
    return Sides(
        tiers,
        clusters(support, by_host=by_host),
        clusters(against, by_host=by_host),
        [*gone, *ended],
    )
