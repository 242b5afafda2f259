"""`memoranda restore` into PostgreSQL: all of it in one transaction of the owner's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from commands.postgres_connections import store_error
from commands.store_errors import StoreError
from ops.backup_database import database_query
from ops.backup_erasures import erasures_of, write_erasures
from ops.backup_format import LOG, BackupError, into
from ops.backup_load import load
from ops.backup_stage import Given, make_stage
from ops.backup_switch import staged
from ops.data_folder import held
from ops.migrating import known_revision, migrate_within
from ops.progress import OnProgress
from ops.restore import CURRENT, Restored, Target, checked, not_empty, readable
from ops.settings import ServerMode

_LOCK_SECONDS: Final = 5
_TABLES: Final = text(
    "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
    " WHERE schemaname IN ('memoranda_log', 'memoranda_keys') ORDER BY 1"
)
_SCHEMAS: Final = text(
    "SELECT quote_ident(nspname) FROM pg_namespace"
    " WHERE nspname IN ('memoranda_log', 'memoranda_keys', 'memoranda_index')"
    " OR nspname ~ '^memoranda_views(_[0-9]+)?$'"
)
_OTHERS: Final = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    " AND pid <> pg_backend_pid() AND leader_pid IS NULL AND usesysid IS NOT NULL"
)
_FILLED: Final = text(
    "SELECT EXISTS (SELECT FROM memoranda_log.event)"
    " OR EXISTS (SELECT FROM memoranda_keys.data_key)"
)
_SEEN: Final = text("SELECT last_value FROM memoranda_log.event_position")


def restore_database(
    mode: ServerMode, data: Path, given: Given, target: Target, on_progress: OnProgress
) -> Restored:
    """Restore a backup of either store into a database to which nobody else is connected.

    `data` is this machine's data folder, where the store is made and checked first. A kill at any
    moment leaves the database as it was, or restored. The user of the URL must own the schemas, or
    be allowed to make them. Raises BackupError, DataFolderError, WrongMasterKeyError, StoreError:
    nothing is changed then.
    """
    manifest = checked(given)
    if (data / LOG).exists():
        raise BackupError(
            f"the data folder {data} holds a store of its own, and the database's would be made in "
            "it first: name another folder with MEMORANDA_DATA; nothing was changed"
        )
    with into(data), held(data), staged(data) as stage:
        with _owning(mode.database_url) as connection:
            seen, current = 0, stage / CURRENT
            if _taken(connection, target):
                seen = connection.scalar(_SEEN) or 0
                query = database_query(_driver(connection))
                lines = readable(erasures_of(query, query), target, "the database")
                write_erasures(current, lines)
                given = replace(given, erasures=[*given.erasures, current])
            again = make_stage(stage, manifest, given, mode.master_key, seen, on_progress)
            for schema in connection.scalars(_SCHEMAS).all():
                connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
            migrate_within(connection)
            load(_driver(connection), stage, on_progress)
        shutil.rmtree(data / "imports", ignore_errors=True)
    return Restored(manifest, again)


def _driver(connection: Connection) -> psycopg.Connection:
    found = connection.connection.driver_connection
    if not isinstance(found, psycopg.Connection):
        raise TypeError
    return found


@contextmanager
def _owning(url: str) -> Iterator[Connection]:
    """One transaction of the user of the URL; it is undone where the block fails."""
    address = make_url(url).set(drivername="postgresql+psycopg")
    engine = create_engine(address, poolclass=NullPool)
    try:
        with engine.begin() as connection:
            for name, value in (
                ("statement_timeout", "0"),
                ("idle_in_transaction_session_timeout", "0"),
                ("lock_timeout", f"{_LOCK_SECONDS}s"),
            ):
                connection.execute(text(f"SET LOCAL {name} = '{value}'"))
            yield connection
    except DBAPIError as error:
        raise _failed(error.orig) from error
    except psycopg.Error as error:
        raise _failed(error) from error
    finally:
        engine.dispose()


def _taken(connection: Connection, target: Target) -> bool:
    """Take hold of the database; whether there is a store in it.

    Raises BackupError where others are connected, or where it is not to be replaced.
    """
    there = known_revision(connection) is not None
    for table in connection.scalars(_TABLES).all():
        connection.execute(text(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    others = connection.scalar(_OTHERS) or 0
    if others:
        raise BackupError(
            f"{others} others are connected to the database: stop all servers and workers, and "
            "whatever else uses it, then try again; nothing was changed"
        )
    if there and connection.scalar(_FILLED) and not target.replace:
        raise not_empty("the database")
    return there


def _failed(error: BaseException | None) -> StoreError:
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return StoreError(
            "this user may not restore: it must be the one who has migrated the database, and owns "
            "what is in it; nothing was changed"
        )
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return StoreError(
            "others use the database: stop all servers and workers, then try again; nothing was "
            "changed"
        )
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return StoreError(
            "the connection to the database failed: it is as it was, or restored. Check "
            "MEMORANDA_DATABASE_URL and that the server runs, look, then try again"
        )
    if isinstance(error, psycopg.Error):
        return store_error(error)
    return StoreError("the database cannot be used: check MEMORANDA_DATABASE_URL; nothing changed")
