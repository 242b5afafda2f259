"""The neighbourhood of a memory: breadth first, in both directions, within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from read_api.evidence_view import Link

READ_MAX: Final = 50_000
"""Relationships that one answer looks at, whether or not it shows them."""

DEPTH: Final = "max_depth_reached"
NODES: Final = "node_budget_exhausted"
EDGES: Final = "edge_budget_exhausted"
SUPERNODE: Final = "supernode_blocked"
RAISE: Final[Mapping[str, str | None]] = {
    DEPTH: "depth",
    NODES: "limit",
    EDGES: "edges",
    SUPERNODE: None,
}
"""Which limit to raise; of a memory with too many relationships none is high enough."""


class Budgets(NamedTuple):
    """How far it goes: steps from the seed, memories, relationships; and how many are read."""

    depth: int
    nodes: int
    edges: int
    read: int = READ_MAX


class Cut(NamedTuple):
    """A memory of which something was not followed, from which relationship on, and why."""

    node: str
    edge: str | None
    why: str


class Links(Protocol):
    """What joins memories, at one basis, for one actor."""

    def links(self, bounds: Mapping[str, int], most: int) -> list[Link]:
        """The first `most` rows, one for each end that is among the ids in `bounds`."""
        ...

    def degree_bounds(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Upper bounds of the degrees."""
        ...


@dataclass(slots=True)
class Walk:
    """What was found: memories with their distance from the seed, nearest first; and relationships.

    Both ends of each relationship are among the memories. `cuts` is empty where nothing is left.
    """

    budgets: Budgets
    depths: dict[str, int] = field(default_factory=dict)
    edges: dict[str, Link] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    _read: int = 0

    def from_seed(self, seed: str, graph: Links) -> Walk:
        """Go from a memory that may be seen. A statement a level, and one for its degrees."""
        self.depths[seed] = 0
        level = [seed]
        while level:
            followed = self._affordable(level, graph.degree_bounds(level))
            # A relationship has two ends, and those that are known already take rows as well.
            rows = graph.links(followed, 2 * (self.budgets.edges + 1))
            level = self._step(rows)
        return self

    def _affordable(self, level: Sequence[str], bounds: Mapping[str, int]) -> dict[str, int]:
        """Those whose relationships may still be read, with the bounds of their degrees.

        So much is spent whatever is shown.
        """
        followed: dict[str, int] = {}
        for node in level:
            bound = bounds.get(node, 0)
            if self._read + bound > self.budgets.read:
                self.cuts.append(Cut(node, None, SUPERNODE))
            elif bound:
                self._read += bound
                followed[node] = bound
        return followed

    def _step(self, rows: Sequence[Link]) -> list[str]:
        """Take the relationships of a level, in order; the memories that are new."""
        fresh: list[str] = []
        last: dict[str, Link] = {}
        cut: set[str] = set()
        for link in rows:
            last[link.node] = link
            why = self._take(link, fresh)
            if why is not None and link.node not in cut:
                cut.add(link.node)
                self.cuts.append(Cut(link.node, link.id, why))
        for node, link in last.items():
            if node not in cut and link.more:
                self.cuts.append(Cut(node, None, EDGES))
        return fresh

    def _take(self, link: Link, fresh: list[str]) -> str | None:
        """Why a relationship is left out; None where it is not."""
        if link.id in self.edges:
            return None
        if len(self.edges) == self.budgets.edges:
            return EDGES
        other = link.other
        if other not in self.depths:
            depth = self.depths[link.node] + 1
            if depth > self.budgets.depth:
                return DEPTH
            if len(self.depths) == self.budgets.nodes:
                return NODES
            self.depths[other] = depth
            fresh.append(other)
        self.edges[link.id] = link
        return None
