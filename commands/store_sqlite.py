"""The log in a SQLite file: the library's recorder, with an append and tables of our own.

What the library's own does otherwise (facts/eventstore.md §2.6): ids that may be used twice, a
deferred BEGIN, a connection from a pool for each call, and no further columns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore

from commands.sqlite_files import BUSY_TIMEOUT_S, connect, private_file
from commands.sqlite_readers import Readers
from commands.store_delegating import DelegatingRecorder
from commands.store_reads import SqliteReads
from commands.store_writer import LogWriter
from domain.ports import Clock

WAL_PAGES: Final = 4000
"""Length of the write-ahead log, in pages of 4 KiB, at which it is written back."""


class SqliteRecorder(DelegatingRecorder[LogWriter, SqliteReads], SQLiteApplicationRecorder):
    """The `LogStore` of one data folder, and a recorder of the library.

    Appends take turns, between threads and between processes; reads run beside them. Opens the
    file, or makes it with its tables. Raises StoreFormatError for a file of a newer or another
    program, StoreFullError where it cannot be made, StoreBusyError.
    """

    parts: Final = 1

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        factory: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> None:
        # The library's own connections are made on demand, and nothing here demands any.
        super().__init__(SQLiteDatastore(str(path)), events_table_name="event")
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._factory = factory
        self._writer = LogWriter(self._writing, clock)
        self._readers = Readers(self._reading)
        self._reads = SqliteReads(self._readers)
        self.create_table()

    def _writing(self) -> sqlite3.Connection:
        # Pages of indexes come back often: a longer write-ahead log writes each of them less often.
        pages = f"wal_autocheckpoint = {WAL_PAGES}"
        return connect(
            self._path,
            timeout_s=self._busy_timeout_s,
            factory=self._factory,
            pragmas=("journal_mode = WAL", "synchronous = FULL", pages),
        )

    def _reading(self) -> sqlite3.Connection:
        return connect(self._path, read_only=True, timeout_s=self._busy_timeout_s)

    def construct_create_table_statements(self) -> list[str]:
        """None of the library's tables."""
        return []

    def create_table(self) -> None:
        """Make the file and its tables at the first open; check its format at every one."""
        private_file(self._path)
        try:
            self._writer.create()
        except BaseException:
            self._writer.close()
            raise

    def close(self) -> None:
        """Close all connections."""
        self._readers.close()
        self._writer.close()
        self.datastore.close()

    # --- the library's recorder -------------------------------------------------------------

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        conditions = {
            "e.originator_id = ?": _hex(originator_id),
            "e.originator_version > ?": gt,
            "e.originator_version <= ?": lte,
        }
        order = "e.originator_version DESC" if desc else "e.originator_version"
        return [
            StoredEvent(UUID(row.originator_id), row.version, row.topic, row.state)
            for row in self._reads.rows(conditions, order=order, limit=limit)
        ]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        above = "e.position >= ?" if inclusive_of_start else "e.position > ?"
        conditions = {above: start, "e.position <= ?": stop}
        return [
            Notification(UUID(row.originator_id), row.version, row.topic, row.state, row.position)
            for row in self._reads.rows(conditions, topics=topics, limit=limit)
        ]

    def max_notification_id(self) -> int | None:  # type: ignore[override]  # as its contract says
        return self.head() or None


def _hex(originator_id: UUID | str) -> str:
    return originator_id.hex if isinstance(originator_id, UUID) else originator_id
