"""Building the read models anew from the log: beside the live file, then in its place."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError

from domain.ports import LogReader
from ops.rebuild_beside import put_into
from projections.catalogue import CATALOGUE, Projection
from projections.checkpoints import ViewsAheadError
from projections.database import ViewsFormatError, open_views
from workers.catch_up import BATCH_EVENTS, Follower, never

_PART: Final = 0
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")


class ViewsInUseError(Exception):
    """The live file is open somewhere, so another one cannot take its place."""


def rebuild(
    log: LogReader,
    views_path: Path,
    on_progress: Callable[[int, int], None],
    *,
    stop: Callable[[], bool] = never,
    catalogue: Sequence[Projection] = CATALOGUE,
    batch: int = BATCH_EVENTS,
    beside: bool = False,
) -> int | None:
    """Build a complete file of read models and put it in the place of `views_path`.

    `on_progress` is told the position that all projections have handled, and the head of the log.
    The new file grows as `<views_path>.building` and keeps its checkpoints, so a call that was
    interrupted is continued by the next one. Returns the position of the new file; None where
    `stop` ended it earlier: the live file is untouched then.

    Nobody may have the live file open when the new one is ready (stop the runner and dispose of
    the engine before): raises ViewsInUseError otherwise, and keeps what was built. With `beside`
    others may have it open and go on: the rows are put into it in one transaction
    (`ops.rebuild_beside`). Two calls at once do one after the other.
    """
    building = building_path(views_path)
    with _alone_in(views_path.parent):
        engine = _open_building(building, log, catalogue)
        try:
            followers = [Follower(projection, _PART, log, engine) for projection in catalogue]
            position = _fill(followers, log, on_progress, stop, batch)
            if position is not None and beside:
                put_into(
                    views_path, building, lambda: _fill(followers, log, on_progress, never, batch)
                )
        finally:
            engine.dispose()
        if position is not None:
            _remove(building) if beside else _put_in_place(building, views_path)
        return position


def building_path(views_path: Path) -> Path:
    """Where the new file grows."""
    return views_path.with_name(views_path.name + ".building")


def discard_building(views_path: Path) -> None:
    """Remove what an interrupted rebuild left, so that no later forget misses text in it."""
    with _alone_in(views_path.parent):
        _remove(building_path(views_path))


def _fill(
    followers: Sequence[Follower],
    log: LogReader,
    on_progress: Callable[[int, int], None],
    stop: Callable[[], bool],
    batch: int,
) -> int | None:
    reached = [follower.position() for follower in followers]
    while True:
        position = min(reached)
        on_progress(position, max(position, log.head()))
        if stop():
            return None
        # The one that is furthest behind goes on: progress is that of all.
        index = reached.index(position)
        moved = followers[index].persist(position, batch)
        if moved == position:
            return position
        reached[index] = moved


def _open_building(building: Path, log: LogReader, catalogue: Sequence[Projection]) -> Engine:
    """What an earlier call began, if it is of this program and this log; else an empty file."""
    try:
        engine = open_views(building)
    except (ViewsFormatError, DatabaseError):
        _remove(building)
        return open_views(building)
    try:
        for projection in catalogue:
            Follower(projection, _PART, log, engine).reconcile()
    except ViewsAheadError:
        engine.dispose()
        _remove(building)
        return open_views(building)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _put_in_place(building: Path, views_path: Path) -> None:
    # A write-ahead log belongs to its file by name alone: one that is left over would be read
    # into whatever file comes in its place. So both files leave that mode before one moves.
    _leave_wal(building)
    if views_path.exists():
        try:
            _leave_wal(views_path)
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise ViewsInUseError(
                    "the read models are open: stop what uses them and rebuild again"
                ) from error
            # Damaged beyond that: nothing in it is wanted any more.
    for path in (building, views_path):
        _remove_side_files(path)
    _sync(building)
    building.replace(views_path)
    _sync(views_path.parent)


def _leave_wal(path: Path) -> None:
    """Take the write-ahead log into its file; SQLite does so for the only user of a file."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = DELETE")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    _remove_side_files(path)


def _remove_side_files(path: Path) -> None:
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """One rebuild at a time in a folder, among threads and processes; the lock dies with them."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
