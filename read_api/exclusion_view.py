"""Why versions are no answer at a basis, read from the read models (spec/policy.md §2.8)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from domain.events import MemoryForgotten, MemorySuperseded, MemoryUpdated
from domain.resolver.holding import ended
from domain.visibility import ANSWERING
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import IDS, Basis, known, parts_of

_ROW: Final = MEMORY_VERSION.c
_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    _ROW.memory_id,
    _ROW.version,
    _ROW.position,
    _ROW.to_position,
    _ROW.topic,
    _ROW.lifecycle,
    _ROW.forgotten,
    _ROW.erased,
    _ROW.visibility,
    _ROW.from_us,
    _ROW.until_us,
    _ROW.expires_us,
    _ROW.session,
    _ROW.kind,
    _ROW.epistemic_status,
    _ROW.confidence,
    _ROW.slot_ref,
    _ROW.repo,
    _ROW.record,
    _ROW.dead_versions,
)


_KNOWN: Final = (
    select(*_COLUMNS).where(known(MEMORY_VERSION)).order_by(_ROW.memory_id, _ROW.version)
)
_BY_ID: Final = _KNOWN.where(_ROW.memory_id.in_(IDS))
_BY_SLOT: Final = _KNOWN.where(_ROW.slot_ref.in_(IDS))


_EXPIRING: Final = (MemoryUpdated.TOPIC, MemoryForgotten.TOPIC)
"""Topics that may move the retention bound and say nothing new (policy.md §2.6)."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A version that is no answer, the first reason that applies, and what caused it.

    `by` names an event, `<id>@<version>`; it is None where time alone is the reason, and where
    what was known at the basis does not have that event: of what was forgotten later.
    """

    memory_id: str
    version: int
    reason: str
    by: str | None = None


class ExclusionView:
    """Reads versions in the transaction of a connection, at a basis, within filters."""

    def __init__(self, connection: Connection, basis: Basis, filters: Filters) -> None:
        self._connection = connection
        self._basis = basis
        self._filters = filters

    def of(self, versions: Iterable[tuple[str, int]]) -> list[Exclusion]:
        """Those of the versions that are within the filters and no answer."""
        wanted = set(versions)
        return [
            one
            for part in parts_of(memory for memory, _ in wanted)
            for lineage in self._lineages(_BY_ID, part)
            for one in self._judged(lineage)
            if (one.memory_id, one.version) in wanted
        ]

    def of_slots(self, refs: Sequence[str]) -> list[Exclusion]:
        """Every version of the slots that is no answer; of a forgotten memory the last one."""
        return [
            one
            for part in parts_of(refs)
            for lineage in self._lineages(_BY_SLOT, part)
            for one in self._judged(lineage)
        ]

    def lineage(self, memory_id: str) -> list[Row[Any]]:
        """All versions of a memory that are known at the basis; none where it is absent there."""
        return next(iter(self._lineages(_BY_ID, [memory_id])), [])

    def _lineages(self, query: Select[Any], ids: list[str]) -> Iterable[list[Row[Any]]]:
        """All versions known at the basis of the memories that a query finds."""
        lineages: defaultdict[str, list[Row[Any]]] = defaultdict(list)
        for row in self._connection.execute(query, {**self._basis.binds, "ids": ids}):
            lineages[row.memory_id].append(row)
        return lineages.values()

    def _judged(self, lineage: list[Row[Any]]) -> list[Exclusion]:
        last = lineage[-1]
        if last.forgotten is not None:
            return [Exclusion(last.memory_id, last.version, "deleted", cause("deleted", lineage))]
        # What an erased version was about is gone: like a deleted memory it is within all filters.
        corrected = [
            self._corrected(lineage, at)
            for at, row in enumerate(lineage[:-1])
            if row.erased or self.filter_of(row) is None
        ]
        reason = self.reason(lineage)
        if reason is None or not (last.erased or self.filter_of(last) is None):
            return corrected
        by = cause(reason, lineage)
        return [*corrected, Exclusion(last.memory_id, last.version, reason, by)]

    def _corrected(self, lineage: Sequence[Row[Any]], at: int) -> Exclusion:
        """A version that has one after it, which retired it, unless its own text is gone."""
        row = lineage[at]
        if row.erased:
            return Exclusion(row.memory_id, row.version, "deleted", _buried_by(lineage, row))
        later = lineage[at + 1 :]
        by = next((one for one in later if not one.erased), later[0])
        return Exclusion(row.memory_id, row.version, "corrected", _name(by))

    def reason(self, lineage: Sequence[Row[Any]]) -> str | None:
        """Why the last version of a lineage is no answer, whatever the filters; None if it is."""
        row, at = lineage[-1], self._basis.as_of_us
        if row.forgotten is not None or row.erased:
            return "deleted"
        if row.lifecycle not in ANSWERING:
            return "superseded" if _consolidated(lineage) else "hidden"
        return ended(row.from_us, row.until_us, row.expires_us, at)

    def filter_of(self, row: Row[Any]) -> str | None:
        """The first filter that a version is not within, by its name in the contract; None if it
        is within all. `lexical.eligibility` says the same over columns.
        """
        return next((name for name, within in self._filtered(row) if not within), None)

    def _filtered(self, row: Row[Any]) -> Iterator[tuple[str, bool]]:
        wanted, least = self._filters, self._filters.min_confidence
        enough = least is None or (row.confidence is not None and row.confidence >= least)
        yield "session_id", wanted.session_id in {None, row.session}
        yield "repo", wanted.repo in {None, row.repo}
        yield "kinds", not wanted.kinds or row.kind in wanted.kinds
        yield "tags", not wanted.tags or not wanted.tags.isdisjoint(json.loads(row.record)["tags"])
        said = wanted.epistemic_status
        yield "epistemic_status", not said or row.epistemic_status in said
        yield "min_confidence", enough
        yield "slot", wanted.slot in {None, row.slot_ref}


def cause(reason: str, lineage: Sequence[Row[Any]]) -> str | None:
    """The event that is the reason why the last version of a lineage is no answer.

    Forgotten later than the lineage is known, it has none there.
    """
    since = _since(lineage)
    did: Sequence[Row[Any]] = ()
    if reason == "deleted":
        # A version that says nothing of its own lost what it repeated to the last such forget.
        did = [row for row in lineage if row.topic == MemoryForgotten.TOPIC][-1:]
    elif reason == "superseded":
        did = [row for row in lineage[since:] if row.topic == MemorySuperseded.TOPIC][-1:]
    elif reason == "hidden":
        did = lineage[since : since + 1]
    elif reason == "expired":
        did = [
            row
            for before, row in pairwise(lineage)
            if row.expires_us != before.expires_us and row.topic in _EXPIRING
        ][-1:]
    return _name(did[0]) if did else None


def _name(row: Row[Any]) -> str:
    return f"{row.memory_id}@{row.version}"


def _buried_by(lineage: Sequence[Row[Any]], erased: Row[Any]) -> str | None:
    """The forget of scope `event` that covers a version, if it is known."""
    forgets = [row for row in lineage if row.topic == MemoryForgotten.TOPIC]
    covering = (row for row in forgets if erased.version in json.loads(row.dead_versions or "[]"))
    # One that says nothing of its own repeats what was forgotten before it.
    before = (row for row in reversed(forgets) if row.version <= erased.version)
    found = next(covering, None) or next(before, None)
    return None if found is None else _name(found)


def _since(lineage: Sequence[Row[Any]]) -> int:
    """The place of the version that set the lifecycle of the last one."""
    first = len(lineage) - 1
    while first > 0 and lineage[first - 1].lifecycle == lineage[-1].lifecycle:
        first -= 1
    return first


def _consolidated(lineage: Sequence[Row[Any]]) -> bool:
    """Whether the lifecycle was set by a consolidation, and by no later update."""
    return any(row.topic == MemorySuperseded.TOPIC for row in lineage[_since(lineage) :])


def joined(found: Sequence[Exclusion], chosen: Sequence[Exclusion]) -> list[Exclusion]:
    """What the policy says of a memory that was forgotten since goes before that it is gone."""
    then = {one.memory_id for one in chosen}
    return [
        *(one for one in found if one.memory_id not in then or one.reason != "deleted"),
        *chosen,
    ]
