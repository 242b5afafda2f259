"""The evidence about a claim in pages, so that a claim with very many sources costs what is told.

What speaks against the claim comes first, then what speaks for it, each by relationship id. Only
what a page tells is read, with what that rests on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Select, bindparam, exists, or_, select, union

from domain.claims.chains import Limits
from domain.claims.gathering import Gathered, gather
from domain.claims.known import Edge, Memory
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Approval
from domain.instants import Micros
from projections.columns import BIG, Words
from projections.schema import EDGE_VERSION, MEMORY_VERSION
from read_api.basis import known
from read_api.known_in_views import KnownInViews

AROUND: Final = Limits(depth=16, nodes=5_000, edges=1_000)
"""How far one page follows what it tells."""


class Mark(NamedTuple):
    """Where a page ended: behind a relationship, on the side of those against or for a claim."""

    side: str
    edge: str

    def __str__(self) -> str:
        return f"{self.side} {self.edge}"

    @classmethod
    def of(cls, text: str) -> Mark:
        """What `str` has made."""
        side, _, edge = text.partition(" ")
        return cls(side, edge)


START: Final = Mark(CONTRADICTS, "")


class Page(NamedTuple):
    """The claim with the evidence of a page, and where the page ended; None for the last one."""

    found: Gathered
    end: Mark | None


_EDGE: Final = EDGE_VERSION.c
_CLAIM: Final = bindparam("claim", type_=Words)
_AFTER: Final = bindparam("after", type_=Words)


def _between(near: ColumnElement[str], far: ColumnElement[str]) -> ColumnElement[bool]:
    """Known, from or to the claim, and to or from another memory that may be seen."""
    memory = MEMORY_VERSION.alias()
    seen = exists().where(known(memory), memory.c.memory_id == far)
    return known(EDGE_VERSION) & (near == _CLAIM) & (far != near) & seen


def _ever_against() -> ColumnElement[bool]:
    before = EDGE_VERSION.alias()
    same = before.c.relationship_id == _EDGE.relationship_id
    return exists().where(known(before), same, before.c.kind == CONTRADICTS)


def _first(some: Any) -> Select[Any]:
    """The first ids behind one."""
    found = some.subquery().c.relationship_id
    # No column: for one, SQLite would go through all relationships in the order of their key.
    by = found + ""
    return select(found).where(by > _AFTER).order_by(by).limit(bindparam("most", type_=BIG))


_ID: Final = select(_EDGE.relationship_id)
_AGAINST: Final = _first(
    union(
        _ID.where(_EDGE.kind == CONTRADICTS, _between(_EDGE.target_id, _EDGE.source_id)),
        _ID.where(_EDGE.kind == CONTRADICTS, _between(_EDGE.source_id, _EDGE.target_id)),
    )
)
_STOOD: Final = or_(
    _EDGE.to_position.is_(None),
    _EDGE.to_position > bindparam("basis_position", type_=BIG),
)
_FOR: Final = _first(
    _ID.where(
        _EDGE.kind == SUPPORTS,
        _between(_EDGE.target_id, _EDGE.source_id),
        _STOOD,
        ~_ever_against(),
    )
)
_SIDES: Final[Mapping[str, Select[Any]]] = {CONTRADICTS: _AGAINST, SUPPORTS: _FOR}
"""What speaks against a claim or ever has, and what supports it at the basis."""


@dataclass(frozen=True, slots=True)
class _OnPage:
    """Known records in which of all that speaks about one claim only a page does."""

    records: KnownInViews
    claim: str
    spoken: Sequence[Edge]

    def memories(self, ids: Iterable[str]) -> Mapping[str, Memory]:
        return self.records.memories(ids)

    def behind(
        self, nodes: Iterable[str], claims: Collection[str], most: int
    ) -> tuple[Mapping[str, Sequence[Edge]], Mapping[str, Sequence[Edge]]]:
        others = [one for one in claims if one != self.claim]
        derived, spoken = self.records.behind(nodes, others, most)
        here = {self.claim: self.spoken} if self.claim in claims else {}
        return derived, {**spoken, **here}

    def contradicted(self, ids: Iterable[str], as_of_us: Micros) -> Collection[str]:
        return self.records.contradicted(ids, as_of_us)

    def slots(self, refs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        return self.records.slots(refs)

    def reviews(self, claim: Memory) -> Sequence[Approval]:
        return self.records.reviews(claim)


def evidence_page(records: KnownInViews, claim: str, after: Mark, limit: int) -> Page | None:
    """At most `limit` relationships behind a mark, and what they rest on; None for no claim.

    A page may tell fewer: support that goes round in a circle is read and not told.
    """
    marks = _marks(records, claim, after, limit + 1)
    told = marks[:limit]
    page = _OnPage(records, claim, records.edges(one.edge for one in told))
    found = gather(page, [claim], records.basis.as_of_us, challenged=True, limits=AROUND).get(claim)
    if found is None:
        return None
    return Page(found, told[-1] if len(marks) > limit else None)


def _marks(records: KnownInViews, claim: str, after: Mark, most: int) -> list[Mark]:
    found: list[Mark] = []
    for side, query in _SIDES.items():
        if side == CONTRADICTS and after.side != CONTRADICTS:
            continue
        begin = after.edge if side == after.side else ""
        asked = {"claim": claim, "after": begin, "most": most - len(found)}
        rows = records.connection.scalars(query, {**records.basis.binds, **asked})
        found += [Mark(side, edge) for edge in rows]
    return found
