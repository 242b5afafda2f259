"""Records as they were known at a basis, from the read models: one statement for many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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
)

from domain.claims.decisions import approvals
from domain.claims.known import Edge, Memory, Told
from domain.claims.pieces import CONTRADICTS, DERIVED_FROM, SUPPORTS, Approval
from domain.relationship import RelationshipState
from projections.columns import BIG, Words
from projections.rows import edge_state, memory_state
from projections.schema import DEGREE, EDGE_VERSION, MEMORY_VERSION
from read_api.basis import IDS, Basis, known, parts_of
from read_api.decisions import Decisions
from read_api.known_in_log import is_origin, speaks

TOGETHER_MAX: Final = 1_000
"""Relationships of a memory up to which it is read together with others."""

_MEMORY: Final = MEMORY_VERSION.c
_EDGE: Final = EDGE_VERSION.c
_MEMORIES: Final = (
    select(MEMORY_VERSION)
    .where(known(MEMORY_VERSION), _MEMORY.memory_id.in_(IDS))
    .order_by(_MEMORY.memory_id, _MEMORY.version)
)
_SLOTS: Final = select(_MEMORY.slot_ref, _MEMORY.memory_id).where(
    known(MEMORY_VERSION), _MEMORY.slot_ref.in_(IDS)
)
_DEGREES: Final = (
    select(DEGREE.c.node, cast(func.sum(DEGREE.c.edges), BIG))
    .where(DEGREE.c.workspace == bindparam("basis_workspace", type_=Words), DEGREE.c.node.in_(IDS))
    .group_by(DEGREE.c.node)
)


def _all_versions(*touching: ColumnElement[bool]) -> Select[Any]:
    """Every known version of the first relationships, by id, of which one is of that kind."""
    some = union(
        *(select(_EDGE.relationship_id).where(known(EDGE_VERSION), one) for one in touching)
    ).subquery()
    first = (
        select(some.c.relationship_id)
        # No column: for one, SQLite would go through all relationships in the order of their key.
        .order_by(some.c.relationship_id + "")
        .limit(bindparam("most", type_=BIG))
        .subquery()
    )
    return (
        select(EDGE_VERSION)
        .where(known(EDGE_VERSION), _EDGE.relationship_id.in_(select(first.c.relationship_id)))
        .order_by(_EDGE.relationship_id, _EDGE.version)
    )


_INTO: Final = _EDGE.target_id.in_(IDS)
_OUT_OF: Final = _EDGE.source_id.in_(IDS)
_ORIGINS: Final = _all_versions((_EDGE.kind == DERIVED_FROM) & _OUT_OF)
_SPEAKING: Final = _all_versions(
    or_(_EDGE.kind == SUPPORTS, _EDGE.kind == CONTRADICTS) & _INTO,
    (_EDGE.kind == CONTRADICTS) & _OUT_OF,
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

    def origins(self, nodes: Iterable[str], most: int) -> Mapping[str, Sequence[Edge]]:
        return self._touching(_ORIGINS, nodes, most, is_origin)

    def speaking(self, nodes: Iterable[str], most: int) -> Mapping[str, Sequence[Edge]]:
        return self._touching(_SPEAKING, nodes, most, speaks)

    def slots(self, refs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        found: defaultdict[str, set[str]] = defaultdict(set)
        for row in self._rows(_SLOTS, refs):
            found[row["slot_ref"]].add(row["memory_id"])
        # Each once, in order: were that asked of SQLite, it would go through the whole workspace.
        return {ref: sorted(ids) for ref, ids in found.items()}

    def reviews(self, claim: Memory) -> Sequence[Approval]:
        return approvals(claim, self.decisions.reviews(claim[-1].state.id))

    def _touching(
        self,
        query: Select[Any],
        nodes: Iterable[str],
        most: int,
        wanted: Any,
    ) -> Mapping[str, Sequence[Edge]]:
        """By node; those of nodes with very many are read node by node, so that none is cut
        for another one.
        """
        asked = list(nodes)
        degrees = {
            node: edges
            for part in parts_of(asked)
            for node, edges in self.connection.execute(_DEGREES, {**self.basis.binds, "ids": part})
        }
        few = [node for node in asked if 0 < degrees.get(node, 0) <= TOGETHER_MAX]
        many = [node for node in asked if degrees.get(node, 0) > TOGETHER_MAX]
        found: dict[str, Sequence[Edge]] = {}
        for part in [*parts_of(few), *([node] for node in many)]:
            limit = most + 1 if len(part) == 1 else TOGETHER_MAX * len(part)
            found.update(self._edges(query, part, limit, wanted))
        return found

    def _edges(
        self, query: Select[Any], nodes: list[str], limit: int, wanted: Any
    ) -> Mapping[str, Sequence[Edge]]:
        read: defaultdict[str, list[Told[RelationshipState]]] = defaultdict(list)
        for row in self._rows(query, nodes, most=limit):
            read[row["relationship_id"]].append(
                Told(edge_state(row), row["position"], row["actor"])
            )
        here = frozenset(nodes)
        found: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in read.values():
            state = edge[-1].state
            for node in here & {state.source_id, state.target_id}:
                if any(wanted(one.state, node) for one in edge):
                    found[node].append(edge)
        return found

    def _rows(self, query: Select[Any], ids: Iterable[str], **more: int) -> Iterable[Any]:
        for part in parts_of(ids):
            binds = {**self.basis.binds, "ids": part, **more}
            yield from self.connection.execute(query, binds).mappings()
