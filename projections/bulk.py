"""Many rows in one statement, at the driver's price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Insert

from projections.columns import POSTGRES


def insert_rows(
    connection: Connection, statement: Insert, rows: Iterable[Mapping[str, Any]]
) -> None:
    """Execute an insert for each row; a row names the value of every column.

    In SQLite SQLAlchemy compiles the statement and the driver binds the values: binding them one
    by one above the driver would cost more than SQLite takes to write them.
    """
    if connection.dialect.name == POSTGRES:
        connection.execute(statement, [*rows])
        return
    compiled = statement.compile(dialect=connection.dialect)
    names = compiled.positiontup or ()
    connection.exec_driver_sql(compiled.string, [*map(itemgetter(*names), rows)])
