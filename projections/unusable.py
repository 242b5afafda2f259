"""Why read models cannot be used as they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from sqlalchemy.exc import InterfaceError, OperationalError


class ViewsFormatError(Exception):
    """The read models have another format than this program: rebuild them from the log."""


class ViewsDamagedError(Exception):
    """The read models are not what was written: rebuild them from the log."""


def is_away(error: Exception) -> bool:
    """Whether a server did not do what it was asked, which tells nothing of the tables: ask again.

    It was restarted, the connection was lost, others held it up. A file has no such moments.
    """
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    return not isinstance(error.orig, sqlite3.Error)


class ViewsDifferError(Exception):
    """What was built anew is not what is live: one of the two is wrong, and nothing was changed."""

    def __init__(self, found: Iterable[str]) -> None:
        super().__init__(
            "the read models that were built anew are not the live ones: "
            f"{'; '.join(found)}. Nothing was changed. If the live ones are wrong, run "
            "`memoranda rebuild --without-comparing`"
        )
