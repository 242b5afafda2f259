"""Whether two generations of read models hold the same rows; the answer names no content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    MetaData,
    Subquery,
    Table,
    Text,
    and_,
    any_,
    func,
    literal,
    or_,
    select,
    true,
    union,
)
from sqlalchemy.dialects.postgresql import ARRAY

from projections.bundle_tables import (
    BUNDLE_CITATION,
    BUNDLE_CLAIM,
    BUNDLE_CONCEPT,
    BUNDLE_FORGOTTEN,
    BUNDLE_NAMING,
    BUNDLE_STREAM,
    BUNDLE_WINDOW,
)
from projections.schema import (
    DEGREE,
    EDGE_VERSION,
    MEMORY_SOURCE,
    MEMORY_TAG,
    MEMORY_VERSION,
    PARKED,
)

COMPARED: Final[Mapping[Table, str]] = {
    MEMORY_VERSION: "memory_id",
    MEMORY_TAG: "memory_id",
    MEMORY_SOURCE: "memory_id",
    EDGE_VERSION: "relationship_id",
    DEGREE: "node",
    BUNDLE_CONCEPT: "concept_id",
    BUNDLE_CLAIM: "claim_id",
    BUNDLE_CITATION: "claim_id",
    BUNDLE_WINDOW: "window_id",
    BUNDLE_STREAM: "stream",
    BUNDLE_NAMING: "stream",
    BUNDLE_FORGOTTEN: "memory_id",
    PARKED: "stream",
}
"""The tables that are compared, and the column that says what a row is about: an id, never content.

Checkpoints and tries tell how the work goes, not what comes of it.
"""
_WHEN: Final = frozenset({"parked_us", "blocked_by"})
"""Columns that tell of the work too: a stream is parked anew at another time."""

Columns: TypeAlias = Mapping[str, Collection[str]]
"""Column names by table name."""

ALL: Final[Columns] = {
    table.name: [column.name for column in table.columns if column.name not in _WHEN]
    for table in COMPARED
}


@dataclass(frozen=True, slots=True)
class Difference:
    """So many rows of a table are in one generation alone, or not the same in both."""

    table: str
    rows: int
    example: str

    def __str__(self) -> str:
        rows = "1 row differs" if self.rows == 1 else f"{self.rows} rows differ"
        return f"{rows} in {self.table}, such as one of {self.example}"


def differences(
    connection: Connection,
    schemas: tuple[str, str],
    columns: Columns = ALL,
    streams: Collection[str] | None = None,
) -> list[Difference]:
    """What differs between two schemas, as the transaction of the connection sees them.

    `columns` are those that are compared; a table that is not named is not looked at. With
    `streams` only the rows of these records are, and those of the ends of these relationships.
    """
    copies = [_copies(schema) for schema in schemas]
    found: list[Difference] = []
    for table, stream in COMPARED.items():
        if names := columns.get(table.name):
            one, other = (
                select(*(of[table].c[name] for name in names))
                .where(_about(of[table].c[stream], of[EDGE_VERSION], streams))
                .subquery()
                for of in copies
            )
            found += _between(connection, table, (one, other), stream)
    return found


def _copies(schema: str) -> Mapping[Table, Table]:
    """The tables as they are called in a schema."""
    metadata = MetaData(schema=schema)
    return {table: table.to_metadata(metadata) for table in COMPARED}


def _about(
    column: ColumnElement[str], edges: Table, streams: Collection[str] | None
) -> ColumnElement[bool]:
    """Whether a row is about one of the records, or the end of one of the relationships."""
    if streams is None:
        return true()
    wanted = any_(literal(sorted(streams), ARRAY(Text(collation="C"))))
    if column.name != "node":
        return column == wanted
    ends = (
        select(end).where(edges.c.relationship_id == wanted)
        for end in (edges.c.source_id, edges.c.target_id)
    )
    return column.in_(union(*ends))


def _between(
    connection: Connection, table: Table, rows: tuple[Subquery, Subquery], stream: str
) -> list[Difference]:
    one, other = rows
    key = and_(*(one.c[part.name] == other.c[part.name] for part in table.primary_key.columns))
    counted, example = connection.execute(
        select(func.count(), func.min(func.coalesce(one.c[stream], other.c[stream])))
        .select_from(one.join(other, key, full=True))
        .where(or_(*(mine.is_distinct_from(other.c[mine.name]) for mine in one.c)))
    ).one()
    return [Difference(table.name, counted, str(example))] if counted else []
