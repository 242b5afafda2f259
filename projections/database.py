"""Opening the read models, and transactions on them, whichever database holds them.

Embedded they are a file, views.db; in the server mode they are schemas of PostgreSQL. What takes
an engine of `open_views` works on both.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import Connection, Engine

from domain.parts import part_of_workspace
from projections import views_postgres, views_sqlite
from projections.columns import POSTGRES
from projections.unusable import ViewsDamagedError, ViewsFormatError
from projections.views_sqlite import check_file as check_views
from projections.views_sqlite import compact, truncate_wal

__all__ = [
    "ViewsDamagedError",
    "ViewsFormatError",
    "check_views",
    "compact",
    "open_views",
    "part_in",
    "parts_in",
    "reading",
    "truncate_wal",
    "writing",
]

Where: TypeAlias = Path | str
"""The path of a file, or the URL of a PostgreSQL."""


def open_views(where: Where) -> Engine:
    """The read models for those who follow the log; `views_postgres.open_reader` is for questions.

    An empty file (0600) is made where there is none; the schemas of PostgreSQL are made by
    `memoranda migrate`. Raises ViewsFormatError, or sqlalchemy's DatabaseError for a file that is
    damaged.
    """
    if isinstance(where, Path):
        return views_sqlite.open_file(where)
    return views_postgres.open_writer(where)


def reading(engine: Engine) -> AbstractContextManager[Connection]:
    """One transaction that reads one state of the read models, and changes nothing."""
    if engine.dialect.name == POSTGRES:
        return views_postgres.read_transaction(engine)
    return engine.connect()


def writing(engine: Engine) -> AbstractContextManager[Connection]:
    """One write transaction: committed at the end of the block, rolled back by an exception."""
    if engine.dialect.name == POSTGRES:
        return views_postgres.write_transaction(engine)
    return views_sqlite.write_transaction(engine)


def parts_in(engine: Engine | Connection) -> int:
    """Into how many parts the log is divided that is followed into this database."""
    return views_postgres.PARTS if engine.dialect.name == POSTGRES else 1


def part_in(engine: Engine | Connection, workspace: str) -> int:
    """The part with the events of a workspace."""
    return part_of_workspace(workspace, parts_in(engine))
