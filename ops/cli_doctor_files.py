"""Doctor, first part: the folder, its files, who has it open, the disk."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ops.cli_checks import RESTORE, Check, note, ok, problem
from ops.data_folder import INDEX
from ops.master_keys import MASTER_KEY_BYTES

FREE_BYTES_MIN: Final = 64 * 1024 * 1024
"""Less free space than this is a problem; a rebuild needs the size of the read models beside."""
FILES: Final = ("log.db", "keys.db", "views.db", "master.key")
DATABASES: Final = (*FILES[:3], "index.db")
_OTHERS: Final = 0o077


def files_of(folder: Path) -> dict[str, int]:
    """Bytes of each file of a store that is there, write-ahead logs and all segments included."""
    beside = (f"{name}{end}" for name in DATABASES for end in ("-wal", "-shm"))
    names = [*FILES, DATABASES[-1], *beside]
    found: dict[str, int] = {}
    for name in names:
        try:
            found[name] = (folder / name).stat().st_size
        except (FileNotFoundError, NotADirectoryError):
            # SQLite makes and removes the files beside a database while we look.
            continue
    if segments := _bytes_in(folder / INDEX):
        found[INDEX] = segments
    return found


def _bytes_in(folder: Path) -> int:
    """Bytes of all files below a folder, segments that are removed meanwhile not counted."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def check_folder(folder: Path) -> Check:
    """It is there, it is a folder, and its owner alone gets in."""
    name = "folder"
    try:
        mode = folder.stat().st_mode
    except FileNotFoundError:
        return problem(
            name,
            f"there is no {folder}",
            "name another with --data, or make one with `memoranda serve` or `memoranda remember`",
        )
    except OSError as error:
        return problem(name, f"{folder} cannot be reached ({error.strerror})", "check its path")
    if not stat.S_ISDIR(mode):
        return problem(name, f"{folder} is no folder", "name another with --data")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return problem(
            name, f"{folder} cannot be written", "change its owner or permissions (0700)"
        )
    if stat.S_IMODE(mode) & _OTHERS:
        return problem(name, f"others may look into {folder}", f"chmod 700 {folder}")
    return ok(name, f"{folder} is private and can be written")


def check_files(folder: Path) -> Iterator[Check]:
    """Which files are there, and that others cannot read them."""
    sizes = files_of(folder)
    missing = [name for name in FILES if name not in sizes]
    if "log.db" in missing:
        if missing == list(FILES):
            yield problem(
                "files", "there is no store in it", "make one with `memoranda remember`, or serve"
            )
        else:
            yield problem("files", "log.db, the log itself, is missing", RESTORE)
        return
    for name in ("keys.db", "master.key"):
        if name in missing:
            yield problem(
                "files",
                f"{name} is missing: without it no content of the log can be read",
                f"{RESTORE} before anything is started on this folder",
            )
    if "views.db" in missing:
        yield note("files", "views.db is missing: the next start builds it anew from the log")
    yield _check_modes(folder, sizes)


def _check_modes(folder: Path, sizes: dict[str, int]) -> Check:
    shared: list[str] = []
    for name in sizes:
        try:
            mode = (folder / name).stat().st_mode
        except FileNotFoundError:
            continue
        if stat.S_IMODE(mode) & _OTHERS:
            shared.append(name)
    if shared:
        paths = " ".join(str(folder / name) for name in shared)
        return problem(
            "files", f"others may read or write {', '.join(shared)}", f"chmod 600 {paths}"
        )
    total = sum(sizes.values())
    return ok("files", f"{len(sizes)} files, {total} bytes, all private", bytes=total, files=sizes)


def check_lock(folder: Path) -> Check:
    """Whether a process has the folder open: a fact, not a fault."""
    in_use = is_locked(folder)
    said = "a process has it open" if in_use else "nobody has it open"
    return ok("in use", said, in_use=in_use)


def is_locked(folder: Path) -> bool:
    """Whether somebody holds the lock of a data folder. Never makes the file."""
    try:
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def read_master_key(folder: Path) -> tuple[bytes | None, Check | None]:
    """The master key, or what is wrong with it; both None where it is not there."""
    try:
        text = (folder / "master.key").read_text("ascii").strip()
        key = bytes.fromhex(text)
    except FileNotFoundError:
        return None, None
    except OSError as error:
        return None, problem(
            "master key", f"master.key cannot be read ({error.strerror})", "change its owner"
        )
    except ValueError:
        key = b""
    if len(key) != MASTER_KEY_BYTES:
        return None, problem("master key", "master.key is damaged", RESTORE)
    return key, None


def check_disk(folder: Path) -> Check:
    """Room for what is to come, and for a rebuild of the read models."""
    place = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        free = shutil.disk_usage(place).free
    except OSError as error:
        return problem("disk", f"the disk cannot be asked ({error.strerror})", "check the mount")
    said = f"{free // 2**20} MiB free"
    if free < FREE_BYTES_MIN:
        return problem("disk", said, "free some space: writes fail when it is full", free=free)
    views = files_of(folder).get("views.db", 0)
    if free < FREE_BYTES_MIN + views:
        return note("disk", f"{said}: too little for `memoranda rebuild`", free=free)
    return ok("disk", said, free=free)
