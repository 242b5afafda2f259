"""Statements on many rows, for both databases: the one place where these differ.

PostgreSQL takes the rows as one JSON document. SQLite takes them one by one, at the driver's price:
SQLAlchemy compiles the statement, the driver binds the values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    Insert,
    RowMapping,
    Table,
    UpdateBase,
    any_,
    bindparam,
    cast,
    delete,
    func,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from projections.columns import POSTGRES
from projections.documents import Documents

Row: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[Any], Mapping[str, ColumnElement[Any]]]
"""The offered row (by column) → the new values of the row that is there."""


class Insertion:
    """Inserts rows into a table; a row names the value of every column."""

    def __init__(self, table: Table) -> None:
        self._documents = Documents({one.name: one.type for one in table.columns})
        names = [one.name for one in table.columns]
        offered = select(*(self._documents.rows.c[name] for name in names))
        self._one: Insert = sqlite.insert(table)
        self._all: Insert = postgresql.insert(table).from_select(names, offered)

    def put(self, connection: Connection, rows: Iterable[Row]) -> None:
        """Insert them all."""
        if connection.dialect.name == POSTGRES:
            for document in self._documents.of(rows):
                connection.execute(self._all, document)
            return
        compiled = self._one.compile(dialect=connection.dialect)
        names = compiled.positiontup or ()
        connection.exec_driver_sql(compiled.string, [*map(itemgetter(*names), rows)])


class Upsert(Insertion):
    """An insertion that changes the row with the same primary key, if there is one.

    No two of the rows that are put at once may have the same one.
    """

    def __init__(self, table: Table, change: Change) -> None:
        super().__init__(table)
        key = list(table.primary_key.columns)
        one, single = sqlite.insert(table), postgresql.insert(table)
        names = [column.name for column in table.columns]
        offered = select(*(self._documents.rows.c[name] for name in names))
        every = postgresql.insert(table).from_select(names, offered)
        self._one = one.on_conflict_do_update(index_elements=key, set_=change(one.excluded))
        self._all = every.on_conflict_do_update(index_elements=key, set_=change(every.excluded))
        self._single: Final = single.on_conflict_do_update(
            index_elements=key, set_=change(single.excluded)
        )

    def on(self, connection: Connection) -> Insert:
        """The statement for one row, in the database of a connection."""
        return self._single if connection.dialect.name == POSTGRES else self._one


class Selection:
    """The rows of a table where a column has one of many values, and conditions hold.

    The values are one parameter: for a list of so many SQLAlchemy writes the statement anew each
    time, and the driver reads it again.
    """

    def __init__(self, table: Table, column: Column[str], *conditions: ColumnElement[bool]) -> None:
        rows = select(table).where(*conditions)
        listed = cast(bindparam("among"), ARRAY(column.type))
        self._all = rows.where(column == any_(listed))
        value = func.json_each(bindparam("among")).table_valued("value").c.value
        self._one = rows.where(column.in_(select(value)))

    def of(
        self, connection: Connection, values: Sequence[str], parameters: Row
    ) -> Iterable[RowMapping]:
        """The rows, in no order; `parameters` are those of the conditions."""
        postgres = connection.dialect.name == POSTGRES
        among = list(values) if postgres else json.dumps(values)
        statement = self._all if postgres else self._one
        return connection.execute(statement, {**parameters, "among": among}).mappings()


class _Matching:
    """A statement on the rows of a table that given rows name by their values of some columns."""

    def __init__(self, keys: Mapping[str, Column[Any]], values: Mapping[str, Column[Any]]) -> None:
        columns = {**keys, **values}
        self._documents = Documents({name: one.type for name, one in columns.items()})
        self._offered = self._documents.rows.c
        self._named_once = [one == bindparam(name) for name, one in keys.items()]
        self._named = [one == self._offered[name] for name, one in keys.items()]
        self._one: UpdateBase
        self._all: UpdateBase

    def make(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Carry it out for all of the rows."""
        if connection.dialect.name != POSTGRES:
            connection.execute(self._one, rows)
            return
        for document in self._documents.of(rows):
            connection.execute(self._all, document)


class Changes(_Matching):
    """Sets columns of the rows of a table; `keys` and `values` say how they are called in a row."""

    def __init__(self, keys: Mapping[str, Column[Any]], values: Mapping[str, Column[Any]]) -> None:
        super().__init__(keys, values)
        [table] = {one.table for one in keys.values()}
        self._one = (
            update(table)
            .where(*self._named_once)
            .values({one: bindparam(name) for name, one in values.items()})
        )
        self._all = (
            update(table)
            .where(*self._named)
            .values({one: self._offered[name] for name, one in values.items()})
        )


class Removal(_Matching):
    """Deletes rows of a table; `keys` says how their columns are called in a row."""

    def __init__(self, keys: Mapping[str, Column[Any]]) -> None:
        super().__init__(keys, {})
        [table] = {one.table for one in keys.values()}
        self._one = delete(table).where(*self._named_once)
        self._all = delete(table).where(*self._named)


def replacing(table: Table) -> Upsert:
    """An upsert after which every column has the offered value."""
    return Upsert(
        table, lambda offered: {column.name: offered[column.name] for column in table.columns}
    )
