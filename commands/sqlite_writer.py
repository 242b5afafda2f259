"""The one writing connection of a SQLite file, and the one shape of its transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from commands.sqlite_files import store_error, translated, undone_at_commit
from commands.store_errors import OutcomeUnknownError, StoreError, StoreFormatError


class Writer:
    """Holds a connection, and opens another one after it has failed.

    Not safe to share between threads: its owner has a lock.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._held: sqlite3.Connection | None = None
        self._closed = False

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for statements outside of a transaction."""
        if self._closed:
            raise StoreError("the store is closed: open it again")
        if self._held is None:
            self._held = self._connect()
        return self._held

    def transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        """BEGIN IMMEDIATE: all of the block, or nothing of it.

        Raises StoreBusyError if the lock is not had in time, StoreFullError or StoreError if
        something fails before the commit: nothing is written. Raises OutcomeUnknownError if the
        commit itself fails so that it is open whether it is on the disk.
        """
        return _Transaction(self)

    def begin(self) -> sqlite3.Connection:
        """Open a transaction, as `transaction` does."""
        with translated():
            connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            self.undo(connection, error)
            raise
        return connection

    def undo(self, connection: sqlite3.Connection, error: BaseException) -> None:
        """Roll back what failed so, which is raised in our words if it was the driver's."""
        self._roll_back(connection)
        if isinstance(error, sqlite3.Error):
            raise store_error(error) from error

    def commit(self, connection: sqlite3.Connection) -> None:
        """End a transaction, as `transaction` does."""
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if undone_at_commit(error):
                self._roll_back(connection)
                raise store_error(error) from error
            self._discard()
            raise OutcomeUnknownError(
                "the connection failed at the commit: look whether it is there, then try again"
            ) from error

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except sqlite3.Error:
                self._discard()  # which undoes what is open, too

    def _discard(self) -> None:
        """Close the connection; the next use opens another one."""
        held, self._held = self._held, None
        if held is not None:
            held.close()

    def close(self) -> None:
        """Close the connection for good."""
        self._closed = True
        self._discard()


class _Transaction:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._writer.begin()
        return self._connection

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is None:
            self._writer.commit(self._connection)
        else:
            self._writer.undo(self._connection, error)


def ensure_schema(writer: Writer, statements: Sequence[str], version: int) -> None:
    """Create the tables in a new file, in one transaction; else check whose and how new it is.

    Raises StoreFormatError for a file of a newer program, and for one of another program.
    """
    with translated():
        if _format(writer.connection) is None:
            with writer.transaction() as connection:
                if _format(connection) is None:
                    for statement in statements:
                        connection.execute(statement)
                    connection.execute("CREATE TABLE store_format (version INTEGER NOT NULL)")
                    connection.execute("INSERT INTO store_format VALUES (?)", (version,))
        found = _format(writer.connection)
    if found != version:
        raise StoreFormatError(
            f"the data folder has format {found}, this program reads format {version}: "
            "use the version of Memoranda that wrote it, or a newer one"
        )


def _format(connection: sqlite3.Connection) -> int | None:
    """The version in a file of ours; None for an empty file."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if not tables:
        return None
    if "store_format" in tables:
        (found,) = connection.execute("SELECT max(version) FROM store_format").fetchone()
        if isinstance(found, int):
            return found
    raise StoreFormatError(
        "a file in the data folder belongs to another program: choose another data folder"
    )
