"""The file with the master key of a data folder, and how another one takes its place.

The new key lies beside the old one, on the disk, before the key store is changed, and takes its
place after: so one of the two files opens the key store at any moment.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from ops.folder_errors import DataFolderError

MASTER_KEY_BYTES: Final = 32
FILE: Final = "master.key"
NEXT: Final = "master.key.new"
Rotation: TypeAlias = Callable[[bytes, bytes], int]
"""Old and new key; how many workspaces were changed."""


def master_key(folder: Path) -> bytes:
    """The master key; made at the first start, never again once there is a store."""
    _make_first(folder)
    key = _read(folder / FILE)
    if key is None:
        raise DataFolderError(f"{folder / FILE} is damaged: put it back from its backup")
    return key


def rotate(folder: Path, rotation: Rotation, old: bytes, new: bytes) -> int:
    """For `DataFolder.rotate`: nobody else has the folder, or shares it."""
    _write(folder / NEXT, new)
    try:
        done = rotation(old, new)
    except BaseException:
        finish_rotation(folder)
        raise
    _put_in_place(folder)
    return done


def _put_in_place(folder: Path) -> None:
    """The key beside becomes the master key, at once and for good."""
    (folder / NEXT).replace(folder / FILE)
    _sync(folder)


def is_rotating(folder: Path) -> bool:
    """Whether a rotation is at work, or was interrupted."""
    return (folder / NEXT).exists()


def finish_rotation(folder: Path) -> None:
    """Keep the one of two keys that opens the key store, where a rotation was interrupted.

    For who owns the folder. Raises DataFolderError, and removes neither, where none of them does.
    """
    beside = folder / NEXT
    if not is_rotating(folder) or not (folder / "keys.db").exists():
        return
    key = _read(beside)
    if key is not None and _opens(folder, key):
        _put_in_place(folder)
        return
    old = _read(folder / FILE)
    if old is None or not _opens(folder, old):
        raise DataFolderError(
            f"neither {folder / FILE} nor {beside} opens the key store: put back the key, or the "
            "keys.db, that belong to each other; nothing was changed"
        )
    beside.unlink()
    _sync(folder)


def _opens(folder: Path, key: bytes) -> bool:
    """Whether a key opens the key store; also where there is nothing in it yet."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    from commands.key_sqlite import SqliteKeyRows
    from commands.wrapping import unwrap

    with closing(SqliteKeyRows(folder / "keys.db")) as rows:
        row = rows.any_workspace()
    return row is None or unwrap(AESGCM(key), row.wrapped_key, row.workspace) is not None


def _make_first(folder: Path) -> None:
    file = folder / FILE
    if file.exists():
        return
    if (folder / "keys.db").exists():
        raise DataFolderError(
            f"{file} is missing, and without it the store cannot be read: "
            "put it back from its backup"
        )
    _write(file, secrets.token_bytes(MASTER_KEY_BYTES))


def _read(file: Path) -> bytes | None:
    """The key in a file; None where there is none in it."""
    try:
        key = bytes.fromhex(file.read_text("ascii").strip())
    except (FileNotFoundError, ValueError):
        return None
    return key if len(key) == MASTER_KEY_BYTES else None


def _write(file: Path, key: bytes) -> None:
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
    _sync(file.parent)


def _sync(folder: Path) -> None:
    """Names of files are on the disk, too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
