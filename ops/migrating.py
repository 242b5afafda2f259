"""Bringing the server mode's database to the schema of this program, and telling whether it is.

Any number of processes may migrate at once: one does it, the others wait for it, and find it done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from commands.postgres_connections import WRITER_ROLE
from commands.store_errors import StoreError, StoreFormatError
from ops.migrations import REVISIONS, VERSION_SCHEMA, VERSION_TABLE

LOCK_KEY: Final = 0x6D656D6F_6D696772
"""The advisory lock of migrations: "memomigr" in ASCII."""
WAIT_SECONDS: Final = 120
"""How long to wait for another process that is migrating."""
LOCK_SECONDS: Final = 10
"""How long a change waits for a table that others use, who wait behind it meanwhile."""
STATEMENT_SECONDS: Final = 3600
VERSION_MIN: Final = 170_000
"""PostgreSQL 17, which lets a role write a table anew without owning it."""
_NOT_THERE: Final = (
    psycopg.errors.UndefinedTable,
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.InvalidParameterValue,  # there is no such role
    psycopg.errors.UndefinedObject,
)
_FOLDER: Final = Path(__file__).parent / "migrations"
_TABLE: Final = f"{VERSION_SCHEMA}.{VERSION_TABLE}"
_FOUND: Final = f"SELECT version_num FROM {_TABLE}"  # noqa: S608 - names of our own


def migrate(url: str) -> str | None:
    """Carry out the revisions that the database lacks, in one transaction: all of them or none.

    Gives the revision that was there before, None for an empty database. The user of the URL owns
    what is made; it must be allowed to make schemas and, the first time, roles. Raises
    StoreFormatError for a database of a newer program, StoreError where it cannot be done.
    """
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    try:
        with engine.begin() as connection:
            return migrate_within(connection)
    except DBAPIError as error:
        raise _failed(error) from error
    finally:
        engine.dispose()


def migrate_within(connection: Connection) -> str | None:
    """`migrate` as part of a transaction of the caller's, who translates the driver's errors."""
    _check_server(connection)
    connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
    connection.execute(text(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'"))
    connection.execute(text(f"SET LOCAL statement_timeout = '{STATEMENT_SECONDS}s'"))
    before = known_revision(connection)
    if before != REVISIONS[-1]:
        if before is None:
            connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {VERSION_SCHEMA}"))
        # Servers and workers look at the revision alone, and need nothing of this.
        from alembic import command
        from alembic.config import Config

        config = Config(attributes={"connection": connection})
        config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
        command.upgrade(config, REVISIONS[-1])
    return before


def _check_server(connection: Connection) -> None:
    version, encoding = connection.execute(
        text(
            "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')"
        )
    ).one()
    if version < VERSION_MIN:
        raise StoreFormatError("the server is too old: PostgreSQL 17 or newer is needed")
    if encoding != "UTF8":
        raise StoreFormatError(
            f"the database's encoding is {encoding}: make one with ENCODING 'UTF8'"
        )


def known_revision(connection: Connection) -> str | None:
    """What the database has, None for nothing; StoreFormatError for a newer program's."""
    table = connection.scalar(text(f"SELECT to_regclass('{_TABLE}')"))
    found = None if table is None else connection.scalar(text(_FOUND))
    if found is not None and found not in REVISIONS:
        raise _newer(found)
    return found


def check_schema(url: str) -> None:
    """Raise StoreFormatError if the database is not of this program's revision, or not migrated.

    For the start of a server or a worker. Raises StoreError where the database does not answer.
    """
    try:
        with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
            # As programs work: a login need not have the rights of its roles by itself.
            connection.execute(f"SET ROLE {WRITER_ROLE}")
            row = connection.execute(_FOUND).fetchone()
    except _NOT_THERE:
        row = None
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreError(
            "this user may not read the schema: "
            "GRANT memoranda_app, memoranda_reader TO it, as its owner"
        ) from error
    except psycopg.Error as error:
        raise StoreError(
            f"the database does not answer ({type(error).__name__}): "
            "check MEMORANDA_DATABASE_URL and that the server runs"
        ) from error
    found = None if row is None else str(row[0])
    if found == REVISIONS[-1]:
        return
    if found is None or found in REVISIONS:
        raise StoreFormatError(
            f"the database has schema {found or 'none'}, this program needs {REVISIONS[-1]}: "
            "run `memoranda migrate`"
        )
    raise _newer(found)


def _newer(found: str) -> StoreFormatError:
    return StoreFormatError(
        f"the database has schema {found}, this program knows {REVISIONS[-1]} at most: "
        "install the newer program that migrated it"
    )


def _failed(error: DBAPIError) -> StoreError:
    cause = error.orig
    name = type(cause).__name__
    if isinstance(cause, psycopg.errors.InsufficientPrivilege):
        return StoreError(
            "this user may not migrate: it must own the database, or be allowed to create schemas "
            "in it, and at the first time be allowed to create roles; nothing was changed"
        )
    if isinstance(cause, psycopg.errors.LockNotAvailable):
        return StoreError(
            "others use the tables, or are migrating, for longer than a migration waits: "
            "try again, or stop the servers and workers first; nothing was changed"
        )
    return StoreError(
        f"the database could not be migrated ({name}): check MEMORANDA_DATABASE_URL, the server's "
        "log and its disk, then try again; what was begun is undone"
    )
