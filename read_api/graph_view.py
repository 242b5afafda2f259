"""The evidence graph of the read models at one basis: what may be followed, and how far."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Connection,
    Row,
    bindparam,
    cast,
    func,
    literal,
    select,
    union_all,
)

from domain.canonical import JsonObject
from domain.consolidation import CONTRADICTS
from projections.columns import BIG, Words
from projections.schema import DEGREE, EDGE_VERSION
from read_api.basis import Basis, of_ids, parts_of, recallable
from read_api.expansion import Edge, Neighbourhood

EDGES_UNCOUNTED: Final = 1_000
"""The edges of a node with at most so many are fetched together with those of other nodes."""

_ROW: Final = EDGE_VERSION.c


def _touching(*only: ColumnElement[bool]) -> CompoundSelect[Any]:
    """Recallable edges once for each of the ids at their ends; a self-loop once."""
    columns = (
        _ROW.relationship_id,
        _ROW.version,
        _ROW.source_id,
        _ROW.target_id,
        _ROW.visibility,
    )
    where = (recallable(EDGE_VERSION), *only)
    return union_all(
        select(_ROW.source_id.label("node"), *columns).where(*where, of_ids(_ROW.source_id)),
        select(_ROW.target_id.label("node"), *columns).where(
            *where, of_ids(_ROW.target_id), _ROW.target_id != _ROW.source_id
        ),
    )


_MOST: Final = bindparam("most", type_=BIG)
_EDGES: Final = _touching()
_CONTRADICTIONS: Final = _touching(_ROW.kind == CONTRADICTS)
_SOME_EDGES: Final = _touching().subquery()
_FIRST_EDGES: Final = select(_SOME_EDGES).order_by(_SOME_EDGES.c.relationship_id).limit(_MOST)
_COUNT: Final = select(func.count()).select_from(
    select(literal(1)).select_from(_SOME_EDGES).limit(_MOST).subquery()
)
_RECORDS: Final = select(_ROW.relationship_id, _ROW.record).where(
    recallable(EDGE_VERSION), of_ids(_ROW.relationship_id)
)
_BOUNDS: Final = (
    select(DEGREE.c.node, cast(func.sum(DEGREE.c.edges), BIG))
    .where(
        DEGREE.c.workspace == bindparam("basis_workspace", type_=Words),
        of_ids(DEGREE.c.node),
        DEGREE.c.scope.in_(["", bindparam("basis_actor", type_=Words)]),
    )
    .group_by(DEGREE.c.node)
)


class GraphView:
    """Reads relationships in the transaction of a connection, at a basis."""

    def __init__(self, connection: Connection, basis: Basis) -> None:
        self._connection = connection
        self._binds = basis.binds

    def neighbourhoods(
        self, nodes: Sequence[str], *, edges_max: int, threshold: int
    ) -> dict[str, Neighbourhood]:
        """Of each node its first `edges_max` recallable edges, by id.

        A node with more than `threshold` of them, a self-loop counted once, has none here.
        """
        bounds = self._degree_bounds(nodes)
        whole = min(threshold, EDGES_UNCOUNTED)
        edges = self._edges_of(node for node in nodes if 0 < bounds.get(node, 0) <= whole)
        return {
            node: self._large(node, bounds[node], edges_max, threshold)
            if bounds.get(node, 0) > whole
            else Neighbourhood(sorted(edges.get(node, ())))
            for node in nodes
        }

    def records(self, edges: Iterable[str]) -> dict[str, JsonObject]:
        """The recallable ones of some relationships as they stood at the basis, by id."""
        return {
            relationship_id: json.loads(record)
            for part in parts_of(edges)
            for relationship_id, record in self._rows(_RECORDS, part)
        }

    def contradicting(self, nodes: Iterable[str]) -> dict[str, list[Edge]]:
        """By node its recallable `contradicts` relationships, by id."""
        found: defaultdict[str, list[Edge]] = defaultdict(list)
        for part in parts_of(nodes):
            for row in self._rows(_CONTRADICTIONS, part):
                found[row.node].append(_edge(row))
        return {node: sorted(edges) for node, edges in found.items()}

    def _rows(self, query: Any, ids: Sequence[str], **more: int) -> Iterable[Any]:
        return self._connection.execute(query, {**self._binds, "ids": ids, **more})

    def _degree_bounds(self, nodes: Sequence[str]) -> dict[str, int]:
        """Upper bounds of the degrees, of those nodes that ever had an edge."""
        return {
            node: edges for part in parts_of(nodes) for node, edges in self._rows(_BOUNDS, part)
        }

    def _edges_of(self, nodes: Iterable[str]) -> dict[str, list[Edge]]:
        found: defaultdict[str, list[Edge]] = defaultdict(list)
        for part in parts_of(nodes):
            for row in self._rows(_EDGES, part):
                found[row.node].append(_edge(row))
        return found

    def _large(self, node: str, bound: int, edges_max: int, threshold: int) -> Neighbourhood:
        """A node that may be a supernode: count no further than is needed to know."""
        if bound > threshold:
            counted = next(iter(self._rows(_COUNT, [node], most=threshold + 1)))
            if counted[0] > threshold:
                return Neighbourhood(None)
        first = self._rows(_FIRST_EDGES, [node], most=edges_max)
        return Neighbourhood([_edge(row) for row in first])


def _edge(row: Row[Any]) -> Edge:
    return Edge(
        id=row.relationship_id,
        version=row.version,
        source=row.source_id,
        target=row.target_id,
        private=row.visibility == "private",
    )
