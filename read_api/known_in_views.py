"""Records as they were known at a basis, from the read models: one statement for many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    cast,
    func,
    or_,
    select,
    union,
    union_all,
)

from domain.claims.chains import ends_of
from domain.claims.decisions import approvals
from domain.claims.known import Edge, Memory, Told
from domain.claims.pieces import CONTRADICTS, DERIVED_FROM, SUPPORTS, Approval
from domain.instants import Micros
from domain.relationship import RelationshipState
from projections.columns import BIG, Words
from projections.rows import EDGE_STATE, MEMORY_STATE, Row, edge_state, memory_state
from projections.schema import DEGREE, EDGE_VERSION, MEMORY_VERSION
from read_api.basis import Basis, holding, known, of_ids, parts_of, recallable
from read_api.decisions import Decisions
from read_api.known_in_log import is_origin, speaks

FEW_MAX: Final = 200
"""Relationships of some memories that are read at once, before it is asked how many there are."""
TOGETHER_MAX: Final = 1_000
"""Relationships of a memory up to which it is read together with others."""

_MEMORY: Final = MEMORY_VERSION.c
_EDGE: Final = EDGE_VERSION.c
_TOLD_MEMORY: Final = ("memory_id", "position", "actor", *MEMORY_STATE)
_TOLD_EDGE: Final = ("relationship_id", "position", "actor", *EDGE_STATE)
_MEMORIES: Final = (
    select(*(_MEMORY[name] for name in _TOLD_MEMORY))
    .where(known(MEMORY_VERSION), of_ids(_MEMORY.memory_id))
    .order_by(_MEMORY.memory_id, _MEMORY.version)
)
_SELECT_EDGES: Final = select(*(_EDGE[name] for name in _TOLD_EDGE))
_EDGES: Final = _SELECT_EDGES.where(known(EDGE_VERSION), of_ids(_EDGE.relationship_id)).order_by(
    _EDGE.relationship_id, _EDGE.version
)
_SLOTS: Final = select(_MEMORY.slot_ref, _MEMORY.memory_id).where(
    known(MEMORY_VERSION), of_ids(_MEMORY.slot_ref)
)
_DEGREES: Final = (
    select(DEGREE.c.node, cast(func.sum(DEGREE.c.edges), BIG))
    .where(DEGREE.c.workspace == bindparam("basis_workspace", type_=Words), of_ids(DEGREE.c.node))
    .group_by(DEGREE.c.node)
)


class _Asked(NamedTuple):
    """Every known version of relationships of which one is of some kind, by id.

    `few` asks for any of them, and ends as soon as there are more than wanted; `first` for the
    first ones, for which all have to be put in order.
    """

    few: Select[Any]
    first: Select[Any]


def _asked(*touching: ColumnElement[bool]) -> _Asked:
    each = [select(_EDGE.relationship_id).where(known(EDGE_VERSION), one) for one in touching]
    # Each once: `union` would find all of them before it gives the first one. And no columns: for
    # one, SQLite would go through all relationships in the order of their key.
    some = union_all(*each).subquery().c.relationship_id + ""
    every = union(*each).subquery().c.relationship_id
    most = bindparam("most", type_=BIG)
    few, first = (
        _SELECT_EDGES.where(
            known(EDGE_VERSION), _EDGE.relationship_id.in_(select(one.subquery().c[0]))
        ).order_by(_EDGE.relationship_id, _EDGE.version)
        for one in (
            select(some).distinct().limit(most),
            select(every).order_by(every + "").limit(most),
        )
    )
    return _Asked(few, first)


_INTO: Final = of_ids(_EDGE.target_id)
_OUT_OF: Final = of_ids(_EDGE.source_id)
_FROM: Final = (_EDGE.kind == DERIVED_FROM) & _OUT_OF
_ABOUT: Final = (
    or_(_EDGE.kind == SUPPORTS, _EDGE.kind == CONTRADICTS) & _INTO,
    (_EDGE.kind == CONTRADICTS) & _OUT_OF,
)
_ORIGINS: Final = _asked(_FROM)
_SPEAKING: Final = _asked(*_ABOUT)
_BOTH: Final = _asked(_FROM, *_ABOUT)


def _contradicted(this: ColumnElement[Any], other: ColumnElement[Any]) -> Select[Any]:
    """One end of contradictions that hold from, or of, a memory that holds at the other end."""
    speaker = (
        select(_MEMORY.memory_id)
        .where(recallable(MEMORY_VERSION), _MEMORY.memory_id == other)
        .correlate(EDGE_VERSION)
        .exists()
    )
    contradicts = (_EDGE.kind == CONTRADICTS) & (this != other)
    return select(this).where(holding(EDGE_VERSION), contradicts, of_ids(this), speaker)


_CONTRADICTED: Final = union(
    _contradicted(_EDGE.target_id, _EDGE.source_id),
    _contradicted(_EDGE.source_id, _EDGE.target_id),
)


@dataclass(frozen=True, slots=True)
class KnownInViews:
    """`domain.claims.known.KnownRecords` in the transaction of a connection, at a basis."""

    connection: Connection
    basis: Basis
    decisions: Decisions

    def memories(self, ids: Iterable[str]) -> Mapping[str, Memory]:
        found: defaultdict[str, list[Any]] = defaultdict(list)
        for row in self._rows(_MEMORIES, ids):
            found[row["memory_id"]].append(Told(memory_state(row), row["position"], row["actor"]))
        return found

    def behind(
        self, nodes: Iterable[str], claims: Collection[str], most: int
    ) -> tuple[Mapping[str, Sequence[Edge]], Mapping[str, Sequence[Edge]]]:
        """Those of nodes with very many are read node by node, so that none is cut for another."""
        here, speaking = list(dict.fromkeys(nodes)), frozenset(claims)
        found, few = _Behind({}, {}), min(FEW_MAX, most)
        for asked, group in (
            (_ORIGINS, [node for node in here if node not in speaking]),
            (_BOTH, [node for node in here if node in speaking]),
        ):
            for part in parts_of(group):
                # Few is what it mostly is, and then nobody has to count first.
                rows = list(self._rows(asked.few, part, most=few + 1))
                if len({row["relationship_id"] for row in rows}) <= few:
                    found.take(asked, _edges(rows), part)
                else:
                    self._many(asked, part, most, found)
        return found

    def _many(self, asked: _Asked, nodes: list[str], most: int, found: _Behind) -> None:
        degrees = self._degrees(nodes)
        together = min(TOGETHER_MAX, most)
        few = [node for node, edges in degrees.items() if edges <= together]
        if few:
            rows = self._rows(asked.first, few, most=together * len(few))
            found.take(asked, _edges(rows), few)
        for node in (node for node, edges in degrees.items() if edges > together):
            for side in (_ORIGINS, _SPEAKING) if asked is _BOTH else (asked,):
                rows = self._rows(side.first, [node], most=most + 1)
                found.take(side, _edges(rows), [node])

    def edges(self, ids: Iterable[str]) -> list[Edge]:
        """Those of the ids that are relationships here, by id."""
        return _edges(self._rows(_EDGES, sorted(ids)))

    def contradicted(self, ids: Iterable[str], as_of_us: Micros) -> Collection[str]:
        """A statement for many; `as_of_us` is that of the basis."""
        binds = {**self.basis.binds, "basis_as_of": as_of_us}
        return {
            one
            for part in parts_of(ids)
            for one in self.connection.scalars(_CONTRADICTED, {**binds, "ids": part})
        }

    def slots(self, refs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for row in self._rows(_SLOTS, refs):
            found[row["slot_ref"]].add(row["memory_id"])
        # Each once, in order: were that asked of SQLite, it would go through the whole workspace.
        return {ref: sorted(ids) for ref, ids in found.items()}

    def reviews(self, claim: Memory) -> Sequence[Approval]:
        return approvals(claim, self.decisions.reviews(claim[-1].state.id))

    def _degrees(self, nodes: list[str]) -> dict[str, int]:
        """Upper bounds of the degrees, of those nodes that ever had a relationship."""
        rows = self.connection.execute(_DEGREES, {**self.basis.binds, "ids": nodes})
        return {node: edges for node, edges in rows if edges}

    def _rows(self, query: Select[Any], ids: Iterable[str], **more: int) -> Iterator[Row]:
        for part in parts_of(ids):
            binds = {**self.basis.binds, "ids": part, **more}
            found = self.connection.execute(query, binds)
            names = tuple(found.keys())
            # All rows in one call of the driver instead of one for each; and a dict is read faster
            # than a row, of which many columns are.
            for row in found.all():
                yield dict(zip(names, row, strict=True))


class _Behind(NamedTuple):
    """What `KnownRecords.behind` tells."""

    derived: dict[str, Sequence[Edge]]
    spoken: dict[str, Sequence[Edge]]

    def take(self, asked: _Asked, edges: Sequence[Edge], nodes: Iterable[str]) -> None:
        """What a statement has found of some nodes."""
        if asked is not _SPEAKING:
            self.derived.update(_by_node(edges, nodes, is_origin))
        if asked is not _ORIGINS:
            self.spoken.update(_by_node(edges, nodes, speaks))


def _edges(rows: Iterable[Row]) -> list[Edge]:
    """Relationships from their versions, in this order."""
    read: dict[str, list[Told[RelationshipState]]] = {}
    for row in rows:
        told = Told(edge_state(row), row["position"], row["actor"])
        read.setdefault(row["relationship_id"], []).append(told)
    return list(read.values())


def _by_node(
    edges: Iterable[Edge], nodes: Iterable[str], wanted: Callable[[RelationshipState, str], bool]
) -> Mapping[str, list[Edge]]:
    here = frozenset(nodes)
    found: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        for node in set(ends_of(edge)):
            if node in here and any(wanted(one.state, node) for one in edge):
                found[node].append(edge)
    return found
