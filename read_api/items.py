"""Items of an answer: each memory as it stood at the basis, with what speaks against it."""

from __future__ import annotations

from collections.abc import Sequence

from domain.canonical import JsonObject
from read_api.contests import Contests
from read_api.derivations import Derivations, Version, cited_by
from read_api.expansion import Node
from read_api.graph_view import GraphView
from read_api.memory_view import MemoryRow, MemoryView
from read_api.selecting import Ranking
from read_api.shaping import Item


class Items:
    """Builds items from the read models of one basis."""

    def __init__(
        self, memories: MemoryView, graph: GraphView, derivations: Derivations, ranking: Ranking
    ) -> None:
        self._memories = memories
        self._graph = graph
        self._derivations = derivations
        self._ranking = ranking

    def of(self, nodes: Sequence[Node]) -> list[Item]:
        """The items of selected memories, in their order.

        A memory that was forgotten since it was selected is left out.
        """
        rows = self._memories.recallable(node.id for node in nodes)
        contests = Contests(self._memories, self._graph, rows)
        cited = {row.id: cited_by(row.record) for row in rows.values()}
        stale = self._memories.stale(source for sources in cited.values() for source in sources)
        review = self._derivations.needs_review(
            Version(row.id, row.position, cited[row.id]) for row in rows.values()
        )
        marks = {
            memory: {
                "contested": any(True for _ in contests.of(rows[memory])),
                "stale_sources": [source for source in sources if source in stale],
                "needs_review": memory in review,
            }
            for memory, sources in cited.items()
        }
        return [
            self._item(node, rows[node.id], marks[node.id]) for node in nodes if node.id in rows
        ]

    def _item(self, node: Node, row: MemoryRow, marks: JsonObject) -> Item:
        return Item(
            target=(row.id, row.version),
            depth=node.depth,
            wire={
                "record": row.record,
                "selection_reasons": self._ranking.reasons(node),
                "score": self._ranking.score(node),
                "path": list(node.path),
                **marks,
            },
            private=row.private,
        )
