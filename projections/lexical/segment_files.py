"""The files of a segment as bytes: on the disk for good, and known by their digest."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

_CHUNK: Final = 1 << 20


class SegmentError(Exception):
    """A segment that cannot be used as it is: it is dropped, and written anew from the log."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"the segment {name} {why}")
        self.name = name


def digest_of(folder: Path) -> str:
    """SHA-256 over names, sizes and bytes of all files of a directory, in hexadecimal.

    A directory that has another directory in it, or cannot be read, is no segment: SegmentError.
    """
    whole = hashlib.sha256()
    try:
        for path in sorted(folder.iterdir()):
            if path.is_symlink() or not path.is_file():
                raise SegmentError(folder.name, "holds what no segment does")
            with path.open("rb") as file:
                one = hashlib.file_digest(file, "sha256")
                size = file.tell()
            whole.update(f"{path.name}\n{size}\n".encode() + one.digest())
    except OSError as error:
        raise SegmentError(folder.name, f"cannot be read: {error.strerror}") from error
    return whole.hexdigest()


def sync_directory(folder: Path) -> None:
    """All files of a directory, and the directory itself, are on the disk when this returns."""
    for path in [*folder.iterdir(), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def size_of(folder: Path) -> int:
    """Bytes of all files of a directory."""
    return sum(path.stat().st_size for path in folder.iterdir())
