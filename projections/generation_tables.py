"""Making the tables of a generation, and dropping them: work for the owner of the database."""

from __future__ import annotations

import time
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, text

from projections.generations import GENERATION, KIND, SCHEMA, State, schema_of
from projections.schema import METADATA
from projections.views_postgres import READER, WRITER

_TABLES_OF_THE_FIRST: Final = text(
    "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = :schema AND tablename <> :kept"
)


def now_us() -> int:
    """When a generation changed: for people who look at it, never for a decision."""
    return time.time_ns() // 1000


def make(connection: Connection, state: State) -> int:
    """Make empty tables for a new generation of this program's kind; its number."""
    known = connection.scalar(select(func.max(GENERATION.c.number)))
    number = (known or 0) + 1
    schema = schema_of(number)
    connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    mapped = connection.execution_options(schema_translate_map={None: schema})
    METADATA.create_all(mapped, checkfirst=False)
    version = connection.dialect.server_version_info or ()
    for statement in grants(schema, maintain=version >= (17,)):
        connection.exec_driver_sql(statement)
    connection.execute(
        insert(GENERATION),
        {"number": number, "kind": KIND, "state": state.value, "changed_us": now_us()},
    )
    return number


def grants(schema: str, *, maintain: bool) -> tuple[str, ...]:
    """Statements after which the two roles may do with all tables of a schema what they do.

    `maintain`: the server knows the privilege to vacuum, as it does from version 17 on.
    """
    tables = f"ON ALL TABLES IN SCHEMA {schema}"
    writing = "SELECT, INSERT, UPDATE, DELETE, TRUNCATE" + (", MAINTAIN" if maintain else "")
    return (
        f"GRANT USAGE ON SCHEMA {schema} TO {WRITER}, {READER}",
        f"GRANT {writing} {tables} TO {WRITER}",
        f"GRANT SELECT {tables} TO {READER}",
    )


def analyze(connection: Connection, number: int) -> None:
    """Let the planner know what is in the tables of a generation."""
    for table in METADATA.sorted_tables:
        connection.exec_driver_sql(f"ANALYZE {schema_of(number)}.{table.name}")


def drop(connection: Connection, number: int) -> None:
    """Drop a generation with its tables. Waits for whoever is using them."""
    schema = schema_of(number)
    if schema == SCHEMA:
        # The schema of the first generation holds the table of generations too.
        for name in _tables_of_the_first(connection):
            connection.exec_driver_sql(f"DROP TABLE {SCHEMA}.{name}")
    else:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    connection.execute(delete(GENERATION).where(GENERATION.c.number == number))


def _tables_of_the_first(connection: Connection) -> list[str]:
    found = connection.execute(_TABLES_OF_THE_FIRST, {"schema": SCHEMA, "kept": GENERATION.name})
    return list(found.scalars())
