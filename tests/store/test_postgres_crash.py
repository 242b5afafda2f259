"""A PostgreSQL that is killed and started again, under a log that is in use."""

from __future__ import annotations

from contextlib import closing

import pytest

from commands.clock import SystemClock
from commands.store_errors import StoreError
from commands.store_postgres import PostgresRecorder
from ops.migrating import migrate
from tests.services.postgres_server import PostgresServer
from tests.store.building import rows


@pytest.fixture
def server(service_folder):
    """It writes its log back when it must: a crash loses what need not be on the disk."""
    made = PostgresServer(service_folder / "server", {"wal_writer_delay": "10s"})
    made.start()
    migrate(made.url)
    yield made
    made.remove()


@pytest.fixture
def log(server):
    with closing(PostgresRecorder(server.url, SystemClock())) as made:
        yield made


MANY = 100
"""More than PostgreSQL notes ahead of its sequences: the positions are lost with the events."""


def appended(log: PostgresRecorder, count: int = 1, *, durable: bool = True) -> int:
    """The last position of so many events; the first try may find the connection dead."""
    try:
        return log.append(rows(count), [], durable=durable).positions[-1]
    except StoreError:
        return log.append(rows(count), [], durable=durable).positions[-1]


def test_a_crash_takes_nothing_that_was_appended_durably(server, log):
    given = [appended(log) for _ in range(5)]

    server.crash()
    with pytest.raises(StoreError):
        log.append(rows(1), [])
    server.start()

    assert [one.position for one in log.rows_after(0, 10)] == given
    assert appended(log) > given[-1]


def test_a_position_that_was_seen_and_lost_in_a_crash_is_not_used_again(server, log):
    seen = [appended(log)]

    for _ in range(3):
        appended(log, MANY, durable=False)
        seen.append(log.head())
        server.crash()
        server.start()
        assert log.head() < seen[-1], "or the crash lost nothing, and shows nothing"
        seen.append(appended(log, durable=False))

    assert seen == sorted(set(seen))


def test_a_restart_in_good_order_loses_nothing_and_leaves_no_hole(server, log):
    first = appended(log, durable=False)

    server.stop()
    server.start()

    assert log.head() == first
    assert appended(log) == first + 1
