"""Putting restored files in the place of a data folder's, so that a kill leaves all or none.

They are made whole in `restore.new`. Renaming that to `restore.ready` is the step that decides:
whoever opens the folder afterwards finishes what is left, before anything of it is read.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from commands.sqlite_files import sync_folder
from ops.backup_format import new_folder, sync_file

NEW: Final = "restore.new"
READY: Final = "restore.ready"
_PLACED: Final = ("master.key", "keys.db", "log.db")
_BESIDE: Final = ("-wal", "-shm", "-journal")
_STALE: Final = ("views.db", "views.db.building", "index.db")
_OF_THE_OLD_LOG: Final = ("imports", "index")
"""What imports have done, counted in lines: a log that is older knows less of them; and the index
of its memories, which may be forgotten in the other one."""


def switch(data: Path) -> None:
    """Put `restore.new`, which is whole, in place. Its caller has the folder alone."""
    new = data / NEW
    for file in new.iterdir():
        if file.name not in _PLACED:
            file.unlink()
    for name in _PLACED:
        sync_file(new / name)
    sync_folder(new)
    new.rename(data / READY)
    sync_folder(data)
    finish(data)


def finish(data: Path) -> None:
    """Finish a switch, if one was begun, else undo what came before it.

    Its caller has the folder alone.
    """
    if (data / NEW).is_dir():
        shutil.rmtree(data / NEW)
    ready = data / READY
    if not ready.is_dir():
        return
    for name in _STALE:
        _remove(data / name)
    for name in _OF_THE_OLD_LOG:
        if (data / name).is_dir():
            shutil.rmtree(data / name)
    for name in _PLACED:
        if (ready / name).exists():
            # The new file has none of these; what is left of the old one's would be read as its.
            for suffix in _BESIDE:
                (data / f"{name}{suffix}").unlink(missing_ok=True)
            (ready / name).replace(data / name)
    sync_folder(data)
    ready.rmdir()
    sync_folder(data)


def finish_interrupted(data: Path) -> None:
    """Finish what a killed restore has left, for who reads the folder beside others."""
    if not (data / READY).is_dir():
        return
    lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        finish(data)
    finally:
        os.close(lock)


@contextmanager
def staged(data: Path) -> Iterator[Path]:
    """The folder `restore.new`, empty; what is left of it at the end of the block is removed."""
    new = data / NEW
    new_folder(new)
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _remove(database: Path) -> None:
    for suffix in ("", *_BESIDE):
        database.with_name(database.name + suffix).unlink(missing_ok=True)
