"""What is in a folder in which others are at work."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def entries(folder: Path) -> Iterator[tuple[Path, bytes | None]]:
    """Folders, with None, and files, with their bytes; what goes meanwhile is not there."""
    for parent, folders, files in os.walk(folder, onerror=_unless_gone):
        for name in sorted(folders):
            yield Path(parent, name), None
        for name in sorted(files):
            with suppress(FileNotFoundError):
                yield Path(parent, name), Path(parent, name).read_bytes()


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
