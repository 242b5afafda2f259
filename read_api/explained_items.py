"""Why each item of a page is there, and there (operations.md §4, recall with `explain`).

The parts of a score, the way along relationships, and what speaks against the item. All of it is
said of memories that the answer may show: those that lend words are eligible themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

from sqlalchemy import Connection

from domain.canonical import JsonObject
from projections.lexical.analyzer import Term, analyze
from projections.lexical.documents import Field, document_fields
from projections.lexical.memtable import TermPart
from projections.lexical.parameters import PREFERRED_REPO_BOOST
from read_api.contests import Contests
from read_api.deadlines import Deadline
from read_api.expansion import Edge, Node
from read_api.graph_view import GraphView
from read_api.memory_view import MemoryView
from read_api.pages import ITEMS_AT_ONCE, Made
from read_api.selecting import PREFERRED
from read_api.shaping import Item

CONTESTS_MAX: Final = 20
"""Memories that are named as speaking against one item; the others are counted."""

Version: TypeAlias = tuple[str, int]
Fields: TypeAlias = Mapping[str, Sequence[Field]]
"""By term the fields of a memory in which it stands."""


def explained_items(
    connection: Connection, made: Made, terms: Sequence[Term], deadline: Deadline
) -> list[JsonObject]:
    """An explanation for each item, in their order.

    `parts` is what its score is made of: added one by one from the left they are the score, to
    the bit. What time does not suffice for is null; `path` is always there.
    """
    basis = made.chosen.basis
    matched = _matched(made, deadline)
    explained = _Explained(
        made,
        {term.text: term.weight for term in sorted(terms, key=lambda term: term.weight)},
        MemoryView(connection, basis),
        GraphView(connection, basis),
    )
    items = made.shaped.items
    return [
        one
        for start in range(0, len(items), ITEMS_AT_ONCE)
        for one in explained.of(items[start : start + ITEMS_AT_ONCE], matched, deadline)
    ]


def _matched(made: Made, deadline: Deadline) -> dict[str, list[TermPart]] | None:
    """The terms of each item that the words of the question found, in the order of their sum."""
    shown = {item.id for item in made.shaped.items}
    hits = [hit for hit in made.look.hits if hit.memory_id in shown]
    found = made.look.explain(hits, deadline)
    if found is None:
        return None
    return {hit.memory_id: parts for hit, parts in zip(hits, found, strict=True)}


class _Explained:
    """Explains items of one page."""

    def __init__(
        self, made: Made, weights: Mapping[str, float], memories: MemoryView, graph: GraphView
    ) -> None:
        self._made = made
        self._weights = weights
        self._memories = memories
        self._graph = graph
        self._nodes = {node.id: node for node in made.selection.nodes}

    def of(
        self,
        items: Sequence[Item],
        matched: Mapping[str, list[TermPart]] | None,
        deadline: Deadline,
    ) -> Iterator[JsonObject]:
        late = deadline.expired()
        rows = {} if late else self._memories.recallable(item.id for item in items)
        contests = Contests(self._memories, self._graph, rows)
        fields: dict[Version, Fields] = {}
        if matched is not None and not late:
            fields = self._fields((matched.get(item.id, ()) for item in items), deadline)
        for item in items:
            row = rows.get(item.id)
            against = None if row is None else list(contests.of(row))
            yield {
                "id": item.id,
                "version": item.target[1],
                "score": item.wire["score"],
                "parts": None if matched is None else self._parts(item, matched, fields),
                "path": _steps(self._nodes[item.id], self._made.selection.traversed),
                "contested_by": None
                if against is None
                else [one._asdict() for one in islice(against, CONTESTS_MAX)],
                "more_contests": max(0, len(against or ()) - CONTESTS_MAX),
            }

    def _fields(
        self, parts: Iterable[Iterable[TermPart]], deadline: Deadline
    ) -> dict[Version, Fields]:
        """Where the words of the memories stand that the parts name, as far as time allows."""
        named = {part.memory_id for of_item in parts for part in of_item}
        found: dict[Version, Fields] = {}
        for row in self._memories.recallable(named).values():
            if deadline.expired():
                break
            found[row.id, row.version] = _fields_of(row.record)
        return found

    def _parts(
        self,
        item: Item,
        matched: Mapping[str, list[TermPart]],
        fields: Mapping[Version, Fields],
    ) -> list[JsonObject] | None:
        """None where what was found has been forgotten since: its words are gone, its sum too."""
        parts = [self._term(item, part, fields) for part in matched.get(item.id, ())]
        if self._made.look.preferred(item.id):
            parts.append({"part": PREFERRED, "score": PREFERRED_REPO_BOOST})
        parts.append({"part": "depth", "depth": item.depth, "score": 1 / (item.depth + 1)})
        total = 0.0
        for part in parts:
            total += part["score"]
        return parts if total == item.wire["score"] else None

    def _term(self, item: Item, part: TermPart, fields: Mapping[Version, Fields]) -> JsonObject:
        stands = fields.get((part.memory_id, part.version))
        return {
            "part": "term",
            "term": part.term,
            "weight": float(self._weights[part.term]),
            "score": part.score,
            "memory_id": part.memory_id,
            "version": part.version,
            "lent": part.memory_id != item.id,
            "fields": None if stands is None else list(stands.get(part.term, ())),
        }


def _fields_of(record: JsonObject) -> Fields:
    words: defaultdict[Field, list[str]] = defaultdict(list)
    said = (record["kind"], record["content"], record["tags"], record["identity_key"])
    for field, word in document_fields(*said):
        words[field].append(word)
    found: defaultdict[str, list[Field]] = defaultdict(list)
    for field, several in words.items():
        for term in analyze("\n".join(several)):
            found[term].append(field)
    return found


def _steps(node: Node, edges: Mapping[str, Edge]) -> list[JsonObject]:
    """How an item was reached: from a seed, relationship by relationship."""
    steps: list[JsonObject] = []
    to = node.id
    for edge in reversed(node.path):
        before = edges[edge].other(to)
        steps.append({"from": before, "relationship_id": edge, "to": to})
        to = before
    return steps[::-1]
