"""What rests on a memory: found along relationships and citations, whatever else is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select, union_all

from domain.claims.pieces import DERIVED_FROM, SUPPORTS
from domain.errors import invalid
from projections.columns import Words
from projections.schema import EDGE_VERSION, MEMORY_SOURCE
from read_api.basis import Basis, of_ids, parts_of, shown

RESTING_MAX: Final = 20_000
"""Memories that one question may find."""
DEPTH_MAX: Final = 16

_EDGE: Final = EDGE_VERSION.c
_CITING: Final = MEMORY_SOURCE.c
_NEXT: Final = union_all(
    select(_EDGE.source_id).where(
        shown(EDGE_VERSION), _EDGE.kind == DERIVED_FROM, of_ids(_EDGE.target_id)
    ),
    select(_EDGE.target_id).where(
        shown(EDGE_VERSION), _EDGE.kind == SUPPORTS, of_ids(_EDGE.source_id)
    ),
    select(_CITING.memory_id).where(
        _CITING.workspace == bindparam("basis_workspace", type_=Words), of_ids(_CITING.source_id)
    ),
)


def resting_on(connection: Connection, basis: Basis, memory: str) -> list[str]:
    """Everything that rests on a memory at a basis, nearest first, itself left out.

    A withdrawn relationship counts too: what rested on something has to be looked at. Costs a
    statement a level, whatever else the workspace holds. INVALID_REQUEST beyond `RESTING_MAX`.
    """
    found: dict[str, None] = {memory: None}
    level = [memory]
    for _ in range(DEPTH_MAX):
        fresh = dict.fromkeys(one for one in _step(connection, basis, level) if one not in found)
        found.update(fresh)
        if not fresh:
            break
        if len(found) > RESTING_MAX:
            raise invalid(
                f"more than {RESTING_MAX} memories rest on this one: ask for one nearer to claims",
                field="rests_on",
            )
        level = list(fresh)
    return [one for one in found if one != memory]


def _step(connection: Connection, basis: Basis, level: Iterable[str]) -> Iterable[str]:
    binds: dict[str, Any] = dict(basis.binds)
    for part in parts_of(level):
        yield from connection.scalars(_NEXT, {**binds, "ids": part})
