"""Opening the manifest of the recall index, and transactions on it, in either database."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, exc

from projections import views_sqlite
from projections.columns import POSTGRES
from projections.index_schema import FORMAT, METADATA, SCHEMA
from projections.unusable import ViewsFormatError

LOG: Final = logging.getLogger("memoranda.index")
_SIDE_FILES: Final = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class IndexStore:
    """The manifest. Safe to share between threads.

    `engine` is one of `open_manifest`, or connections of a writer of PostgreSQL.
    """

    engine: Engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One transaction that reads one state."""
        connection = self._connect("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One write transaction: committed at the end of the block, rolled back by an exception."""
        if self.engine.dialect.name != POSTGRES:
            with views_sqlite.write_transaction(self.engine) as connection:
                yield connection
            return
        connection = self._connect("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
        try:
            yield connection
            connection.commit()
        finally:
            connection.close()

    def _connect(self, first: str) -> Connection:
        """A connection in a transaction; in PostgreSQL one that began with a statement."""
        if self.engine.dialect.name != POSTGRES:
            return self.engine.connect()
        try:
            return self._begun(first)
        except exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
        # The database was restarted since the connection was used last. Nothing was done yet.
        return self._begun(first)

    def _begun(self, first: str) -> Connection:
        connection = self.engine.connect()
        try:
            mapped = connection.execution_options(schema_translate_map={None: SCHEMA})
            mapped.exec_driver_sql(first)
        except BaseException:
            connection.close()
            raise
        return mapped


def open_manifest(path: Path) -> Engine:
    """The manifest in a file, which is made anew where there is none that can be used.

    Nothing is lost with it: the index is made from the log.
    """
    try:
        return views_sqlite.open_file(path, METADATA, FORMAT)
    except (ViewsFormatError, exc.DatabaseError) as error:
        if isinstance(error, exc.OperationalError):
            raise
        LOG.warning("the manifest of the recall index cannot be used, the index is made anew")
    discard_manifest(path)
    return views_sqlite.open_file(path, METADATA, FORMAT)


def discard_manifest(path: Path) -> None:
    """Remove the file; nobody has it open."""
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
