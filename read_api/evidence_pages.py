"""The evidence about a claim in pages, so that a claim with very many sources costs what is told.

What speaks against the claim comes first, then what speaks for it, each by relationship id. Only
what a page tells is read, with what that rests on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, bindparam, or_, select, union

from domain.claims.chains import Limits
from domain.claims.gathering import Gathered, gather
from domain.claims.known import Edge, Memory
from domain.claims.pieces import CONTRADICTS, SUPPORTS, Approval
from domain.instants import Micros
from projections.columns import BIG, Words
from projections.schema import EDGE_VERSION
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


def _between(near: ColumnElement[str], far: ColumnElement[str], kind: str) -> Select[Any]:
    """Known relationships from or to the claim, with the other end."""
    found = select(_EDGE.relationship_id.label("id"), far.label("other"))
    return found.where(known(EDGE_VERSION), _EDGE.kind == kind, near == _CLAIM, far != near)


def _first(some: FromClause) -> Select[Any]:
    """The first ones behind an id. Whether their ends may be seen is not looked at for all."""
    # No column: for one, SQLite would go through all relationships in the order of their key.
    by = some.c.id + ""
    found = select(some.c.id, some.c.other).where(by > bindparam("after", type_=Words))
    return found.order_by(by).limit(bindparam("most", type_=BIG))


_AGAINST: Final = _first(
    union(
        _between(_EDGE.target_id, _EDGE.source_id, CONTRADICTS),
        _between(_EDGE.source_id, _EDGE.target_id, CONTRADICTS),
    ).subquery()
)
_FOR: Final = _first(
    _between(_EDGE.target_id, _EDGE.source_id, SUPPORTS)
    .where(
        or_(
            _EDGE.to_position.is_(None),
            _EDGE.to_position > bindparam("basis_position", type_=BIG),
        )
    )
    .subquery()
)
_SIDES: Final[Mapping[str, Select[Any]]] = {CONTRADICTS: _AGAINST, SUPPORTS: _FOR}
"""What speaks against a claim or ever has, and what supports it at the basis."""


@dataclass(frozen=True, slots=True)
class _OnPage:
    """Known records in which of all that speaks about one claim only a page does."""

    records: KnownInViews
    claim: str
    spoken: Sequence[Edge]
    ends: Mapping[str, Memory]
    """Memories that were read already."""

    def memories(self, ids: Iterable[str]) -> Mapping[str, Memory]:
        wanted = list(ids)
        there = {one: self.ends[one] for one in wanted if one in self.ends}
        return {**self.records.memories(one for one in wanted if one not in there), **there}

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
    told, ends = _told(records, claim, after, limit + 1)
    page = _OnPage(records, claim, [edge for _, edge in told[:limit]], ends)
    found = gather(page, [claim], records.basis.as_of_us, challenged=True, limits=AROUND).get(claim)
    if found is None:
        return None
    return Page(found, told[limit - 1][0] if len(told) > limit else None)


def _told(
    records: KnownInViews, claim: str, after: Mark, most: int
) -> tuple[list[tuple[Mark, Edge]], Mapping[str, Memory]]:
    """The relationships behind a mark whose other ends may be seen, and these."""
    told: list[tuple[Mark, Edge]] = []
    ends: dict[str, Memory] = {}
    for side, query in _SIDES.items():
        if side == CONTRADICTS and after.side != CONTRADICTS:
            continue
        begin, wanted = after.edge if side == after.side else "", most - len(told)
        while wanted:
            asked = {"claim": claim, "after": begin, "most": wanted}
            rows = records.connection.execute(query, {**records.basis.binds, **asked}).all()
            ends.update(records.memories(other for _, other in rows))
            edges = records.edges(edge for edge, other in rows if other in ends)
            told += [(Mark(side, edge[-1].state.id), edge) for edge in edges if _is(side, edge)]
            if len(rows) < wanted:
                break
            begin, wanted = rows[-1].id, most - len(told)
    return told, ends


def _is(side: str, edge: Edge) -> bool:
    """Whether it belongs on a side: what ever was against a claim is told there alone."""
    return side == CONTRADICTS or all(one.state.kind != CONTRADICTS for one in edge)
