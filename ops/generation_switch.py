"""Which generation of the read models is live, seen by who builds the next one.

All of it is done as the owner of the tables. A generation that others read is never changed here,
and dropped only when nobody can be reading it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Engine, and_, literal, or_, select, text, update
from sqlalchemy.exc import DBAPIError

from projections.catalogue import Projection
from projections.comparing import ALL, COMPARED, Columns
from projections.generation_tables import drop, make, now_us
from projections.generations import GENERATION, KIND, State, schema_of
from projections.schema import CHECKPOINT, EDGE_VERSION, MEMORY_VERSION
from projections.vacuuming import outlive_readers

REBUILD_KEY: Final = 0x6D656D6F_72656264
"""The advisory lock of rebuilds: "memorebd" in ASCII."""
PATIENCE_SECONDS: Final = 150.0
"""How long to wait for readers of a retired generation; they may not take longer."""

_ROW: Final = GENERATION.c
_VERSIONS: Final = frozenset({MEMORY_VERSION.name, EDGE_VERSION.name})
_NUMBERED: Final = frozenset({"position", "to_position"})
_LAYOUT: Final = text(
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = :schema"
)


@dataclass(frozen=True, slots=True)
class Generation:
    """A complete set of tables; `kind` says of which projections."""

    number: int
    kind: str

    @property
    def schema(self) -> str:
        """Where its tables are."""
        return schema_of(self.number)

    def version(self, projection: str) -> int | None:
        """Of a projection; None where it is not part of the generation."""
        versions = dict(said.split("/") for said in self.kind.split())
        return int(versions[projection]) if projection in versions else None


@contextmanager
def alone(owner: Engine) -> Iterator[None]:
    """One rebuild at a time in a database; the lock ends with its connection."""
    with owner.connect() as connection:
        connection.exec_driver_sql("SET lock_timeout = 0")
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({REBUILD_KEY})")
        connection.commit()
        try:
            yield
        finally:
            # The lock is gone when this returns, and not only when the server sees the hang-up.
            with suppress(DBAPIError):
                connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
            # The connection is not used again, so that no setting of it stays.
            connection.invalidate()


def building(owner: Engine, head: int) -> int:
    """The generation that an earlier call began, if it is of this log; else a new, empty one."""
    with owner.begin() as connection:
        found = connection.scalar(
            select(_ROW.number).where(_ROW.kind == KIND, _ROW.state == State.BUILDING.value)
        )
        if found is not None and max(positions(connection, found).values(), default=0) > head:
            drop(connection, found)
            found = None
        return make(connection, State.BUILDING) if found is None else found


def reference(connection: Connection) -> Generation | None:
    """What is live: of this program, else of another version of it."""
    live = select(_ROW.number, _ROW.kind).where(_ROW.state == State.LIVE.value)
    found = connection.execute(live.order_by(_ROW.kind == KIND, _ROW.number)).all()
    return Generation(*found[-1]) if found else None


@contextmanager
def quiet(owner: Engine, generation: Generation | None) -> Iterator[Connection]:
    """A transaction in which nobody else writes to a generation; who wants to waits for its end."""
    with owner.begin() as connection:
        if generation is not None:
            held = select(_ROW.number).where(
                _ROW.number == generation.number, _ROW.state == State.LIVE.value
            )
            connection.execute(held.with_for_update()).one()
        yield connection


def positions(connection: Connection, number: int) -> dict[tuple[str, int], int]:
    """How far each projection has followed each part, by name and part."""
    mapped = connection.execution_options(schema_translate_map={None: schema_of(number)})
    found = mapped.execute(
        select(CHECKPOINT.c.projection, CHECKPOINT.c.part, CHECKPOINT.c.position)
    )
    return {(name, part): position for name, part, position in found}


def has_followed(connection: Connection, generation: Generation) -> bool:
    """Whether anything of the log is in a generation."""
    return any(positions(connection, generation.number).values())


def comparable(
    connection: Connection, generation: Generation, catalogue: Collection[Projection]
) -> Columns:
    """The columns that mean the same in a generation and in one of this program."""
    if generation.kind == KIND:
        return ALL
    layout: dict[str, set[str]] = {}
    for table, column in connection.execute(_LAYOUT, {"schema": generation.schema}):
        layout.setdefault(table, set()).add(column)
    same = all(generation.version(one.name) == one.version for one in catalogue)
    found: dict[str, list[str]] = {}
    for table in COMPARED:
        there, key = layout.get(table.name, set()), set(table.primary_key.columns.keys())
        if key <= there and (same or table.name in _VERSIONS):
            wanted = ALL[table.name] if same else key | _NUMBERED
            found[table.name] = [name for name in ALL[table.name] if name in there & set(wanted)]
    return found


def flip(connection: Connection, number: int, *, drop_older: bool) -> None:
    """Make a generation the live one of its kind; the one that was is retired.

    With `drop_older` those of other versions of the program are retired too.
    """
    live = and_(_ROW.state == State.LIVE.value, or_(_ROW.kind == KIND, literal(drop_older)))
    for which, state in ((live, State.RETIRED), (_ROW.number == number, State.LIVE)):
        turn = update(GENERATION).where(which)
        connection.execute(turn.values(state=state.value, changed_us=now_us()))


def discard(owner: Engine, number: int) -> None:
    """Drop what was built."""
    with owner.begin() as connection:
        drop(connection, number)


def drop_retired(owner: Engine, patience_s: float = PATIENCE_SECONDS) -> list[int]:
    """Drop retired generations that nobody reads any more; the numbers of those that are left.

    Who reads a retired one has begun before it was retired, and is waited for.
    """
    with owner.begin() as connection:
        retired = select(_ROW.number).where(_ROW.state == State.RETIRED.value)
        numbers = list(connection.scalars(retired))
    if not numbers:
        return []
    if not outlive_readers(owner, patience_s):
        return numbers
    for number in numbers:
        discard(owner, number)
    return []


def bounds_of(
    connection: Connection,
    generation: Generation | None,
    catalogue: Collection[Projection],
    parts: int,
    head: int,
) -> Mapping[tuple[str, int], int]:
    """How far each projection has to follow each part to stand where a generation stands.

    The head of the log where there is none, or where it lacks the projection.
    """
    there = {} if generation is None else positions(connection, generation.number)
    return {
        (one.name, part): there.get((one.name, part), 0)
        if generation is not None and generation.version(one.name) is not None
        else head
        for one in catalogue
        for part in range(parts)
    }
