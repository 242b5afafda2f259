"""One bit of the log flipped where it lies on the disk."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def flip(data: Path, position: int, column: str = "state") -> None:
    """Flip the last bit of a column where it lies in the file; nobody has it open."""
    with closing(sqlite3.connect(data / "log.db")) as log:
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = f"SELECT {column} FROM event WHERE position = ?"
        (stored,) = log.execute(query, (position,)).fetchone()
    stored = stored if isinstance(stored, bytes) else stored.encode()
    content = (data / "log.db").read_bytes()
    assert content.count(stored) == 1
    end = content.index(stored) + len(stored)
    with (data / "log.db").open("r+b") as file:
        file.seek(end - 1)
        file.write(bytes([content[end - 1] ^ 1]))
