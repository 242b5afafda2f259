"""What PostgreSQL keeps of rows that were changed or deleted, and having it forget that."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, Engine, text

from projections.generations import schema_of
from projections.schema import METADATA

GRACE_SECONDS: Final = 0.2
"""How long a reader may take from its snapshot to its lock on the generations."""
_POLL_SECONDS: Final = 0.02
_READERS: Final = text(
    "SELECT DISTINCT virtualtransaction FROM pg_locks"
    " WHERE locktype = 'relation' AND relation = 'memoranda_views.generation'::regclass"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    " AND pid <> pg_backend_pid()"
)


class VacuumRefusedError(Exception):
    """The role of the connection may not vacuum the read models."""


def outlive_readers(engine: Engine, patience_s: float) -> bool:
    """Wait until every transaction on the read models is over that had begun before this call.

    Each of them looks up the live generation first, and keeps a lock on that table to its end.
    False where one is still there after the patience.
    """
    time.sleep(GRACE_SECONDS)
    until = time.monotonic() + patience_s
    readers = _readers(engine)
    while readers & _readers(engine):
        if time.monotonic() > until:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _readers(engine: Engine) -> set[str]:
    with engine.begin() as connection:
        return set(connection.scalars(_READERS))


def vacuum(engine: Engine, generations: Collection[int]) -> None:
    """Free the room of all dead rows in the tables of generations, of their indexes too.

    Raises VacuumRefusedError where the role of the connections may not.
    """
    refused: list[str] = []

    def heard(said: Any) -> None:
        if said.severity_nonlocalized == "WARNING":
            refused.append(str(said.message_primary))

    with engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        driver: Any = connection.connection.driver_connection
        driver.add_notice_handler(heard)
        try:
            _vacuum(connection, generations)
        finally:
            # It has another setting now, so nobody else may get it.
            connection.invalidate()
    if refused:
        raise VacuumRefusedError(
            f"the read models cannot be vacuumed ({refused[0]}): as their owner, GRANT MAINTAIN ON "
            "ALL TABLES IN SCHEMA … TO memoranda_app, for each schema memoranda_views…"
        )


def _vacuum(connection: Connection, generations: Collection[int]) -> None:
    connection.exec_driver_sql("SET statement_timeout = 0")
    names = [
        f"{schema_of(number)}.{table.name}"
        for number in sorted(generations)
        for table in METADATA.sorted_tables
    ]
    # INDEX_CLEANUP: where few rows are dead, their keys would be left in the indexes.
    connection.exec_driver_sql(f"VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) {', '.join(names)}")
