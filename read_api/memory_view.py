"""The memories of the read models at one basis.

SQL is the authority on visibility (design.md §5): what an answer shows of a memory comes from
here, so that one that was forgotten a moment ago drops out of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, or_, select

from domain.canonical import JsonObject
from domain.slots import value_of
from domain.visibility import ANSWERING
from projections.columns import BIG
from projections.rows import repo
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, of_ids, parts_of, recallable, shown
from read_api.standing import standing

_ROW: Final = MEMORY_VERSION.c
_RECALLABLE: Final = select(
    _ROW.memory_id,
    _ROW.version,
    _ROW.position,
    _ROW.record,
    _ROW.slot,
    _ROW.slot_ref,
    _ROW.repo,
    _ROW.visibility,
    _ROW.from_us,
    _ROW.until_us,
    _ROW.erased,
    _ROW.tangle,
).where(recallable(MEMORY_VERSION), _ROW.forgotten.is_(None))
_BY_ID: Final = _RECALLABLE.where(of_ids(_ROW.memory_id))
_BY_SLOT: Final = _RECALLABLE.where(of_ids(_ROW.slot_ref))
_STALE: Final = select(_ROW.memory_id).where(
    shown(MEMORY_VERSION),
    of_ids(_ROW.memory_id),
    or_(
        _ROW.forgotten.is_not(None),
        _ROW.lifecycle.not_in(ANSWERING),
        _ROW.expires_us <= bindparam("basis_as_of", type_=BIG),
    ),
)


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory as it stood at the basis; `record` is that of spec/operations.md §4."""

    id: str
    version: int
    position: int
    record: JsonObject
    slot: str | None
    slot_ref: str | None
    repo: str | None
    private: bool

    @property
    def value(self) -> bytes:
        """What it says about its slot (spec/operations.md §10, same_value)."""
        return value_of(self.record["content"])


class MemoryView:
    """Reads memories in the transaction of a connection, at a basis."""

    def __init__(self, connection: Connection, basis: Basis) -> None:
        self._connection = connection
        self._binds = basis.binds
        self._as_of_us = basis.as_of_us

    def recallable(self, ids: Iterable[str]) -> dict[str, MemoryRow]:
        """Those of the memories that may be answers, by id."""
        return {row.id: row for part in parts_of(ids) for row in self._rows(_BY_ID, part)}

    def slots(self, refs: Iterable[str]) -> dict[str, list[MemoryRow]]:
        """The memories of slots that may be answers, by slot_ref, in id order."""
        found: defaultdict[str, list[MemoryRow]] = defaultdict(list)
        for part in parts_of(refs):
            for row in self._rows(_BY_SLOT, part):
                if row.slot_ref is not None:
                    found[row.slot_ref].append(row)
        return {ref: sorted(rows, key=lambda row: row.id) for ref, rows in found.items()}

    def stale(self, ids: Iterable[str]) -> set[str]:
        """Those that are memories here, but forgotten, expired, superseded or hidden."""
        return {
            memory_id
            for part in parts_of(ids)
            for (memory_id,) in self._connection.execute(_STALE, {**self._binds, "ids": part})
        }

    def _rows(self, query: Select[Any], ids: list[str]) -> Iterable[MemoryRow]:
        for row in self._connection.execute(query, {**self._binds, "ids": ids}):
            said = standing(row, self._as_of_us, row.record)
            if said is None or said.erased:
                continue
            record = json.loads(said.record)
            yield MemoryRow(
                id=row.memory_id,
                version=row.version,
                position=row.position,
                record=record,
                slot=row.slot,
                slot_ref=row.slot_ref,
                repo=row.repo if row.tangle is None else repo(record["content"]),
                private=row.visibility == "private",
            )
