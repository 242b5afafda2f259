"""Opening views.db: one file of read models beside the log (design.md §3).

Text that a forget takes from the tables must not stay in the file: deleted bytes are overwritten
with zeros (`secure_delete`), temporary tables never reach the disk, and `truncate_wal` empties
the write-ahead log, whose frames hold older pages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event

from projections.schema import FORMAT, METADATA
from projections.unusable import ViewsDamagedError, ViewsFormatError

BUSY_MS: Final = 5_000
"""How long a writer waits for another one; readers never wait."""
_WRITE: Final = "memoranda_write"


def open_file(path: Path, tables: MetaData = METADATA, layout: int = FORMAT) -> Engine:
    """Open the read models at a path, making an empty file (0600) where there is none.

    `tables` of a format `layout` are what the file is to hold. A transaction of `engine.connect()`
    reads one state of the file; for writing take `write_transaction`. Raises ViewsFormatError, or
    sqlalchemy's DatabaseError for a file that is damaged.
    """
    _create(path)
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_MS / 1000},
        max_overflow=-1,
        # Whoever tells of an error of ours must not tell of what is stored.
        hide_parameters=True,
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    try:
        with write_transaction(engine) as connection:
            _lay_out(connection, tables, layout)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _create(path: Path) -> None:
    # A file that exists is never opened here: closing a descriptor of a database drops the locks
    # that this process holds on it.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _on_connect(dbapi_connection: Any, _: object) -> None:
    # The driver's own BEGIN comes too late for a read before a write; ours is `_on_begin`.
    dbapi_connection.isolation_level = None
    with closing(dbapi_connection.cursor()) as cursor:
        for pragma in (
            "secure_delete = ON",
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "temp_store = MEMORY",
            "foreign_keys = ON",
            "trusted_schema = OFF",
        ):
            cursor.execute(f"PRAGMA {pragma}")


def _on_begin(connection: Connection) -> None:
    # A write transaction takes its lock first: one that began reading could not wait for it.
    write = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def write_transaction(engine: Engine) -> Iterator[Connection]:
    """One write transaction: committed at the end of the block, rolled back by an exception."""
    with engine.connect() as connection:
        connection.execution_options(**{_WRITE: True})
        with connection.begin():
            yield connection


def _lay_out(connection: Connection, tables: MetaData, layout: int) -> None:
    found = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    if found == layout:
        return
    if found != 0:
        raise ViewsFormatError(
            f"the read models have format {found}, this program reads {layout}: rebuild them"
        )
    tables.create_all(connection)
    connection.exec_driver_sql(f"PRAGMA user_version = {layout}")


def check_file(engine: Engine) -> None:
    """Raise ViewsDamagedError where a page or a table is not what it was.

    Reads the whole file, at about 2 s a GB. What SQLite itself cannot read is told as its
    DatabaseError.
    """
    with engine.connect() as connection:
        said = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if said != "ok":
            raise ViewsDamagedError("a page of the file is damaged")
        for table in METADATA.sorted_tables:
            columns = connection.exec_driver_sql(f"PRAGMA table_info({table.name})")
            if {column[1] for column in columns} != {column.name for column in table.columns}:
                raise ViewsDamagedError(f"the table {table.name} is not there as it was made")


def truncate_wal(engine: Engine, wait_ms: int = 0) -> bool:
    """Move the write-ahead log into the file and empty it, so that old text is gone from both.

    False where a reader is still using it after `wait_ms`: nothing is wrong then, try again later.
    """
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute(f"PRAGMA busy_timeout = {wait_ms}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            ((busy, _, _),) = cursor.fetchall()
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return not busy


def compact(engine: Engine) -> None:
    """Write the whole file anew, so that no page holds the rest of what was moved before.

    `secure_delete` overwrites what is deleted, but SQLite leaves copies behind where it moves rows
    from one page to another: of 375 erased memories of a test the words of two were still there.
    Writers wait meanwhile, readers do not. The new file is made in memory, then in the write-ahead
    log, which `truncate_wal` empties.
    """
    with closing(engine.raw_connection()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute("VACUUM")
