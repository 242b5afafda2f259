"""The queue of a recall: from seeds along relationships, within budgets (spec/operations.md §6.4).

Nodes are taken one by one in queue order, and their edges in id order; what a node needs from
SQL is fetched for many nodes at a time, which changes no result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

NODES_AT_ONCE: Final = 500
"""Nodes of one level whose edges are asked for in one query."""

UNLIMITED: Final = 2**62
"""More than there can be of anything: a larger limit means the same, and this fits a column."""

COST: Final = "cost_budget_exhausted"
SUPERNODE: Final = "supernode_blocked"
TIMEOUT: Final = "timeout"


class Edge(NamedTuple):
    """A relationship at the version that the basis shows."""

    id: str
    version: int
    source: str
    target: str
    private: bool

    def other(self, node: str) -> str:
        """The end that is not `node`; `node` itself for a self-loop."""
        return self.target if self.source == node else self.source


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The edges of a node, by id; None where there are more than the supernode threshold.

    There may be more edges than were asked for; those that are here are the first ones.
    """

    edges: Sequence[Edge] | None


class Neighbours(Protocol):
    """The recallable edges of the evidence graph at one basis, for one actor."""

    def neighbourhoods(
        self, nodes: Sequence[str], *, edges_max: int, threshold: int
    ) -> Mapping[str, Neighbourhood]:
        """Of each node its first `edges_max` recallable edges; each node is in the answer."""
        ...


class Graph(Neighbours, Protocol):
    """The recallable part of the evidence graph at one basis, for one actor."""

    def eligible(self, node: str) -> bool:
        """Whether a memory is recallable and within the filters of the question."""
        ...


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits that bound the queue; see `domain.contract.Limits`."""

    max_items: int
    max_depth: int
    max_cost: int
    supernode_threshold: int


@dataclass(frozen=True, slots=True)
class Node:
    """A memory in the queue: how far from a seed, and along which relationships."""

    id: str
    depth: int
    path: tuple[str, ...]


class Cut(NamedTuple):
    """Something that was not followed: an outcome, at a node, before an edge of it."""

    outcome: str
    node: str
    edge: str | None


@dataclass(slots=True)
class Selection:
    """What the queue gave, in the order of selection.

    `more` says that at least one further node would be selected; it is the last of `nodes`.
    `traversed` are the edges that led to, or back to, an eligible memory. `unexpanded` are
    selected nodes at the greatest depth.
    """

    nodes: list[Node] = field(default_factory=list)
    traversed: dict[str, Edge] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    unexpanded: list[str] = field(default_factory=list)
    cost: int = 0
    more: bool = False


def expand(
    seeds: Sequence[str],
    graph: Graph,
    budgets: Budgets,
    *,
    given: AbstractSet[str],
    expired: Callable[[], bool],
) -> Selection:
    """Select memories: the seeds in order, then what they lead to.

    `seeds` are eligible and each there once. `given` were on earlier pages: they are selected and
    expanded as before, but do not count as items of this page.
    """
    return _Walk(graph, budgets, given, expired).run(seeds)


class _Walk:
    def __init__(
        self,
        graph: Graph,
        budgets: Budgets,
        given: AbstractSet[str],
        expired: Callable[[], bool],
    ) -> None:
        self._graph = graph
        self._budgets = budgets
        self._given = given
        self._expired = expired
        self._queue: deque[Node] = deque()
        self._seen: set[str] = set()
        self._known: dict[str, Neighbourhood] = {}
        self._found = Selection()
        self._new = 0

    def run(self, seeds: Sequence[str]) -> Selection:
        self._queue.extend(Node(seed, 0, ()) for seed in seeds)
        self._seen.update(seeds)
        while self._queue:
            if self._expired():
                self._cut(TIMEOUT, self._queue[0].id)
                break
            if self._exhausted() and self._queue[0].depth > 0:
                self._cut(COST, self._queue[0].id)
                break
            node = self._queue.popleft()
            self._found.nodes.append(node)
            self._new += node.id not in self._given
            if self._new > self._budgets.max_items:
                self._found.more = True
                break
            if node.depth == self._budgets.max_depth:
                self._found.unexpanded.append(node.id)
            elif not self._expand(node):
                break
        return self._found

    def _exhausted(self) -> bool:
        return self._found.cost >= self._budgets.max_cost

    def _cut(self, outcome: str, node: str, edge: str | None = None) -> None:
        """Note what stopped; the cost budget is told once, since it stops everything."""
        cuts = self._found.cuts
        if outcome != COST or all(cut.outcome != COST for cut in cuts):
            cuts.append(Cut(outcome, node, edge))

    def _expand(self, node: Node) -> bool:
        """Look at the edges of a node; False where time is up."""
        edges = self._neighbourhood(node).edges
        if edges is None:
            self._cut(SUPERNODE, node.id)
            return True
        for edge in edges:
            if self._expired():
                self._cut(TIMEOUT, node.id, edge.id)
                return False
            if self._exhausted():
                self._cut(COST, node.id, edge.id)
                return True
            self._found.cost += 1
            self._look(node, edge)
        return True

    def _look(self, node: Node, edge: Edge) -> None:
        end = edge.other(node.id)
        if end not in self._seen:
            if not self._graph.eligible(end):
                return
            self._seen.add(end)
            self._queue.append(Node(end, node.depth + 1, (*node.path, edge.id)))
        self._found.traversed[edge.id] = edge

    def _neighbourhood(self, node: Node) -> Neighbourhood:
        known = self._known.pop(node.id, None)
        if known is None:
            upcoming = self._upcoming(node)
            fetched = self._graph.neighbourhoods(
                upcoming,
                edges_max=self._budgets.max_cost - self._found.cost + 1,
                threshold=self._budgets.supernode_threshold,
            )
            self._known.update(fetched)
            known = self._known.pop(node.id)
        return known

    def _upcoming(self, node: Node) -> list[str]:
        """The node and those behind it in its level that this page can still expand."""
        left = self._budgets.max_items - self._new
        nodes = [node.id]
        for other in self._queue:
            if left == 0 or other.depth > node.depth or len(nodes) == NODES_AT_ONCE:
                break
            left -= other.id not in self._given
            nodes.append(other.id)
        return nodes
