"""The data folder of the embedded mode: its files, its master key, its one owner."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ops.backup_switch import finish, finish_interrupted

MASTER_KEY_BYTES: Final = 32
BESIDE: Final = "lock.beside"
"""The file that is locked by who shares the folder, and by a restore, which does not."""


class DataFolderError(Exception):
    """The folder cannot be used; the message says why and what to do."""


class FolderInUseError(DataFolderError):
    """Another process owns the folder."""


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths of one data folder that this process owns until `close`."""

    path: Path
    master_key: bytes
    _lock: int

    @property
    def log(self) -> Path:
        """The log: events, references, API keys."""
        return self.path / "log.db"

    @property
    def keys(self) -> Path:
        """The key store, wrapped by the master key."""
        return self.path / "keys.db"

    @property
    def views(self) -> Path:
        """Read models; may be deleted, they are rebuilt."""
        return self.path / "views.db"

    @classmethod
    def open(cls, path: Path, *, alone: bool = True) -> DataFolder:
        """Create the folder if it is new, and take hold of it.

        Without `alone` another process may have it: enough for what the log and the key store
        share between processes, and no more.

        Private from the first moment, whatever the umask: folder 0700, files 0600.
        """
        lock = _private(path) if alone else _share(path)
        try:
            if alone:
                _take(lock, path)
            _refuse_a_part(path)
            return cls(path, _master_key(path), lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def beside_database(cls, path: Path | None, master_key: bytes) -> DataFolder:
        """The folder of a process of the server mode: it holds the ledgers of imports, no store.

        Any number of processes may have it; one that imports nothing has none. Raises
        DataFolderError for one that holds a store.
        """
        if path is None:
            return cls(Path(os.devnull), master_key, os.open(os.devnull, os.O_RDONLY))
        if (path / "log.db").exists():
            raise DataFolderError(
                f"the data folder {path} holds a store of its own, which would be left alone where "
                "MEMORANDA_DATABASE_URL is set: name another folder in MEMORANDA_DATA, or unset it"
            )
        return cls(path, master_key, _private(path))

    def close(self) -> None:
        """Let others have the folder."""
        os.close(self._lock)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Have a folder, which is made if it is new, without any other, whatever is in it or missing.

    Raises DataFolderError, FolderInUseError.
    """
    lock, beside = _private(path), _private(path, BESIDE)
    try:
        _lock(beside, path, fcntl.LOCK_EX)
        _take(lock, path)
        yield
    finally:
        os.close(beside)
        os.close(lock)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Have a folder that is there beside others: nobody `held`s it meanwhile."""
    lock = _share(path)
    try:
        yield
    finally:
        os.close(lock)


def _share(path: Path) -> int:
    """A descriptor of the lock that those who do not have the folder alone share."""
    lock = _private(path, BESIDE)
    try:
        finish_interrupted(path)
        _lock(lock, path, fcntl.LOCK_SH)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _take(lock: int, path: Path) -> None:
    """Have the folder alone, and whole: a restore that was killed is finished first."""
    _lock(lock, path, fcntl.LOCK_EX)
    finish(path)


def _lock(lock: int, path: Path, kind: int) -> None:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderInUseError(
            f"the data folder {path} is in use by another process: "
            "stop it first, or reach it with --url"
        ) from None


def _private(path: Path, name: str = "lock") -> int:
    """Make the folder; a descriptor of a lock file in it."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        return os.open(path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataFolderError(
            f"the data folder {path} cannot be written ({error.strerror}): "
            "choose another with --data, or change its owner"
        ) from None


def _refuse_a_part(path: Path) -> None:
    """Never make a file anew that was there: nothing would open it, or it would open nothing.

    The key store is made first, then the log, then the read models.
    """
    for name, later, cannot in (
        ("keys.db", "log.db", "the log cannot be read"),
        ("log.db", "views.db", "nothing is remembered"),
    ):
        if (path / later).exists() and not (path / name).exists():
            raise DataFolderError(
                f"{path / name} is missing, and without it {cannot}: put it back from its backup"
            )


def _master_key(path: Path) -> bytes:
    """The master key; made at the first start, never again once there is a store."""
    file = path / "master.key"
    try:
        text = file.read_text("ascii").strip()
    except FileNotFoundError:
        if (path / "keys.db").exists():
            raise DataFolderError(
                f"{file} is missing, and without it the store cannot be read: "
                "put it back from its backup"
            ) from None
        return _new_master_key(file)
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != MASTER_KEY_BYTES:
        raise DataFolderError(f"{file} is damaged: put it back from its backup")
    return key


def _new_master_key(file: Path) -> bytes:
    key = secrets.token_bytes(MASTER_KEY_BYTES)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, key.hex().encode() + b"\n")
        os.fsync(handle)
    except OSError as error:
        file.unlink()
        if error.errno == errno.ENOSPC:
            raise DataFolderError(f"the disk of {file.parent} is full: free some space") from None
        raise
    finally:
        os.close(handle)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return key
