"""SQLite as our stores use it: private files, and one translation of the driver's errors."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from commands.store_errors import (
    StoreBusyError,
    StoreError,
    StoreFormatError,
    StoreFullError,
)

BUSY_TIMEOUT_S: Final = 5.0
CACHED_STATEMENTS: Final = 256

_NO_ROOM: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE})
_NOT_WRITABLE: Final = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN}
)
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNDONE_AT_COMMIT: Final = _NO_ROOM | _NOT_WRITABLE | _BUSY


def private_file(path: Path) -> None:
    """Make sure of a file that its owner alone may read, in such a folder if that is new too.

    The umask does not matter. Raises StoreFullError where the file cannot be made.
    """
    try:
        _private_folder(path.parent)
        try:
            made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        except FileExistsError:
            # Never open an existing one here: closing it again would drop SQLite's locks on it.
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                path.chmod(0o600)
            return
        os.fchmod(made, 0o600)
        os.close(made)
        sync_folder(path.parent)
    except OSError as error:
        raise StoreFullError(
            f"{path.name} cannot be made in the data folder ({error.strerror}): "
            "check the folder's permissions and its disk"
        ) from error


def _private_folder(path: Path) -> None:
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        return
    path.chmod(0o700)


def sync_folder(path: Path) -> None:
    """Make the names of new files durable."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def connect(
    path: Path,
    *,
    read_only: bool = False,
    timeout_s: float = BUSY_TIMEOUT_S,
    factory: type[sqlite3.Connection] = sqlite3.Connection,
    pragmas: Sequence[str] = (),
) -> sqlite3.Connection:
    """A connection in autocommit mode, usable by one thread at a time, with these pragmas set."""
    mode = "ro" if read_only else "rw"
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode={mode}",
        uri=True,
        timeout=timeout_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=CACHED_STATEMENTS,
        factory=factory,
    )
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        # A file that is no database shows here first, and nobody else has the connection yet.
        connection.close()
        raise
    return connection


class _Translated:
    # A generator for it would cost ten times as much, and every command comes through here.
    def __enter__(self) -> None:
        """Nothing to be done before."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise store_error(error) from error


_TRANSLATED: Final = _Translated()


def translated() -> AbstractContextManager[None]:
    """Driver errors become ours, in reads and outside of transactions."""
    return _TRANSLATED


def store_error(error: sqlite3.Error) -> StoreError:
    """The error of ours that a driver's error means."""
    code = _code(error)
    if code in _BUSY:
        return StoreBusyError("another process is writing to the data folder: try again")
    if code in _NO_ROOM:
        return StoreFullError("the disk of the data folder is full: free some space, try again")
    if code in _NOT_WRITABLE:
        return StoreFullError(
            "the data folder cannot be written: check its permissions and its disk, try again"
        )
    if code in _DAMAGED:
        return StoreFormatError(
            "a file of the data folder is damaged, or is no database: restore it from a backup"
        )
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return StoreError(f"the data folder cannot be used ({name}): check its disk, then try again")


def undone_at_commit(error: sqlite3.Error) -> bool:
    """Whether a commit that failed so can be rolled back: its commit mark was not written."""
    return _code(error) in _UNDONE_AT_COMMIT


def _code(error: sqlite3.Error) -> int | None:
    """The primary result code; None where the driver itself refused."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None or code in _NO_ROOM:
        return code
    return code & 0xFF
