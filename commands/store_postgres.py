"""The log in PostgreSQL: the library's recorder, with an append and tables of our own.

What the library's own does otherwise (docs/adr): a table lock and a NOTIFY in fourteen round trips,
or a function without any lock; tables made at every start; a blind second try after a lost
connection; and no further columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

import psycopg
from eventsourcing.persistence import Notification, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

from commands.postgres_connections import READER_ROLE, WRITER_ROLE, Connection, connect
from commands.postgres_readers import Readers
from commands.store_delegating import DelegatingRecorder
from commands.store_postgres_reads import PostgresReads
from commands.store_postgres_writer import LogWriter
from domain.ports import Clock

PARTS: Final = 64


class _NoDatastore(PostgresDatastore):
    """The library's recorder wants one; nothing is ever asked of its pool, which stays closed."""

    def __init__(self) -> None:
        super().__init__(dbname="", host="", port="", user="", password="", schema="memoranda_log")

    def register_type_adapters(self) -> None:
        """There is no composite type: arrays are sent."""


class PostgresRecorder(DelegatingRecorder[LogWriter, PostgresReads], PostgresApplicationRecorder):
    """The `LogStore` of one database, and a recorder of the library.

    Appends take turns, between threads, processes and machines; reads run beside them, read only,
    on connections of their own. Opening connects and makes nothing: the schema is made by
    `memoranda migrate`. Raises StoreError where the database does not answer.
    """

    parts: Final = PARTS

    def __init__(
        self,
        url: str,
        clock: Clock,
        *,
        lock_timeout_s: float = 5.0,
        factory: type[Connection] = psycopg.Connection,
    ) -> None:
        super().__init__(_NoDatastore(), events_table_name="event")

        def connected(role: str, **settings: str) -> Callable[[], Connection]:
            timeouts = {"lock_timeout": f"{int(lock_timeout_s * 1000)}ms"}
            return lambda: connect(url, role, settings=timeouts | settings, factory=factory)

        # What an append costs does not depend on its values: it is planned once.
        self._writer = LogWriter(
            connected(WRITER_ROLE, plan_cache_mode="force_generic_plan"), clock
        )
        self._readers = Readers(connected(READER_ROLE, default_transaction_read_only="on"))
        self._reads = PostgresReads(self._readers)
        self._writer.open()

    def create_table(self) -> None:
        """None: tables are made by migrations alone."""

    def close(self) -> None:
        """Close all connections."""
        self._readers.close()
        self._writer.close()
        self.datastore.close()

    def part_heads(self) -> dict[int, int]:
        """The last position of each part that has events: one look at an index for each."""
        return self._reads.part_heads(PARTS)

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
            "e.originator_id =": UUID(str(originator_id)),
            "e.originator_version >": gt,
            "e.originator_version <=": lte,
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
        above = "e.position >=" if inclusive_of_start else "e.position >"
        conditions = {above: start, "e.position <=": stop}
        return [
            Notification(UUID(row.originator_id), row.version, row.topic, row.state, row.position)
            for row in self._reads.rows(conditions, topics=topics, limit=limit)
        ]

    def max_notification_id(self) -> int | None:
        return self.head() or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Any:
        """Refused: appends send no NOTIFY. Follow `rows_after`."""
        raise NotImplementedError("the log is followed by position: see rows_after")
