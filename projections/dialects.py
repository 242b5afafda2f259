"""Inserts that replace what is there, for both databases: the one place where they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from sqlalchemy import ColumnElement, Connection, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from projections.columns import POSTGRES

Change: TypeAlias = Callable[[Any], Mapping[str, ColumnElement[Any]]]
"""The offered row (by column) → the new values of the row that is there."""


class Upsert:
    """An insert into a table that changes the row with the same primary key, if there is one."""

    def __init__(self, table: Table, change: Change) -> None:
        key = list(table.primary_key.columns)
        of_sqlite, of_postgres = sqlite.insert(table), postgresql.insert(table)
        self._statements: Final[dict[str, Insert]] = {
            "sqlite": of_sqlite.on_conflict_do_update(
                index_elements=key, set_=change(of_sqlite.excluded)
            ),
            POSTGRES: of_postgres.on_conflict_do_update(
                index_elements=key, set_=change(of_postgres.excluded)
            ),
        }

    def on(self, connection: Connection) -> Insert:
        """The statement for the database of a connection."""
        return self._statements[connection.dialect.name]


def replacing(table: Table) -> Upsert:
    """An upsert after which every column has the offered value."""
    return Upsert(
        table, lambda offered: {column.name: offered[column.name] for column in table.columns}
    )
