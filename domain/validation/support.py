"""Whether there is enough independent support, and enough of it as the rules on pieces want it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from domain.canonical import JsonObject
from domain.claims.independence import Cluster
from domain.claims.pieces import Piece
from domain.validation.blockers import Blocker
from domain.validation.rules import Rule


def support_blockers(
    support: Sequence[Cluster], rules: Sequence[Rule], needed: int
) -> list[Blocker]:
    """What is missing of `needed` independent clusters, in no order.

    Each rule is judged alone, by the clusters with a piece that meets it and may open a cluster.
    It asks for no more of them than there are of support, so that a lack of support is said once;
    and pieces that meet no rule take nothing away from those that do.
    """
    if not support:
        return [Blocker("no_support", {"needed": needed, "found": 0})] if needed else []
    there = _independent(support, lambda _: True)
    missing: list[Blocker] = []
    if there < needed:
        said: JsonObject = {"needed": needed, "found": there}
        missing.append(Blocker("insufficient_independent_support", said))
    needed = min(needed, there)
    failing = [rule for rule in rules if _independent(support, rule.met) < needed]
    missing += [_failed(rule, support, needed) for rule in failing]
    together = _independent(support, lambda piece: all(rule.met(piece) for rule in rules))
    if not failing and together < needed:
        missing.append(Blocker("rules_not_met_together", {"needed": needed, "found": together}))
    return missing


def _independent(support: Sequence[Cluster], met: Callable[[Piece], bool]) -> int:
    """How many clusters have a piece of their own that is as wanted.

    Origins are those of all the support: a piece that does not count may still show that two
    others are of one origin.
    """
    return sum(any(one.independent and met(one) for one in cluster.pieces) for cluster in support)


def _failed(rule: Rule, support: Sequence[Cluster], needed: int) -> Blocker:
    ids = sorted(one.edge[0] for cluster in support for one in cluster.pieces if not rule.met(one))
    found = _independent(support, rule.met)
    return Blocker(rule.blocker, {"needed": needed, "found": found, "relationships": ids})
