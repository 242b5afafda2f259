"""Which limits have to be raised until the queue of a recall reaches a memory, and how far.

The least value of each is found by walking the same queue again (`expansion`), over edges that
are read once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.limits import BUDGETS
from projections.lexical.scoring import SearchStopped
from read_api.expansion import (
    TIMEOUT,
    UNLIMITED,
    Budgets,
    Edge,
    Graph,
    Neighbourhood,
    Selection,
    expand,
)

DEPTH_MAX: Final = BUDGETS["max_depth"] or UNLIMITED


@dataclass(frozen=True, slots=True)
class Way:
    """How a memory is selected: `rank` counts from 1.

    `raised` are the limits that have to be larger, in the order in which they are met, each with
    the least value that suffices. `select` walks within these.
    """

    raised: Mapping[str, int]
    rank: int
    select: Callable[[], Selection]


def way_to(
    memory: str,
    seeds: Sequence[str],
    graph: Graph,
    asked: Budgets,
    expired: Callable[[], bool],
) -> Way | None:
    """The way to an eligible memory; None where no limit leads to it.

    Raises SearchStopped when time is up.
    """
    walks = _Walks(seeds, graph, expired)
    budgets = replace(asked, max_items=UNLIMITED, max_cost=UNLIMITED)
    if memory in seeds:
        cost, rank = 0, seeds.index(memory) + 1
    else:
        reached = walks.reaching(memory, budgets)
        if reached is None:
            return None
        budgets = reached
        before = _place(walks.walk(budgets), memory)
        rank = before + 1
        # The walk ends as it takes the memory out of the queue: what it had to look at until then.
        cost = walks.walk(replace(budgets, max_items=before)).cost + 1 if before else 0
    budgets = replace(
        budgets,
        max_items=max(asked.max_items, rank),
        max_cost=max(asked.max_cost, cost),
    )
    raised = {
        name: value
        for name in ("max_depth", "supernode_threshold", "max_cost", "max_items")
        if (value := getattr(budgets, name)) > getattr(asked, name)
    }
    return Way(raised, rank, lambda: walks.walk(budgets))


def _place(selection: Selection, memory: str) -> int:
    return next(at for at, node in enumerate(selection.nodes) if node.id == memory)


class _Walks:
    """Walks from the same seeds over the same graph."""

    def __init__(self, seeds: Sequence[str], graph: Graph, expired: Callable[[], bool]) -> None:
        self._seeds = seeds
        self._graph = _Known(graph)
        self._expired = expired

    def walk(self, budgets: Budgets) -> Selection:
        found = expand(self._seeds, self._graph, budgets, given=frozenset(), expired=self._expired)
        if any(cut.outcome == TIMEOUT for cut in found.cuts):
            raise SearchStopped
        return found

    def reaching(self, memory: str, budgets: Budgets) -> Budgets | None:
        """The budgets, with depth and then threshold raised until the memory is reached."""
        if not self._graph.edges_of(memory):
            return None
        whole = self.walk(replace(budgets, max_depth=DEPTH_MAX, supernode_threshold=UNLIMITED))
        depth = next((node.depth for node in whole.nodes if node.id == memory), None)
        if depth is None:
            return None
        budgets = replace(budgets, max_depth=max(budgets.max_depth, depth))
        degrees = [budgets.supernode_threshold, *self._graph.degrees(budgets.supernode_threshold)]

        def reaches(threshold: int) -> bool:
            walked = self.walk(replace(budgets, supernode_threshold=threshold))
            return any(node.id == memory for node in walked.nodes)

        least = bisect_left(degrees, True, key=reaches)
        return replace(budgets, supernode_threshold=degrees[least])


class _Known:
    """A graph whose edges are read once, all of a node."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._edges: dict[str, Sequence[Edge]] = {}

    def eligible(self, node: str) -> bool:
        return self._graph.eligible(node)

    def neighbourhoods(
        self, nodes: Sequence[str], *, edges_max: int, threshold: int
    ) -> Mapping[str, Neighbourhood]:
        """See `expansion.Neighbours`; there may be more edges than were asked for."""
        self._read([node for node in nodes if node not in self._edges])
        edges = {node: self._edges[node] for node in nodes}
        return {
            node: Neighbourhood(None if len(known) > threshold else known)
            for node, known in edges.items()
        }

    def edges_of(self, node: str) -> Sequence[Edge]:
        self._read([node])
        return self._edges[node]

    def degrees(self, more_than: int) -> list[int]:
        """The degrees above one of the nodes that were read, each once, ascending."""
        return sorted({len(edges) for edges in self._edges.values() if len(edges) > more_than})

    def _read(self, nodes: Sequence[str]) -> None:
        if not nodes:
            return
        found = self._graph.neighbourhoods(nodes, edges_max=UNLIMITED, threshold=UNLIMITED)
        self._edges.update((node, near.edges or ()) for node, near in found.items())
