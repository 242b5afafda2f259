"""The evidence graph in SQL: what joins some memories, a statement for a level.

Other than in a recall, what no longer stands is there too, and says so: a contradiction that was
withdrawn is evidence. A relationship is there where it and both of its ends may be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
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
from read_api.basis import IDS, Basis, known, parts_of, shown

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
    """A relationship at one of its ends, which has `degree` of them that may be seen."""

    node: str
    degree: int
    id: str
    version: int
    kind: str
    source: str
    target: str
    standing: Standing

    def other(self) -> str:
        """The end that is not `node`; `node` itself for a self-loop."""
        return self.target if self.source == self.node else self.source


def _seen(end: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether the memory at an end may be seen; the end that is asked about was."""
    memory = MEMORY_VERSION.alias()
    return exists().where(known(memory), memory.c.memory_id == end)


def _links() -> Select[Any]:
    """The relationships of some nodes: of each node the first one, then of each the second, ….

    So that a node with very many takes the place of no other one.
    """
    columns = (
        *(_EDGE.relationship_id, _EDGE.version, _EDGE.kind, _EDGE.source_id, _EDGE.target_id),
        *(_EDGE.lifecycle, _EDGE.erased, _EDGE.from_us, _EDGE.until_us, _EDGE.expires_us),
    )
    touching = union_all(
        select(_EDGE.source_id.label("node"), *columns).where(
            shown(EDGE_VERSION), _EDGE.source_id.in_(IDS), _seen(_EDGE.target_id)
        ),
        select(_EDGE.target_id.label("node"), *columns).where(
            shown(EDGE_VERSION),
            _EDGE.target_id.in_(IDS),
            _EDGE.target_id != _EDGE.source_id,
            _seen(_EDGE.source_id),
        ),
    ).subquery()
    node = touching.c.node
    turn = func.row_number().over(partition_by=node, order_by=touching.c.relationship_id)
    ranked = select(
        touching, turn.label("turn"), func.count().over(partition_by=node).label("degree")
    ).subquery()
    return select(ranked).order_by(ranked.c.turn, ranked.c.node).limit(bindparam("most", type_=BIG))


_LINKS: Final = _links()
_NODES: Final = select(
    *(_MEMORY.memory_id, _MEMORY.version, _MEMORY.kind, _MEMORY.epistemic_status),
    *(_MEMORY.lifecycle, _MEMORY.erased, _MEMORY.forgotten, _MEMORY.record),
    *(_MEMORY.from_us, _MEMORY.until_us, _MEMORY.expires_us),
).where(shown(MEMORY_VERSION), _MEMORY.memory_id.in_(IDS))
_BOUNDS: Final = (
    select(DEGREE.c.node, cast(func.sum(DEGREE.c.edges), BIG))
    .where(
        DEGREE.c.workspace == bindparam("basis_workspace", type_=Words),
        DEGREE.c.node.in_(IDS),
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

    def links(self, ids: Sequence[str], most: int) -> list[Link]:
        """The first `most` rows of what joins these memories, which may be seen.

        A relationship between two of them is there once at each.
        """
        return [
            Link(
                node=row.node,
                degree=row.degree,
                id=row.relationship_id,
                version=row.version,
                kind=row.kind,
                source=row.source_id,
                target=row.target_id,
                standing=self._standing(row, gone=row.erased),
            )
            for row in self._rows(_LINKS, ids, most=most)
        ]

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

    def _rows(self, query: Select[Any], ids: Iterable[str], **more: int) -> Iterable[Any]:
        for part in parts_of(ids):
            yield from self._connection.execute(query, {**self._basis.binds, "ids": part, **more})
