"""Copies of a data folder's log and key store as of one moment, while servers write to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from commands.sqlite_files import connect, private_file, translated
from ops.backup_format import KEYS, LOG, BackupError
from ops.data_folder import shared

_PAGES: Final = 256
"""So many pages of 4 KiB are copied between two looks at the progress."""


class Snapshot(NamedTuple):
    """Connections that see both files as they were at one moment."""

    log: sqlite3.Connection
    keys: sqlite3.Connection


@contextmanager
def folder_snapshot(data: Path) -> Iterator[Snapshot]:
    """Both files of a data folder, in use or not, as of one moment.

    An event names a key that was stored before, and a key is destroyed after that was asked for in
    the log. So the log may not grow between the two looks: its writers wait for them, a moment.
    """
    with ExitStack() as opened:
        if data.is_dir():
            opened.enter_context(shared(data))
        for name in (LOG, KEYS):
            if not (data / name).exists():
                raise BackupError(
                    f"there is no store in {data}: {name} is missing; "
                    "name a data folder with --data"
                )
        with translated():
            held, log, keys = (
                opened.enter_context(closing(connect(data / name))) for name in (LOG, LOG, KEYS)
            )
            held.execute("BEGIN IMMEDIATE")
            for one in (keys, log):
                one.execute("BEGIN")
                one.execute("SELECT count(*) FROM store_format").fetchone()
            held.execute("ROLLBACK")
        yield Snapshot(log, keys)


def copy_database(
    source: sqlite3.Connection, target: Path, moved: Callable[[int, int], None]
) -> None:
    """All that a snapshot shows, page by page; `moved` is told (pages done, pages).

    The copy is one file that nothing has to be written beside: no write-ahead log.
    """
    private_file(target)
    with closing(connect(target)) as copy:
        # A copy that is not finished is thrown away, so that nothing has to be undone in it.
        copy.execute("PRAGMA synchronous = OFF")
        source.backup(
            copy, pages=_PAGES, progress=lambda _status, left, pages: moved(pages - left, pages)
        )
    one_file(target)


def one_file(database: Path) -> None:
    """Leave no write-ahead log beside a database that nobody else has open."""
    with closing(connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE").fetchone()


def count_rows(database: Path, tables: tuple[str, ...]) -> dict[str, int]:
    """How many rows each table has."""
    with closing(connect(database, read_only=True)) as connection:
        return {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in tables
        }


def head_of(log: Path) -> int:
    """The last position of a log; 0 for an empty one."""
    with closing(connect(log, read_only=True)) as connection:
        (found,) = connection.execute("SELECT max(position) FROM event").fetchone()
        return int(found or 0)
