"""Why versions are no answer at a basis, read from the read models (spec/policy.md §2.8)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from domain.events import MemorySuperseded
from domain.visibility import ANSWERING
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import IDS, Basis, known, parts_of

_ROW: Final = MEMORY_VERSION.c
_COLUMNS: Final[tuple[ColumnElement[Any], ...]] = (
    _ROW.memory_id,
    _ROW.version,
    _ROW.to_position,
    _ROW.topic,
    _ROW.lifecycle,
    _ROW.forgotten,
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
)


_KNOWN: Final = (
    select(*_COLUMNS).where(known(MEMORY_VERSION)).order_by(_ROW.memory_id, _ROW.version)
)
_BY_ID: Final = _KNOWN.where(_ROW.memory_id.in_(IDS))
_BY_SLOT: Final = _KNOWN.where(_ROW.slot_ref.in_(IDS))


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A version that is no answer, and the first reason that applies."""

    memory_id: str
    version: int
    reason: str


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

    def _lineages(self, query: Select[Any], ids: list[str]) -> Iterable[list[Row[Any]]]:
        """All versions known at the basis of the memories that a query finds."""
        lineages: defaultdict[str, list[Row[Any]]] = defaultdict(list)
        for row in self._connection.execute(query, {**self._basis.binds, "ids": ids}):
            lineages[row.memory_id].append(row)
        return lineages.values()

    def _judged(self, lineage: list[Row[Any]]) -> list[Exclusion]:
        last = lineage[-1]
        if last.forgotten is not None:
            return [Exclusion(last.memory_id, last.version, "deleted")]
        corrected = [
            Exclusion(row.memory_id, row.version, "corrected")
            for row in lineage[:-1]
            if self._within(row)
        ]
        reason = self._reason(lineage)
        if reason is None or not self._within(last):
            return corrected
        return [*corrected, Exclusion(last.memory_id, last.version, reason)]

    def _reason(self, lineage: list[Row[Any]]) -> str | None:
        """Why the version of the basis is no answer; None where it is one."""
        row, at = lineage[-1], self._basis.as_of_us
        if row.lifecycle not in ANSWERING:
            return "superseded" if _consolidated(lineage) else "hidden"
        if at < row.from_us:
            return "not_yet_valid"
        if at < min(row.until_us, row.expires_us):
            return None
        return "validity_ended" if row.until_us <= row.expires_us else "expired"

    def _within(self, row: Row[Any]) -> bool:
        """Whether a version is within the filters; `lexical.eligibility` says it over columns."""
        wanted = self._filters
        among = (
            (wanted.kinds, row.kind),
            (wanted.epistemic_status, row.epistemic_status),
            (_one(wanted.session_id), row.session),
            (_one(wanted.slot), row.slot_ref),
            (_one(wanted.repo), row.repo),
        )
        if any(allowed and value not in allowed for allowed, value in among):
            return False
        least = wanted.min_confidence
        if least is not None and (row.confidence is None or row.confidence < least):
            return False
        return not wanted.tags or not wanted.tags.isdisjoint(json.loads(row.record)["tags"])


def _one(value: str | None) -> frozenset[str]:
    return frozenset() if value is None else frozenset({value})


def _consolidated(lineage: list[Row[Any]]) -> bool:
    """Whether the lifecycle was set by a consolidation, and by no later update."""
    lifecycle = lineage[-1].lifecycle
    first = len(lineage) - 1
    while first > 0 and lineage[first - 1].lifecycle == lifecycle:
        first -= 1
    return any(row.topic == MemorySuperseded.TOPIC for row in lineage[first:])
