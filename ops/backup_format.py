"""What a backup is: a folder with the log, the key store and a manifest (docs/adr/0024).

Both stores are backed up as the SQLite files of a data folder, so that one verifier reads every
backup, and either store can be restored from it.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from commands import key_tables, store_schema
from commands.sqlite_files import store_error
from commands.store_errors import StoreFullError
from domain.canonical import canonical

FORMAT: Final = 1
LOG: Final = "log.db"
KEYS: Final = "keys.db"
MANIFEST: Final = "manifest.json"
TABLES: Final = {LOG: ("event", "event_ref", "api_key"), KEYS: ("workspace_key", "data_key")}
MASTER_KEY: Final = (
    "NOT IN THIS BACKUP, nor in any other. Without the master key nothing here can be read, by "
    "anybody, for ever: keep a copy of it where no backup is"
)
_FORMATS: Final = {"log": store_schema.VERSION, "keys": key_tables.VERSION}
_CHUNK: Final = 1 << 20

Source: TypeAlias = Literal["folder", "postgresql"]


class BackupError(Exception):
    """A backup that cannot be made or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of a backup: its size, SHA-256 in hex, and the rows of its tables."""

    bytes: int
    sha256: str
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is in a backup. `position` is the last one of its log, `made_at` a server time."""

    made_at: str
    program: str
    source: Source
    position: int
    files: dict[str, BackupFile]

    def to_bytes(self) -> bytes:
        """The file, which ends with its own hash."""
        said: dict[str, Any] = {
            "format": FORMAT, "formats": _FORMATS, "master_key": MASTER_KEY, **asdict(self)
        }  # fmt: skip
        said["sha256"] = hashlib.sha256(canonical(said)).hexdigest()
        return (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup; BackupError for none, a damaged or a newer one."""
    file = folder / MANIFEST
    try:
        said = json.loads(file.read_bytes())
        newer = said["format"] > FORMAT or any(
            said["formats"][name] > known for name, known in _FORMATS.items()
        )
        if newer:
            raise BackupError(
                f"{folder} was made by Memoranda {said['program']}, in a format that this version "
                "does not know: restore it with that version or a newer one"
            )
        claimed = said.pop("sha256")
        if claimed != hashlib.sha256(canonical(said)).hexdigest():
            raise ValueError
        files = {name: BackupFile(**one) for name, one in said["files"].items()}
        if files.keys() != TABLES.keys():
            raise ValueError
        names = ("made_at", "program", "source", "position")
        return Manifest(**{name: said[name] for name in names}, files=files)
    except FileNotFoundError:
        raise BackupError(
            f"{folder} is no backup: it has no {MANIFEST}; name a folder that `memoranda backup` "
            "has made"
        ) from None
    except OSError as error:
        raise BackupError(f"{file} cannot be read ({error.strerror}): check its owner") from None
    except (ValueError, LookupError, TypeError):
        raise BackupError(f"{file} is damaged: take another backup") from None


def digest_of(
    path: Path, copy_to: int | None = None, moved: Callable[[int], None] = lambda _bytes: None
) -> tuple[int, str]:
    """Size and SHA-256 of a file; with `copy_to` its bytes are written to that descriptor, too."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if copy_to is not None:
                write_all(copy_to, chunk)
            moved(len(chunk))
    return size, digest.hexdigest()


def write_all(descriptor: int, data: bytes) -> None:
    """All of it, however little a call takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextmanager
def new_file(path: Path) -> Iterator[int]:
    """A new file for its owner alone, whatever the umask; on the disk when the block has ended."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        yield descriptor
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_file(path: Path) -> None:
    """Put what was written to a file on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def new_folder(path: Path) -> None:
    """A new folder for its owner alone, whatever the umask."""
    path.mkdir(mode=0o700)
    path.chmod(0o700)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One backup at a time is written into a folder."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise BackupError(
            f"another backup is being written into {folder}: wait for it, or choose another folder"
        ) from None
    finally:
        os.close(held)


@contextmanager
def into(path: Path) -> Iterator[None]:
    """A full or unwritable disk while something is written below `path`, said in our words."""
    try:
        yield
    except StoreFullError as error:
        raise _no_room(path) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise _no_room(path) from error
        raise store_error(error) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_room(path) from error
        raise BackupError(
            f"{error.filename or path} cannot be used ({error.strerror}): check its owner and its "
            "disk; nothing was changed"
        ) from error


def _no_room(path: Path) -> BackupError:
    return BackupError(
        f"the disk of {path} is full: free some space, then try again; nothing was changed"
    )
