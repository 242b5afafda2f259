"""The data folder of the embedded mode: its files, its master key, its one owner."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ops import master_keys
from ops.backup_switch import finish, finish_interrupted
from ops.folder_errors import DataFolderError, FolderInUseError

BESIDE: Final = "lock.beside"
"""The file that is locked by who shares the folder, and by a restore, which does not."""


MANIFEST: Final = "index.db"
INDEX: Final = "index"

__all__ = ["DataFolder", "DataFolderError", "FolderInUseError", "held", "shared"]


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

    @property
    def manifest(self) -> Path:
        """What the recall index consists of; may be deleted, that is made anew."""
        return self.path / MANIFEST

    @property
    def index(self) -> Path:
        """The folder of the recall index, unless another one is named."""
        return self.path / INDEX

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
                master_keys.finish_rotation(path)
            _refuse_a_part(path)
            return cls(path, master_keys.master_key(path), lock)
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

    def rotate(self, rotation: master_keys.Rotation, new: bytes) -> int:
        """Have another master key (32 bytes) take the place of this one; what `rotation` gives.

        For who has the folder alone. `rotation` gets both keys, and is to change the key store all
        at once or not at all. Raises FolderInUseError while others share the folder.
        """
        beside = _private(self.path, BESIDE)
        try:
            _lock(beside, self.path, fcntl.LOCK_EX)
            return master_keys.rotate(self.path, rotation, self.master_key, new)
        finally:
            os.close(beside)

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
        # A rotation that is at work lets nobody come here: this one was killed.
        if master_keys.is_rotating(path):
            _finish_rotation(path)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _finish_rotation(path: Path) -> None:
    owner = _private(path)
    try:
        _lock(owner, path, fcntl.LOCK_EX)
        master_keys.finish_rotation(path)
    finally:
        os.close(owner)


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
