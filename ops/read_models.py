"""Opening the read models at the start; what cannot be used is built anew from the log.

They hold nothing that the log does not say, so a damaged file is no loss, and nobody has to be
asked. Nothing is served before they are complete again: half of them would look like a loss.
"""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from domain.ports import LogReader
from ops.rebuild import rebuild
from projections.database import ViewsDamagedError, ViewsFormatError, check_views, open_views

LOG: Final = logging.getLogger("memoranda.read_models")
_UNUSABLE: Final = frozenset(
    {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT}
)


def open_read_models(path: Path, log: LogReader) -> Engine:
    """The read models at a path, whole; a line in the log tells where they had to be built anew.

    Raises what `open_views` and `rebuild` raise where the disk, and not the file, is the trouble.
    """
    opened: Engine | str = "they are not there"
    if not (_is_new(path) and log.head()):
        opened = _opened(path)
    if isinstance(opened, Engine):
        return opened
    LOG.warning("the read models are built anew from the log: %s", opened)
    position = rebuild(log, path, lambda _position, _head: None)
    LOG.warning("the read models are whole again, up to position %d", position)
    return open_views(path)


def _is_new(path: Path) -> bool:
    return not path.exists() or path.stat().st_size == 0


def _opened(path: Path) -> Engine | str:
    """The file, or why it cannot be used."""
    engine: Engine | None = None
    try:
        engine = open_views(path)
        check_views(engine)
    except (DatabaseError, ViewsDamagedError, ViewsFormatError) as error:
        if engine is not None:
            engine.dispose()
        if isinstance(error, DatabaseError):
            return _unusable(error)
        return str(error)
    return engine


def _unusable(error: DatabaseError) -> str:
    """What is said of a file that is no database of ours; a full or busy disk is another matter."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in _UNUSABLE:
        raise error
    return "the file is damaged"
