"""PostgreSQL as our stores use it: connections of one role, and one translation of errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from commands.postgres_arrays import understand_arrays
from commands.store_errors import (
    OutcomeUnknownError,
    StoreBusyError,
    StoreError,
    StoreFormatError,
    StoreFullError,
)

WRITER_ROLE: Final = "memoranda_app"
READER_ROLE: Final = "memoranda_reader"

Connection = psycopg.Connection[tuple[Any, ...]]

# A server that vanished without a word is noticed after half a minute, not after hours.
_REACHABLE: Final[Mapping[str, str]] = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "memoranda",
}
# Not what the database or its user may have as their default. A statement of its own sees what was
# committed before it; and a commit is on the disk (`synchronous_commit` is set for each append).
_SESSION: Final[Mapping[str, str]] = {
    "default_transaction_isolation": "read committed",
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
    "lock_timeout": "5s",
    "statement_timeout": "60s",
    "idle_in_transaction_session_timeout": "60s",
}


def connect(
    url: str,
    role: str,
    *,
    settings: Mapping[str, str] | None = None,
    factory: type[Connection] = psycopg.Connection,
) -> Connection:
    """A connection in autocommit mode that works as `role`; usable by one thread at a time.

    Options of the URL win over ours, except for the session's `settings`.
    """
    reachable: dict[str, Any] = {**_REACHABLE, **conninfo_to_dict(url)}
    connection = factory.connect(make_conninfo(**reachable), autocommit=True)
    try:
        understand_arrays(connection)
        session = {**_SESSION, **(settings or {}), "role": role}
        asked = ", ".join(["set_config(%s, %s, false)"] * len(session))
        connection.execute(
            f"SELECT {asked}",
            [part for setting in session.items() for part in setting],
        )
    except BaseException:
        connection.close()
        raise
    return connection


def store_error(error: psycopg.Error) -> StoreError:
    """The error of ours that a driver's error means."""
    match error:
        case (
            errors.LockNotAvailable() | errors.QueryCanceled() | errors.DeadlockDetected()
            | errors.SerializationFailure() | errors.TooManyConnections()
            | errors.CannotConnectNow()
        ):  # fmt: skip
            return StoreBusyError("others keep the database busy for too long: try again")
        case errors.DiskFull() | errors.OutOfMemory():
            return StoreFullError("the database server is full: free some space, try again")
        case errors.ReadOnlySqlTransaction():
            return StoreFullError(
                "the database cannot be written, it is a standby or read only: check its "
                "permissions and MEMORANDA_DATABASE_URL, try again"
            )
        case errors.UndefinedTable() | errors.InvalidSchemaName() | errors.UndefinedFunction():
            return StoreFormatError(
                "the database has not the schema of this program: run `memoranda migrate`"
            )
        case errors.InsufficientPrivilege() | errors.InvalidParameterValue():
            return StoreError(
                "the database's user may not do what programs do: "
                "GRANT memoranda_app, memoranda_reader TO it, after `memoranda migrate`"
            )
        case _:
            return StoreError(
                f"the database cannot be used ({type(error).__name__}): check that the server "
                "runs and MEMORANDA_DATABASE_URL, then try again"
            )


@contextmanager
def translated() -> Iterator[None]:
    """Driver errors become ours where nothing can have been written."""
    try:
        yield
    except psycopg.Error as error:
        raise store_error(error) from error


class Writer:
    """Holds a connection, and opens another one after it has failed, and after a fork.

    Not safe to share between threads: its owner has a lock.
    """

    def __init__(self, open_one: Callable[[], Connection]) -> None:
        self._connect = open_one
        self._held: Connection | None = None
        self._process = 0
        self._closed = False

    @property
    def connection(self) -> Connection:
        """The connection; raises StoreError where there is none to be had."""
        if self._closed:
            raise StoreError("the store is closed: open it again")
        if self._process != os.getpid():
            # The parent's: closing it here would end the parent's session.
            self._held, self._process = None, os.getpid()
        if self._held is None or self._held.closed:
            with translated():
                self._held = self._connect()
        return self._held

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One statement that commits, or one `transaction()`.

        Raises OutcomeUnknownError where the connection failed: nobody can tell then whether the
        commit was reached. An error that the server told means that nothing was written.
        """
        connection = self.connection
        try:
            yield connection
        except psycopg.Error as error:
            if connection.closed or connection.broken:
                connection.close()
                raise OutcomeUnknownError(
                    "the connection failed before the database had answered: "
                    "look whether it is there, then try again"
                ) from error
            raise store_error(error) from error

    def close(self) -> None:
        """Close the connection for good."""
        self._closed = True
        if self._held is not None and self._process == os.getpid():
            self._held.close()
        self._held = None
