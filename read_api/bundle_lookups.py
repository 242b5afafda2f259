"""Rows of the read model `bundles`, and how the memories of its claims stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, select

from domain.context import Context
from projections.bundle_tables import (
    BUNDLE_CITATION,
    BUNDLE_CLAIM,
    BUNDLE_CONCEPT,
    BUNDLE_WINDOW,
)
from projections.columns import Words
from projections.schema import MEMORY_VERSION
from read_api.basis import of_ids, parts_of
from read_api.bundle_bodies import Row
from read_api.bundle_questions import own
from read_api.record_doors import MEMORIES, PROJECTIONS, Door, missing

_PROJECTION: Final = PROJECTIONS["bundles"]
CONCEPTS: Final = Door(BUNDLE_CONCEPT, "concept_id", _PROJECTION, "the concept")
CLAIMS: Final = Door(BUNDLE_CLAIM, "claim_id", _PROJECTION, "the claim")
WINDOWS: Final = Door(BUNDLE_WINDOW, "window_id", _PROJECTION, "the window")
DOORS: Final = (CLAIMS, MEMORIES)
"""Of what an answer tells: bundles, and how their memories stand."""
_MEMORY: Final = MEMORY_VERSION.c
_LIFECYCLES: Final = select(_MEMORY.memory_id, _MEMORY.lifecycle, _MEMORY.forgotten).where(
    _MEMORY.workspace == bindparam("w", type_=Words),
    of_ids(_MEMORY.memory_id),
    _MEMORY.to_position.is_(None),
)


def row_of(connection: Connection, door: Door, context: Context, record_id: str) -> Row:
    """One's own row of a kind; NOT_FOUND where there is none."""
    query = select(door.table).where(own(door.table, context), door.id == record_id)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise missing(connection, door, context, record_id)
    return dict(row)


def claims_in(connection: Connection, context: Context, concept_id: str) -> list[Row]:
    """The claims of a concept, oldest first."""
    row = BUNDLE_CLAIM.c
    query = select(BUNDLE_CLAIM).where(own(BUNDLE_CLAIM, context), row.concept_id == concept_id)
    return [dict(one) for one in connection.execute(query.order_by(row.opened)).mappings()]


def counts_of(
    connection: Connection, context: Context, concepts: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """By concept how many claims it has, and when the last one changed."""
    row = BUNDLE_CLAIM.c
    query = (
        select(row.concept_id, func.count(), func.max(row.changed_us))
        .where(own(BUNDLE_CLAIM, context), row.concept_id.in_(concepts))
        .group_by(row.concept_id)
    )
    return {name: (count, changed) for name, count, changed in connection.execute(query)}


def citations_of(
    connection: Connection, context: Context, claims: Sequence[str]
) -> dict[str, list[Row]]:
    """By claim its citations, in their order."""
    row = BUNDLE_CITATION.c
    found: dict[str, list[Row]] = {}
    for part in parts_of(claims):
        query = select(BUNDLE_CITATION).where(
            row.workspace == context.workspace, row.claim_id.in_(part)
        )
        for one in connection.execute(query.order_by(row.claim_id, row.version)).mappings():
            found.setdefault(one["claim_id"], []).append(dict(one))
    return found


def lifecycles_of(
    connection: Connection, context: Context, memories: Sequence[str]
) -> dict[str, str]:
    """How memories stand: a lifecycle, or `forgotten`; those not known are left out."""
    found: dict[str, str] = {}
    for part in parts_of(memories):
        asked: dict[str, Any] = {"w": context.workspace, "ids": part}
        for memory_id, lifecycle, forgotten in connection.execute(_LIFECYCLES, asked):
            found[memory_id] = lifecycle if forgotten is None else "forgotten"
    return found
