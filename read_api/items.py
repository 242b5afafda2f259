"""Items of an answer: each memory as it stood at the basis, with what speaks against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.canonical import JsonObject
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
        contested = self.contested(rows)
        cited = {row.id: cited_by(row.record) for row in rows.values()}
        stale = self._memories.stale(source for sources in cited.values() for source in sources)
        review = self._derivations.needs_review(
            Version(row.id, row.position, cited[row.id]) for row in rows.values()
        )
        marks = {
            memory: {
                "contested": memory in contested,
                "stale_sources": [source for source in sources if source in stale],
                "needs_review": memory in review,
            }
            for memory, sources in cited.items()
        }
        return [
            self._item(node, rows[node.id], marks[node.id]) for node in nodes if node.id in rows
        ]

    def contested(self, rows: Mapping[str, MemoryRow]) -> set[str]:
        """The memories that another recallable memory contradicts.

        It is of the same slot and says something else, or a `contradicts` relationship joins
        them. The filters of the question do not matter: a narrow question settles no dispute.
        """
        refs = {row.slot_ref for row in rows.values() if row.slot_ref is not None}
        slots = self._memories.slots(refs)
        found = {
            row.id
            for row in rows.values()
            if any(other.value != row.value for other in slots.get(row.slot_ref or "", ()))
        }
        disputes = self._graph.contradicting(rows)
        ends = {end for others in disputes.values() for end in others}
        standing = self._memories.recallable(ends).keys()
        return found | {
            memory for memory, others in disputes.items() if (others - {memory}) & standing
        }

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
