"""Generations of the read models in PostgreSQL: complete sets of tables, one beside another.

Each generation has a schema to itself and says which versions of the projections it holds. One
generation of a kind is live. Who reads asks for its schema in the transaction in which it reads;
so a flip to the next generation is seen whole or not at all. Programs of two versions can run side
by side: each has its live generation.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from sqlalchemy import (
    Column,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Select,
    Table,
    bindparam,
    select,
    text,
)

from projections.catalogue import CATALOGUE
from projections.columns import BIG, Words
from projections.schema import FORMAT

SCHEMA: Final = "memoranda_views"
"""Holds the table of generations, and the tables of the first one."""

KIND: Final = " ".join(
    [f"format/{FORMAT}", *sorted(f"{one.name}/{one.version}" for one in CATALOGUE)]
)
"""What this program reads and writes."""

METADATA: Final = MetaData(schema=SCHEMA)


class State(StrEnum):
    """What a generation is for."""

    BUILDING = "building"
    LIVE = "live"
    RETIRED = "retired"


GENERATION: Final = Table(
    "generation",
    METADATA,
    Column("number", BIG, autoincrement=False),
    Column("kind", Words, nullable=False),
    Column("state", Words, nullable=False),  # a State
    Column("changed_us", BIG, nullable=False),
    PrimaryKeyConstraint("number"),
)
"""All generations whose tables are there."""

for _state in (State.LIVE, State.BUILDING):
    Index(
        f"generation_{_state}",
        GENERATION.c.kind,
        unique=True,
        postgresql_where=text(f"state = '{_state}'"),
    )

_LIVE: Final = select(GENERATION.c.number).where(
    GENERATION.c.kind == bindparam("kind", KIND), GENERATION.c.state == State.LIVE.value
)
LIVE: Final[Select[int]] = _LIVE
"""The number of the live generation; no row where none is."""
LIVE_KEPT: Final[Select[int]] = _LIVE.with_for_update(read=True)
"""The same, and it stays the live one until the transaction ends."""
LIVE_HELD: Final[Select[int]] = _LIVE.with_for_update()
"""The same, and nobody writes to it until the transaction ends."""


def schema_of(number: int) -> str:
    """The schema with the tables of a generation."""
    return SCHEMA if number == 1 else f"{SCHEMA}_{number}"
