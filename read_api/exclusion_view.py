"""Why versions are no answer at a basis, read from the read models (spec/policy.md §2.8)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from domain.instants import FOREVER
from domain.resolver.eligibility import Excluded
from domain.resolver.holding import ended
from domain.visibility import ANSWERING
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, known, of_ids, parts_of
from read_api.exclusion_causes import (
    buried_by,
    cause,
    consolidated,
    corrected_by,
    graves,
    name_of,
)
from read_api.standing import standing
from read_api.tangled_view import TangledView

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
    _ROW.expired_us,
    _ROW.retained_by,
    _ROW.session,
    _ROW.kind,
    _ROW.epistemic_status,
    _ROW.confidence,
    _ROW.slot_ref,
    _ROW.repo,
    _ROW.record,
    _ROW.dead_versions,
    _ROW.recorded_us,
    _ROW.tangle,
)


# Sorted here and not there: for an order SQLite walks a whole workspace by its primary key.
_KNOWN: Final = select(*_COLUMNS).where(known(MEMORY_VERSION))
_BY_ID: Final = _KNOWN.where(of_ids(_ROW.memory_id))
_TANGLED: Final = _BY_ID.where(_ROW.tangle.is_not(None))
_BY_SLOT: Final = _KNOWN.where(of_ids(_ROW.slot_ref))
_BY_STRAY_SLOT: Final = _KNOWN.where(of_ids(_ROW.stray_slot_ref))


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
            for lineage in self._lineages(part, _BY_ID)
            for one in self._wanted(lineage, wanted)
        ]

    def _wanted(
        self, lineage: list[Row[Any]], wanted: AbstractSet[tuple[str, int]]
    ) -> Iterable[Exclusion]:
        asked = {version for memory, version in wanted if memory == lineage[-1].memory_id}
        if lineage[-1].tangle is not None:
            told = TangledView(lineage)
            last, now = lineage[-1].version, told.answering(self._basis.as_of_us)
            shown = {now if one == last else told.shows(one) for one in asked}
            asked = {one for one in shown if one is not None}
        return (one for one in self._judged(lineage) if one.version in asked)

    def of_slots(self, refs: Sequence[str]) -> list[Exclusion]:
        """Every version of the slots that is no answer; of a forgotten memory the last one."""
        return [
            one
            for part in parts_of(refs)
            for lineage in self._lineages(part, _BY_SLOT, _BY_STRAY_SLOT)
            for one in self._in_slots(lineage, set(part))
        ]

    def _in_slots(self, lineage: list[Row[Any]], refs: AbstractSet[str]) -> Iterable[Exclusion]:
        if lineage[-1].tangle is None:
            return self._judged(lineage)
        whole = self.lineage(lineage[-1].memory_id)
        told = TangledView(whole)
        return (one for one in self._judged(whole) if told.slot_of(one.version) in refs)

    def lineage(self, memory_id: str) -> list[Row[Any]]:
        """All versions of a memory that are known at the basis; none where it is absent there."""
        return next(iter(self._lineages([memory_id], _BY_ID)), [])

    def tangled(self, ids: Iterable[str]) -> list[list[Row[Any]]]:
        """The versions of those of the memories that are tangled."""
        return [one for part in parts_of(ids) for one in self._lineages(part, _TANGLED)]

    def _lineages(self, ids: list[str], *queries: Select[Any]) -> Iterable[list[Row[Any]]]:
        """All versions known at the basis of the memories that the queries find, by version."""
        binds = {**self._basis.binds, "ids": ids}
        found = {
            (row.memory_id, row.version): row
            for query in queries
            for row in self._connection.execute(query, binds)
        }
        lineages: defaultdict[str, list[Row[Any]]] = defaultdict(list)
        for (memory_id, _), row in sorted(found.items()):
            lineages[memory_id].append(row)
        return lineages.values()

    def _judged(self, lineage: list[Row[Any]]) -> list[Exclusion]:
        last = lineage[-1]
        if last.tangle is not None:
            return self._untangled(lineage)
        if last.forgotten is not None:
            return self._forgotten(lineage)
        erased = {row.version for row in lineage if row.erased}
        # What an erased version was about is gone: like a deleted memory it is within all filters.
        corrected = [
            self._retired(lineage, at, erased)
            for at, row in enumerate(lineage[:-1])
            if row.erased or self.filter_of(row) is None
        ]
        reason = self.reason(lineage)
        if reason is None or not (last.erased or self.filter_of(last) is None):
            return corrected
        by = cause(reason, lineage)
        return [*corrected, Exclusion(last.memory_id, last.version, reason, by)]

    def _forgotten(self, lineage: list[Row[Any]]) -> list[Exclusion]:
        """Every version of a memory that is forgotten for good, as that was known at the basis."""
        last = lineage[-1]
        if graves(lineage):
            return [
                Exclusion(row.memory_id, row.version, "deleted", buried_by(lineage, row))
                for row in lineage
            ]
        # It was forgotten later: what had a version after it was retired by that.
        dead = set(json.loads(last.dead_versions or "[]"))
        return [
            *(self._retired(lineage, at, dead) for at in range(len(lineage) - 1)),
            Exclusion(last.memory_id, last.version, "deleted", cause("deleted", lineage)),
        ]

    def _untangled(self, lineage: list[Row[Any]]) -> list[Exclusion]:
        """The same of a tangled memory: of each statement, not of what only repeats one."""
        told, rows = TangledView(lineage), {row.version: row for row in lineage}
        why = told.exclusions(self._basis.as_of_us)
        found = [*why.values(), *told.lost(self._basis.as_of_us)]
        reason, answering = self.reason(lineage), told.answering(self._basis.as_of_us)
        if answering is not None and answering not in why and reason is not None:
            name = f"{lineage[-1].memory_id}@{answering}"
            found.append(Excluded(name, reason, cause(reason, lineage)))  # type: ignore[arg-type]
        told_of = [(int(one.id.rpartition("@")[2]), one) for one in found]
        return [
            Exclusion(lineage[-1].memory_id, version, one.reason, one.by)
            for version, one in sorted(told_of)
            if self._filters.slot in {None, told.slot_of(version)}
            and (rows[version].erased or self.filter_of(rows[version]) in {None, "slot"})
        ]

    def _retired(self, lineage: Sequence[Row[Any]], at: int, erased: AbstractSet[int]) -> Exclusion:
        """A version that has one after it, which retired it, unless its own text is gone."""
        row = lineage[at]
        if row.version in erased:
            return Exclusion(row.memory_id, row.version, "deleted", buried_by(lineage, row))
        by = name_of(corrected_by(lineage[at + 1 :]))
        return Exclusion(row.memory_id, row.version, "corrected", by)

    def reason(self, lineage: Sequence[Row[Any]]) -> str | None:
        """Why the last version of a lineage is no answer, whatever the filters; None if it is."""
        row, at = lineage[-1], self._basis.as_of_us
        said = standing(row, at)
        if row.forgotten is not None or (row.erased if said is None else said.erased):
            return "deleted"
        if row.tangle is not None:
            told = TangledView(lineage)
            why = told.exclusions(at).get(told.answering(at) or 0)
            if why is not None:
                return why.reason
        if row.lifecycle not in ANSWERING:
            return "superseded" if consolidated(lineage) else "hidden"
        if row.tangle is not None and said is not None:
            return ended(said.from_us, FOREVER, row.expires_us, at)
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


def joined(found: Sequence[Exclusion], chosen: Sequence[Exclusion]) -> list[Exclusion]:
    """What the policy says of a version goes before what is said of it otherwise: that it was
    forgotten since, or of a fork which one is preferred.
    """
    then = {(one.memory_id, one.version) for one in chosen}
    return [*(one for one in found if (one.memory_id, one.version) not in then), *chosen]
