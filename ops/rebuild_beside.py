"""Putting read models that were built anew into a file that others have open.

A file cannot be replaced under those who have it open, but its rows can: in one transaction, so a
reader sees the old ones or the new ones, all of them. Who follows the log waits meanwhile, and goes
on from the checkpoints that it finds.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

WAIT_SECONDS: Final = 60.0
"""How long another writer may take before this one gives up."""
_SHAPES: Final = (
    "SELECT name, sql FROM {}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    " ORDER BY name"
)
_REMEDY: Final = "stop what has them open, then run `memoranda rebuild`"


class ViewsNotReplacedError(Exception):
    """The rows cannot be put into the live file; nothing in it has changed."""


def put_into(views_path: Path, building: Path, catch_up: Callable[[], object]) -> None:
    """Replace every row of the live file by those of `building`, in one transaction.

    `catch_up` brings `building` to the head of the log; it is called when nobody can move the
    checkpoints of the live file any more, so that these never go back: what was forgotten there
    does not come again. Raises ViewsNotReplacedError for a file that is damaged, missing, laid out
    otherwise, or locked for longer than `WAIT_SECONDS`.
    """
    address = f"{views_path.absolute().as_uri()}?mode=rw"
    try:
        with closing(
            sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS, isolation_level=None)
        ) as live:
            live.execute("PRAGMA secure_delete = ON")
            live.execute("ATTACH DATABASE ? AS built", (str(building),))
            _replace(live, catch_up)
            live.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError as error:
        raise ViewsNotReplacedError(
            f"the read models cannot be written ({error}): {_REMEDY}"
        ) from None


def _replace(live: sqlite3.Connection, catch_up: Callable[[], object]) -> None:
    live.execute("BEGIN")
    try:
        # A write that changes nothing takes the lock of this file, and of no other.
        live.execute("DELETE FROM main.checkpoint WHERE 0")
        catch_up()
        for name in _tables(live):
            # Names of our own schema, in both files alike.
            live.execute(f'DELETE FROM main."{name}"')  # noqa: S608
            live.execute(f'INSERT INTO main."{name}" SELECT * FROM built."{name}"')  # noqa: S608
        live.execute("COMMIT")
    except BaseException:
        if live.in_transaction:
            live.execute("ROLLBACK")
        raise


def _tables(live: sqlite3.Connection) -> list[str]:
    ours, built = (live.execute(_SHAPES.format(name)).fetchall() for name in ("main", "built"))
    if ours != built:
        raise ViewsNotReplacedError(
            f"the read models have another layout than this program makes: {_REMEDY}"
        )
    return [name for name, _ in ours]
