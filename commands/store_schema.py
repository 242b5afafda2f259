"""The tables of log.db (design.md §3). Events and references are inserted, never changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

VERSION: Final = 1

_TABLES: Final = (
    """
    CREATE TABLE event (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      originator_id TEXT NOT NULL,
      originator_version INTEGER NOT NULL,
      topic TEXT NOT NULL,
      state BLOB NOT NULL,
      event_hash BLOB NOT NULL,
      workspace TEXT NOT NULL,
      part INTEGER,
      appended_at INTEGER NOT NULL,
      UNIQUE (originator_id, originator_version)
    )
    """,
    "CREATE INDEX event_workspace ON event (workspace, position)",
    """
    CREATE TABLE event_ref (
      workspace TEXT NOT NULL,
      kind TEXT NOT NULL,
      ref TEXT NOT NULL,
      stream TEXT NOT NULL,
      position INTEGER NOT NULL,
      PRIMARY KEY (workspace, kind, ref, position, stream)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE api_key (
      key_id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      workspace TEXT,
      actor TEXT,
      agent TEXT,
      permissions TEXT NOT NULL,
      expires_at TEXT,
      created_at TEXT NOT NULL,
      revoked_at TEXT
    )
    """,
    # INSERT OR REPLACE deletes without the triggers of DELETE. A row of event_ref is its key, so
    # that replacing one changes nothing.
    """
    CREATE TRIGGER event_refuses_replace BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE position = NEW.position)
      OR EXISTS (
        SELECT 1 FROM event
        WHERE originator_id = NEW.originator_id AND originator_version = NEW.originator_version
      )
    BEGIN SELECT RAISE(ABORT, 'the log is append-only: this event is there already'); END
    """,
)


def _triggers() -> Iterator[str]:
    for table in ("event", "event_ref"):
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_refuses_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, "
                f"'the log is append-only: {change} is refused, append another event'); END"
            )


STATEMENTS: Final = (*_TABLES, *_triggers())
