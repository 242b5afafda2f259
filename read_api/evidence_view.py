"""The evidence graph in SQL: what joins some memories, a statement for a level.

Other than in a recall, what no longer stands is there too, and says so: a contradiction that was
withdrawn is evidence. A relationship is there where it and both of its ends may be seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    bindparam,
    cast,
    exists,
    func,
    select,
    union_all,
)

from domain.canonical import JsonObject, parse_stored
from domain.event_bases import Lifecycle
from domain.instants import Micros
from domain.visibility import ANSWERING
from projections.columns import BIG, Words
from projections.schema import DEGREE, EDGE_VERSION, MEMORY_VERSION
from read_api.basis import Basis, known, of_ids, parts_of, shown

TOGETHER_MAX: Final = 200
"""Relationships of a memory up to which all of them are read, together with those of others."""

_EDGE: Final = EDGE_VERSION.c
_MEMORY: Final = MEMORY_VERSION.c


class Standing(NamedTuple):
    """What became of a version: `stands` at the basis, and `holds` at the instant asked for."""

    stands: bool
    holds: bool


class Node(NamedTuple):
    """A memory as it stood at the basis; `content` is None where its text is gone."""

    id: str
    version: int
    kind: str
    status: str | None
    standing: Standing
    content: JsonObject | None


class Link(NamedTuple):
    """A relationship at one of its ends, and whether another one comes behind it there.

    `other` is the end that is not `node`; `node` itself for a self-loop.
    """

    node: str
    other: str
    id: str
    more: bool


class Edge(NamedTuple):
    """A relationship as it stood at the basis."""

    id: str
    version: int
    kind: str
    source: str
    target: str
    standing: Standing


def _seen(end: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether the memory at an end may be seen; the end that is asked about was."""
    memory = MEMORY_VERSION.alias()
    return exists().where(known(memory), memory.c.memory_id == end)


def _touching(*, checked: bool) -> Subquery:
    """The relationships of some nodes, at each of these ends; `checked` if the other may be seen.

    Ids alone: what else there is to them is read of those that are told.
    """

    def at(near: ColumnElement[str], far: ColumnElement[str], *only: ColumnElement[bool]) -> Any:
        where = (shown(EDGE_VERSION), of_ids(near), *only)
        found = select(near.label("node"), far.label("other"), _EDGE.relationship_id.label("id"))
        return found.where(*where, _seen(far)) if checked else found.where(*where)

    source, target = _EDGE.source_id, _EDGE.target_id
    return union_all(at(source, target), at(target, source, target != source)).subquery()


def _alone() -> Select[Any]:
    """The first relationships of a node behind one, whether or not their other ends may be seen."""
    one = _touching(checked=False).c
    # No column: for one, SQLite would go through all relationships in the order of their key.
    by = one.id + ""
    return (
        select(one.id, one.other)
        .where(by > bindparam("after", type_=Words))
        .order_by(by)
        .limit(_MOST)
    )


_MOST: Final = bindparam("most", type_=BIG)
_TOGETHER: Final = select(_touching(checked=True))
_ALONE: Final = _alone()
_SEEN: Final = select(_MEMORY.memory_id).where(known(MEMORY_VERSION), of_ids(_MEMORY.memory_id))
_EDGES: Final = select(
    *(_EDGE.relationship_id, _EDGE.version, _EDGE.kind, _EDGE.source_id, _EDGE.target_id),
    *(_EDGE.lifecycle, _EDGE.erased, _EDGE.from_us, _EDGE.until_us, _EDGE.expires_us),
).where(shown(EDGE_VERSION), of_ids(_EDGE.relationship_id))
_NODES: Final = select(
    *(_MEMORY.memory_id, _MEMORY.version, _MEMORY.kind, _MEMORY.epistemic_status),
    *(_MEMORY.lifecycle, _MEMORY.erased, _MEMORY.forgotten, _MEMORY.record),
    *(_MEMORY.from_us, _MEMORY.until_us, _MEMORY.expires_us),
).where(shown(MEMORY_VERSION), of_ids(_MEMORY.memory_id))
_BOUNDS: Final = (
    select(DEGREE.c.node, cast(func.sum(DEGREE.c.edges), BIG))
    .where(
        DEGREE.c.workspace == bindparam("basis_workspace", type_=Words),
        of_ids(DEGREE.c.node),
        DEGREE.c.scope.in_(["", bindparam("basis_actor", type_=Words)]),
    )
    .group_by(DEGREE.c.node)
)


class EvidenceView:
    """Reads the evidence graph in the transaction of a connection, at a basis."""

    def __init__(self, connection: Connection, basis: Basis) -> None:
        self._connection = connection
        self._basis = basis

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        """The memories among the ids that may be seen, forgotten ones too, by id."""
        return {row.memory_id: self._node(row) for row in self._rows(_NODES, ids)}

    def links(self, bounds: Mapping[str, int], most: int) -> list[Link]:
        """The first `most` rows of what joins some memories, which may be seen.

        `bounds` are their ids, with upper bounds of their degrees. A relationship between two of
        them is there once at each. The first of each memory come first, then the second ones, ….
        """
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        few = [node for node, bound in bounds.items() if bound <= TOGETHER_MAX]
        for node, other, link in self._rows(_TOGETHER, few):
            found[node].append((link, other))
        for node in bounds.keys() - few:
            found[node] = self._first(node, most + 1)
        # In turn, so that a memory with very many takes the place of no other one.
        turns = sorted(
            (turn, node, link, other)
            for node, links in found.items()
            for turn, (link, other) in enumerate(sorted(links), start=1)
        )
        return [
            Link(node, other, link, more=turn < len(found[node]))
            for turn, node, link, other in turns[:most]
        ]

    def _first(self, node: str, most: int) -> list[tuple[str, str]]:
        """The first relationships of a memory that may have very many, each with its other end.

        To look at the other ends of all of them would take most of the time.
        """
        found: list[tuple[str, str]] = []
        after = ""
        while len(found) < most:
            rows = list(self._rows(_ALONE, [node], most=most, after=after))
            seen = {memory for (memory,) in self._rows(_SEEN, (other for _, other in rows))}
            found += [(link, other) for link, other in rows if other in seen]
            if len(rows) < most:
                break
            after, _ = rows[-1]
        return found[:most]

    def edges(self, ids: Iterable[str]) -> dict[str, Edge]:
        """The relationships among the ids that may be seen themselves, by id."""
        return {
            row.relationship_id: Edge(
                id=row.relationship_id,
                version=row.version,
                kind=row.kind,
                source=row.source_id,
                target=row.target_id,
                standing=self._standing(row, gone=row.erased),
            )
            for row in self._rows(_EDGES, ids)
        }

    def degree_bounds(self, ids: Iterable[str]) -> dict[str, int]:
        """Upper bounds of the degrees, of those memories that ever had a relationship."""
        return {node: int(edges) for node, edges in self._rows(_BOUNDS, ids)}

    def _node(self, row: Any) -> Node:
        record = parse_stored(row.record.encode())
        return Node(
            id=row.memory_id,
            version=row.version,
            kind=row.kind,
            status=row.epistemic_status,
            standing=self._standing(row, gone=row.erased or row.forgotten is not None),
            content=record["content"],
        )

    def _standing(self, row: Any, *, gone: bool) -> Standing:
        """As `domain.claims.known.stands` says it, and whether its bounds hold."""
        lifecycle: Lifecycle = row.lifecycle
        stands = not gone and lifecycle in ANSWERING
        until: Micros = min(row.until_us, row.expires_us)
        return Standing(stands, stands and row.from_us <= self._basis.as_of_us < until)

    def _rows(self, query: Select[Any], ids: Iterable[str], **more: int | str) -> Iterable[Any]:
        for part in parts_of(ids):
            binds = {**self._basis.binds, "ids": part, **more}
            yield from self._connection.execute(query, binds).all()
