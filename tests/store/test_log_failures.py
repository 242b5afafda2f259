"""What callers of the log learn when a connection, a disk or another process fails."""

from __future__ import annotations

import itertools
import sqlite3

import pytest

from commands.store_errors import (
    OutcomeUnknownError,
    StoreBusyError,
    StoreError,
    StoreFullError,
)
from tests.store.building import new_id, row, rows


def fates(*wanted: str | None):
    """What becomes of the commits, in their order; the first one makes the tables."""
    given = itertools.chain([None], wanted, itertools.repeat(None))
    return lambda: next(given)


def test_a_connection_lost_after_the_commit_leaves_the_outcome_open_and_the_rows_there(adapter):
    log = adapter.open_losing_connections(fates("after"))
    lost, next_one = rows(2)

    with pytest.raises(OutcomeUnknownError, match="look whether it is there"):
        log.append([lost], [])

    assert list(log.load({lost.stream: 0})) == [lost.stream]
    log.append([next_one], [])
    assert log.head() == 2


def test_a_connection_lost_before_the_commit_leaves_the_outcome_open_and_nothing_there(adapter):
    log = adapter.open_losing_connections(fates("before"))
    lost, next_one = rows(2)

    with pytest.raises(OutcomeUnknownError):
        log.append([lost], [])

    assert log.load({lost.stream: 0}) == {}
    log.append([lost], [])
    log.append([next_one], [])
    assert log.head() == 2


def test_a_disk_that_is_full_at_the_commit_leaves_nothing_and_the_store_usable(adapter):
    log = adapter.open_losing_connections(fates("full"))
    [waiting] = rows(1)

    with pytest.raises(StoreFullError, match="free some space"):
        log.append([waiting], [])

    assert log.head() == 0
    assert log.append([waiting], []).positions


def test_an_error_of_the_caller_within_an_append_leaves_nothing(log):
    [good] = rows(1)

    with pytest.raises(StoreError):
        log.append([good, row(new_id("mem_"), topic=None)], [])
    with pytest.raises(StoreError):
        log.append([good, row(new_id("mem_"), state=object())], [])

    assert log.head() == 0
    assert log.append([good], []).positions


def pages_left(adapter, count: int):
    """A store whose database may grow by that many pages."""

    class Small(sqlite3.Connection):
        def __init__(self, *arguments, **options) -> None:
            super().__init__(*arguments, **options)
            (pages,) = super().execute("PRAGMA page_count").fetchone()
            super().execute(f"PRAGMA max_page_count = {max(pages, 1) + count}")

    return adapter.open(factory=Small)


@pytest.mark.parametrize("adapter", ["sqlite"], indirect=True)
class TestSqlite:
    """Failures that only a file can have."""

    def test_a_full_disk_writes_nothing_and_says_what_to_do(self, adapter):
        adapter.open().close()
        log = pages_left(adapter, 4)
        log.append(rows(1), [])

        with pytest.raises(StoreFullError, match="free some space"):
            log.append([row(new_id("mem_"), state=bytes(100_000)), *rows(1)], [])

        assert log.head() == 1

    def test_a_full_disk_leaves_the_store_usable(self, adapter):
        adapter.open().close()
        log = pages_left(adapter, 4)
        for _ in range(3):
            with pytest.raises(StoreFullError):
                log.append([row(new_id("mem_"), state=bytes(100_000))], [])

        log.append(rows(1), [])

        assert log.head() == 1

    def test_a_folder_that_became_read_only_writes_nothing_and_says_what_to_do(self, adapter):
        class ReadOnly(sqlite3.Connection):
            def execute(self, sql, *parameters):
                if sql == "BEGIN IMMEDIATE" and ReadOnly.now:
                    super().execute("PRAGMA query_only = ON")
                return super().execute(sql, *parameters)

        ReadOnly.now = False
        log = adapter.open(factory=ReadOnly)
        ReadOnly.now = True

        with pytest.raises(StoreFullError, match="permissions"):
            log.append(rows(1), [])

        assert log.head() == 0

    def test_another_process_that_keeps_the_lock_makes_the_append_give_up_unharmed(self, adapter):
        log = adapter.open(busy_timeout_s=0.05)
        [waiting] = rows(1)
        other = sqlite3.connect(adapter.path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreBusyError, match="try again"):
            log.append([waiting], [])
        assert log.head() == 0, "readers go on"

        other.execute("ROLLBACK")
        other.close()
        assert log.append([waiting], []).positions

    def test_a_reader_does_not_stop_a_writer(self, adapter, log):
        log.append(rows(1), [])
        other = sqlite3.connect(adapter.path, isolation_level=None)
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM event").fetchone() == (1,)

        log.append(rows(1), [])

        assert other.execute("SELECT count(*) FROM event").fetchone() == (1,)
        other.close()
        assert log.head() == 2

    def test_a_reader_that_fails_is_replaced(self, adapter, log):
        log.append(rows(1), [])
        adapter.execute("ALTER TABLE event_ref RENAME TO hidden")
        with pytest.raises(StoreError):
            log.references("w", "slot", "r")

        adapter.execute("ALTER TABLE hidden RENAME TO event_ref")

        assert log.references("w", "slot", "r") == []
