"""What an export or an import has to know of the whole before it can judge a row.

It is kept in a temporary database, so that a log of any length takes the same memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, Self

from domain.exports import Grave

_TABLES: Final = """
CREATE TABLE grave (name TEXT PRIMARY KEY, stream TEXT NOT NULL, position INTEGER NOT NULL,
  mode TEXT NOT NULL, scope TEXT NOT NULL, session TEXT NOT NULL, recorded_us INTEGER NOT NULL,
  versions TEXT, used INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX grave_stream ON grave (stream);
CREATE TABLE member (stream TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_GRAVES: Final = (
    "SELECT name, stream, position, mode, scope, session, recorded_us, versions"
    " FROM json_each(?) AS wanted CROSS JOIN grave ON stream = wanted.value ORDER BY position"
)


class Spool:
    """Graves by the memory that they are of, and the streams that belong to what is exported."""

    def __init__(self) -> None:
        # An empty name is a private database on the disk that is gone when it is closed.
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(f"PRAGMA synchronous = OFF; {_TABLES}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def bury(self, graves: Iterable[Grave]) -> None:
        """Remember graves; one that is known is known."""
        self._database.executemany(
            "INSERT OR IGNORE INTO grave VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            [
                (*one[:7], None if one.versions is None else json.dumps(list(one.versions)))
                for one in graves
            ],
        )

    def graves(self, streams: Iterable[str]) -> dict[str, list[Grave]]:
        """The graves of these memories, each by position."""
        found: defaultdict[str, list[Grave]] = defaultdict(list)
        for *said, versions in self._database.execute(_GRAVES, (json.dumps(sorted(set(streams))),)):
            grave = Grave._make([*said, None if versions is None else json.loads(versions)])
            found[grave.stream].append(grave)
        return dict(found)

    def use(self, name: str) -> None:
        """Note that a grave is why a payload is missing."""
        self._database.execute("UPDATE grave SET used = 1 WHERE name = ?", (name,))

    def used_after(self, position: int) -> Iterable[tuple[str, int]]:
        """(stream, position) of the graves that were used and stand after a position."""
        return self._database.execute(
            "SELECT stream, position FROM grave WHERE used AND position > ? ORDER BY position",
            (position,),
        )

    def join(self, streams: Iterable[str]) -> None:
        """Note streams that belong to the export."""
        self._database.executemany(
            "INSERT OR IGNORE INTO member VALUES (?)", [(one,) for one in streams]
        )

    def members(self, streams: Iterable[str]) -> set[str]:
        """Those of the streams that belong to it."""
        wanted = json.dumps(sorted(set(streams)))
        return {
            stream
            for (stream,) in self._database.execute(
                "SELECT stream FROM json_each(?) AS wanted CROSS JOIN member"
                " ON stream = wanted.value",
                (wanted,),
            )
        }
