"""Lineages: an assertion and all corrections that reach it (spec/policy.md §2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from domain.instants import FOREVER, Micros
from domain.resolver.events import Bound, Inherited, Statement, age


class Span(NamedTuple):
    """Bounds that hold, own or inherited: [from, until) and the exclusive retention bound.

    Open ends are `FOREVER`.
    """

    from_us: Micros
    until_us: Micros
    expires_us: Micros


class Place(NamedTuple):
    """Where a statement stands.

    `lineage` is the id of the root; where the chain of targets does not reach one, the id that is
    missing, or the least id of the cycle that it runs into. `root` is None then. `inert` tells
    that the statement, or one that it corrects, has another slot than its target.
    """

    lineage: str
    root: Statement | None
    inert: bool
    span: Span


class Lineages:
    """The places of a set of statements, at most one for each id, and what corrects them."""

    def __init__(self, statements: Mapping[str, Statement]) -> None:
        self._statements = statements
        self._places: dict[str, Place] = {}
        for statement in statements.values():
            self._place(statement)
        self._corrections = self._newest_corrections()

    def of(self, statement_id: str) -> str:
        """The lineage that an id belongs to; one that is not known yet is its own."""
        place = self._places.get(statement_id)
        return statement_id if place is None else place.lineage

    def place(self, statement_id: str) -> Place:
        """Where a known statement stands."""
        return self._places[statement_id]

    def correction_of(self, statement_id: str) -> Statement | None:
        """The newest direct correction of a statement that is not inert."""
        return self._corrections.get(statement_id)

    def _place(self, statement: Statement) -> None:
        """Walk up to what is placed already, or to an end, and place all that was passed."""
        passed: dict[str, Statement] = {}
        at: Statement | None = statement
        end = statement.id
        while at is not None and at.id not in self._places and at.id not in passed:
            passed[at.id] = at
            end = at.id if at.target is None else at.target
            at = None if at.target is None else self._statements.get(at.target)
        if at is not None and at.id in passed:
            end = min(_from(list(passed), at.id))
        for one in reversed(passed.values()):
            above = self._places.get(one.target) if one.target is not None else None
            self._places[one.id] = self._below(one, above, end)

    def _below(self, one: Statement, above: Place | None, end: str) -> Place:
        if one.target is None:
            start = _or(one.valid_from, one.recorded_us, one.recorded_us)
            until, expires = (_or(b, FOREVER, FOREVER) for b in (one.valid_until, one.expires_at))
            return Place(one.id, one, inert=False, span=Span(start, until, expires))
        if above is None:
            return Place(end, None, inert=False, span=Span(one.recorded_us, FOREVER, FOREVER))
        span = Span(
            _or(one.valid_from, above.span.from_us, one.recorded_us),
            _or(one.valid_until, above.span.until_us, FOREVER),
            _or(one.expires_at, above.span.expires_us, FOREVER),
        )
        other_slot = self._statements[one.target].slot_ref != one.slot_ref
        return Place(above.lineage, above.root, above.inert or other_slot, span)

    def _newest_corrections(self) -> dict[str, Statement]:
        newest: dict[str, Statement] = {}
        for one in self._statements.values():
            if one.target is not None and not self._places[one.id].inert:
                other = newest.get(one.target)
                if other is None or age(one) > age(other):
                    newest[one.target] = one
        return newest


def _from(ids: list[str], first: str) -> list[str]:
    return ids[ids.index(first) :]


def _or(bound: Bound, inherited: Micros, opened: Micros) -> Micros:
    if isinstance(bound, Inherited):
        return inherited
    return opened if bound is None else bound
