"""A follower who remembers one position misses nothing, however many write.

Positions come from a sequence, and a sequence is not a part of the transaction: writer A may take
41 and B 42, and B commit first. A follower who reads then sees 42, remembers it, and never looks
below again: 41 is lost for every read model, for ever, and nothing tells of it. The library's own
fast path (`POSTGRES_ENABLE_DB_FUNCTIONS`) inserts in a function without a lock, and so does this;
`test_the_librarys_fast_path_loses_an_event` holds A between its insert and its commit, where under
load chance holds it: six writers for six seconds lost 195 of 11,294 events. Ours takes an advisory
lock before the position, keeps it until the commit, and so cannot.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

from commands.clock import SystemClock
from commands.store_errors import StoreBusyError, StreamConflictError
from commands.store_postgres import PostgresRecorder
from commands.store_postgres_writer import LOCK_KEY
from tests.contracts.log_store import follow
from tests.services.ports import wait_until
from tests.store.building import release, rows

PROCESSES = 6
APPENDS = 150


@pytest.fixture
def library(empty_postgres_url):
    """The library's own recorder with its fast path, and its own tables."""
    split = urlsplit(empty_postgres_url)
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("CREATE SCHEMA library")
    datastore = PostgresDatastore(
        dbname=split.path[1:],
        host=split.hostname,
        port=split.port,
        user=split.username,
        password=split.password,
        schema="library",
        enable_db_functions=True,
    )
    with datastore:
        recorder = PostgresApplicationRecorder(datastore, events_table_name="events")
        recorder.create_table()
        yield recorder


def test_the_librarys_fast_path_loses_an_event(library, empty_postgres_url):
    held = uuid4()
    event = f"library.{library.stored_event_type_name}"
    function = f"SELECT library.es_insert_events_uuid(ARRAY[(%s, 1, 't', '')::{event}])"
    with psycopg.connect(empty_postgres_url) as a:
        a.execute(function, [held])
        library.insert_events([StoredEvent(uuid4(), 1, "t", b"")])
        seen = [one.id for one in library.select_notifications(None, 10)]
        a.commit()

    later = library.select_notifications(seen[-1], 10, inclusive_of_start=False)

    assert seen == [2]
    assert later == [], "the event at 1 is committed, and this follower will never see it"
    assert library.select_notifications(None, 1)[0].originator_id == held


def test_ours_lets_nobody_take_a_later_position_before_the_commit(postgres_url):
    with (
        closing(PostgresRecorder(postgres_url, SystemClock(), lock_timeout_s=0.2)) as log,
        psycopg.connect(postgres_url) as a,
    ):
        [first] = log.append(rows(1), []).positions
        held = a.execute(
            # Shared, so that an append that shares it as well would not wait.
            "SELECT pg_advisory_xact_lock_shared(%s), nextval('memoranda_log.event_position')",
            [LOCK_KEY],
        ).fetchone()

        with pytest.raises(StoreBusyError, match="try again"):
            log.append(rows(1), [])
        assert log.head() == first, "readers go on"
        a.commit()

        assert log.append(rows(1), []).positions > (held[1],)


@pytest.mark.parametrize("adapter", ["postgres"], indirect=True)
def test_six_processes_write_and_two_followers_miss_nothing(adapter, log, start):
    script = (
        f"for n in range({APPENDS}): log.append(rows(n % 3 + 1), [], durable=n % 5 > 0)\n"
        "log.close()\n"
    )
    writers = [start(script) for _ in range(PROCESSES)]
    finished = threading.Event()
    taken = rows(1)
    log.append(taken, [])
    with ThreadPoolExecutor(3) as threads:
        followers = [threads.submit(follow, log, finished) for _ in range(2)]
        release(*writers)
        for _ in range(30):
            # Appends that are refused leave holes in the positions, and nothing else.
            with pytest.raises(StreamConflictError):
                log.append([*rows(2), *taken], [])
        ended = [writer.wait() for writer in writers]
        finished.set()
        seen = [follower.result() for follower in followers]

    everything = log.rows_after(0, 100_000)
    assert ended == [0] * PROCESSES
    assert len(everything) == 1 + PROCESSES * APPENDS * 2
    assert seen == [[one.position for one in everything]] * 2
    times = [one.appended_us for one in everything]
    assert times == sorted(times)


def test_an_append_time_is_later_than_one_that_was_committed_while_it_waited(postgres_url):
    """The time is read with what others committed during the wait, not as the statement began."""

    class Fast:
        now = 9_000_000_000_000_000

        def now_us(self) -> int:
            return self.now

    class Slow(Fast):
        now = 1

    with (
        closing(PostgresRecorder(postgres_url, Slow())) as slow,
        closing(PostgresRecorder(postgres_url, Fast())) as fast,
        ThreadPoolExecutor(2) as threads,
        psycopg.connect(postgres_url) as holder,
    ):
        slow.append(rows(1), [])
        holder.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
        waiting = [threads.submit(fast.append, rows(1), [])]
        _until_waiting(holder, 1)
        waiting.append(threads.submit(slow.append, rows(1), []))
        _until_waiting(holder, 2)
        holder.commit()
        first, second = (one.result() for one in waiting)

    assert first.positions < second.positions
    assert second.appended_us == first.appended_us + 1


def _until_waiting(connection: psycopg.Connection, count: int) -> None:
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    wait_until(lambda: connection.execute(query).fetchone() == (count,), "writers to wait")
