"""What speaks against a memory: another value in its slot, or a `contradicts` relationship."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from read_api.graph_view import GraphView
from read_api.memory_view import MemoryRow, MemoryView


class Contest(NamedTuple):
    """A recallable memory that contradicts another one; the relationship that says so, if any."""

    memory_id: str
    why: Literal["slot", "contradicts"]
    relationship_id: str | None


class Contests:
    """What contradicts some memories, read once for all of them.

    The filters of the question do not matter: a narrow question settles no dispute.
    """

    def __init__(
        self, memories: MemoryView, graph: GraphView, rows: Mapping[str, MemoryRow]
    ) -> None:
        refs = {row.slot_ref for row in rows.values() if row.slot_ref is not None}
        self._slots = memories.slots(refs)
        self._disputes = graph.contradicting(rows)
        ends = {edge.other(node) for node, edges in self._disputes.items() for edge in edges}
        self._standing = memories.recallable(ends).keys()

    def of(self, row: MemoryRow) -> Iterator[Contest]:
        """What speaks against one of the memories: of its slot by id, then by relationship."""
        others = self._slots.get(row.slot_ref or "", ())
        value = row.value if others else b""
        for other in others:
            if other.value != value:
                yield Contest(other.id, "slot", None)
        for edge in self._disputes.get(row.id, ()):
            end = edge.other(row.id)
            if end != row.id and end in self._standing:
                yield Contest(end, "contradicts", edge.id)
