"""One page of an answer: items and relationships within the payload budget (operations.md §6.6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from domain.canonical import JsonObject, canonical
from domain.event_bases import Target
from read_api.expansion import Edge, Selection

PAYLOAD: Final = "payload_budget_exhausted"
TOO_LARGE: Final = "item_exceeds_payload_budget"


@dataclass(frozen=True, slots=True)
class Item:
    """A selected memory as the answer shows it: `wire` is an object of `items`."""

    target: Target
    depth: int
    wire: JsonObject
    private: bool

    @property
    def id(self) -> str:
        """Of the memory."""
        return self.target[0]


@dataclass(slots=True)
class Shaped:
    """A page as far as it is filled.

    `payload_bytes` are the canonical bytes of items and relationships. `ended` says that an item
    did not fit and comes on the next page; `told` that such an item never can.
    """

    items: list[Item] = field(default_factory=list)
    edges: dict[str, Edge] = field(default_factory=dict)
    relationships: dict[str, JsonObject] = field(default_factory=dict)
    skipped: list[Item] = field(default_factory=list)
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    payload_bytes: int = 0
    ended: bool = False
    told: bool = False


class Links:
    """The traversed edges of a selection, by the returned item that completes them.

    An edge is part of the page on which the second of its ends is returned, so that all pages
    together have every edge once.
    """

    def __init__(self, selection: Selection, returned: AbstractSet[str]) -> None:
        self._touching: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in selection.traversed.values():
            for end in {edge.source, edge.target}:
                self._touching[end].append(edge)
        self._here = {node.id for node in selection.nodes if node.id in returned}

    def touching(self, nodes: Iterable[str]) -> list[str]:
        """The ids of the edges at some nodes."""
        return [edge.id for node in nodes for edge in self._touching[node]]

    def complete(self, node: str) -> list[Edge]:
        """Return a node: its edges to nodes that are returned already, and to itself, by id."""
        here = self._here
        return sorted(
            edge
            for edge in self._touching[node]
            if (end := edge.other(node)) == node or end in here
        )

    def add(self, node: str) -> None:
        """A node was returned."""
        self._here.add(node)


class Filler:
    """Fills a page in selection order."""

    def __init__(self, links: Links, bytes_max: int, page: Shaped) -> None:
        self.links = links
        self.page = page
        self._bytes_max = bytes_max

    def stop(self, outcome: str, memory_id: str) -> None:
        """End the page before a memory."""
        self.page.outcomes.append((outcome, memory_id))
        self.page.ended = True

    def fill(self, items: Sequence[Item], records: Mapping[str, JsonObject]) -> bool:
        """Add items with the relationships that they complete; False when the page has ended.

        `records` are the relationships at these items, by id; one that is not there was hidden.
        """
        for item in items:
            edges = [edge for edge in self.links.complete(item.id) if edge.id in records]
            if not self._add(item, edges, records):
                return False
        return True

    def _add(self, item: Item, edges: list[Edge], records: Mapping[str, JsonObject]) -> bool:
        page = self.page
        alone = len(canonical(item.wire))
        left = self._bytes_max - page.payload_bytes
        if alone > self._bytes_max and page.told:
            page.skipped.append(item)
            page.outcomes.append((TOO_LARGE, item.id))
            return True
        if alone > self._bytes_max or (page.items and alone + _size(edges, records) > left):
            self._exhausted(item)
            page.ended = True
            page.told = page.told or alone > self._bytes_max
            return False
        page.items.append(item)
        page.payload_bytes += alone
        self.links.add(item.id)
        self._add_edges(item, edges, records)
        return True

    def _add_edges(self, item: Item, edges: list[Edge], records: Mapping[str, JsonObject]) -> None:
        """Add edges by id. Only those of a page's first item can be too many for any page."""
        page = self.page
        for edge in edges:
            size = len(canonical(records[edge.id]))
            if page.payload_bytes + size > self._bytes_max:
                self._exhausted(item)
                return
            page.edges[edge.id] = edge
            page.relationships[edge.id] = records[edge.id]
            page.payload_bytes += size

    def _exhausted(self, item: Item) -> None:
        if all(outcome != PAYLOAD for outcome, _ in self.page.outcomes):
            self.page.outcomes.append((PAYLOAD, item.id))


def _size(edges: Iterable[Edge], records: Mapping[str, JsonObject]) -> int:
    return sum(len(canonical(records[edge.id])) for edge in edges)
