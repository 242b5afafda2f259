"""What the library's own recorder does, or a database may be set to, and what ours must not."""

from __future__ import annotations

import secrets
import subprocess
from contextlib import closing
from threading import Barrier, Thread

import psycopg
import pytest

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.postgres_readers import READERS_MAX
from commands.store_errors import StoreBusyError, StoreError, StoreFormatError
from commands.store_postgres import PARTS, PostgresRecorder
from commands.store_rows import part_of
from ops.migrating import check_schema
from tests.services.databases import of_database
from tests.store.building import SetClock, new_id, ref, release, row, rows

pytestmark = pytest.mark.parametrize("adapter", ["postgres"], indirect=True)

SHOWS_COMMITS = """
CREATE TABLE seen (value text);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  INSERT INTO memoranda_log.seen VALUES (current_setting('synchronous_commit'));
  RETURN NULL;
END $$;
CREATE TRIGGER look AFTER INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION look();
"""


def asked(adapter, query: str) -> list[tuple]:
    with psycopg.connect(adapter.url, options="-c search_path=memoranda_log") as connection:
        return connection.execute(query).fetchall()


def writer(log: PostgresRecorder) -> psycopg.Connection:
    return log._writer._writer.connection


class TestTheAppend:
    def test_is_one_round_trip(self, log, tmp_path):
        [first, second] = rows(2)
        log.append([first], [ref(first.stream, 0)])  # which prepares the statement
        trace = tmp_path / "trace"
        with trace.open("w") as file:
            writer(log).pgconn.trace(file.fileno())
            log.append([second, *rows(2)], [ref(second.stream, 0)])
            writer(log).pgconn.untrace()

        sent = [line.split("\t") for line in trace.read_text().splitlines()]
        assert [message for _, sender, _, message, *_ in sent if sender == "F"] == [
            "Bind",
            "Describe",
            "Execute",
            "Sync",
        ]

    def test_sends_no_notification(self, adapter, log):
        with psycopg.connect(adapter.url, autocommit=True) as listener:
            for channel in ("event", "stored_events", "memoranda_events"):
                listener.execute(f"LISTEN {channel}")
            log.append(rows(3), [])

            assert list(listener.notifies(timeout=0)) == []

    @pytest.mark.parametrize("default", ["on", "off"])
    def test_waits_for_the_disk_where_it_is_asked_to_whatever_the_default(self, adapter, default):
        adapter.execute(SHOWS_COMMITS)
        adapter.execute(_alter(adapter, f"synchronous_commit = '{default}'"))
        log = adapter.open()

        for durable in (True, False, True):
            log.append(rows(1), [], durable=durable)

        assert asked(adapter, "SELECT value FROM seen") == [("on",), ("off",), ("on",)]

    def test_of_many_rows_numbers_them_in_their_order(self, log):
        given = rows(3_000)
        refs = [ref(one.stream, index, name=one.stream) for index, one in enumerate(given)]

        appended = log.append(given, refs)

        assert appended.positions == tuple(range(1, 3_001))
        assert [one.state for one in log.rows_after(0, 5_000)] == [one.state for one in given]
        for index in (0, 1_499, 2_999):
            assert log.references("w", "slot", given[index].stream) == [
                (given[index].stream, index + 1)
            ]

    def test_of_text_that_postgresql_cannot_hold_writes_nothing(self, log):
        with pytest.raises(StoreError):
            log.append([*rows(1), row(new_id("mem_"), workspace="a\0b")], [])

        assert log.head() == 0

    def test_gives_up_where_others_keep_the_lock_and_writes_nothing(self, adapter):
        from commands.store_postgres_writer import LOCK_KEY

        log = adapter.open(lock_timeout_s=0.05)
        with psycopg.connect(adapter.url) as other:
            other.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
            with pytest.raises(StoreBusyError, match="try again"):
                log.append(rows(1), [])
            assert log.head() == 0, "readers go on"

        assert log.append(rows(1), []).positions


class TestTheSession:
    def test_is_what_we_need_whatever_the_database_has_as_its_default(self, adapter):
        for bad in (
            "default_transaction_isolation = 'serializable'",
            "statement_timeout = '3s'",
            "search_path = nowhere",
        ):
            adapter.execute(_alter(adapter, bad))
        log = adapter.open()

        log.append(rows(1), [])

        assert log.head() == 1
        for session in (writer(log), log._readers._idle[0]):
            shown = [
                session.execute(f"SHOW {name}").fetchone()
                for name in ("default_transaction_isolation", "statement_timeout")
            ]
            assert shown == [("read committed",), ("1min",)]

    def test_that_reads_can_change_nothing(self, log):
        with pytest.raises(StoreError, match="cannot be written"):
            log._readers.fetch("CREATE TEMP TABLE x AS SELECT 1", {})
        with pytest.raises(StoreError):
            log._readers.fetch("DELETE FROM memoranda_log.event RETURNING 1", {})

    def test_after_a_fork_is_the_childs_own(self, start):
        script = (
            "import os\n"
            "log.append(rows(1), [])\n"
            "log.head()\n"
            "if not (child := os.fork()):\n"
            "    log.append(rows(1), [])\n"
            "    os._exit(0 if log.head() == 2 else 1)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
            "log.append(rows(1), [])\n"
            "print(log.head())\n"
            "log.close()\n"
        )
        process: subprocess.Popen = start(script)
        release(process)

        assert process.stdout.read().split() == ["0", "3"]
        assert process.wait() == 0

    def test_is_shared_by_more_threads_than_there_are_connections(self, adapter, log):
        log.append(rows(1), [])
        heads: list[int] = []
        together = Barrier(3 * READERS_MAX)

        def read() -> None:
            together.wait()
            heads.append(log.head())

        threads = [Thread(target=read) for _ in range(3 * READERS_MAX)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert heads == [1] * 3 * READERS_MAX
        [(count,)] = asked(
            adapter,
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'memoranda' AND datname = current_database()",
        )
        assert count <= READERS_MAX + 1


class TestTheSchema:
    def test_is_not_made_by_opening_a_store(self, adapter, empty_postgres_url):
        with closing(PostgresRecorder(empty_postgres_url, SystemClock())) as log:
            for use in (log.head, lambda: log.append(rows(1), [])):
                with pytest.raises(StoreFormatError, match="memoranda migrate"):
                    use()

        with psycopg.connect(empty_postgres_url) as connection:
            found = connection.execute("SELECT 1 FROM pg_class WHERE relname = 'event'")
            assert found.fetchone() is None

    def test_holds_nothing_of_the_librarys(self, adapter, log):
        log.append(rows(1), [])

        names = asked(
            adapter,
            "SELECT proname FROM pg_proc WHERE pronamespace = 'memoranda_log'::regnamespace"
            " UNION SELECT typname FROM pg_type WHERE typname LIKE 'stored_event%'",
        )
        assert set(names) == {("begin_append",), ("refuse_change",)}

    def test_is_used_by_a_login_that_may_do_nothing_but_what_programs_do(self, adapter):
        name, password = f"program_{secrets.token_hex(4)}", secrets.token_hex(8)
        adapter.execute(
            f"CREATE ROLE {name} LOGIN NOINHERIT PASSWORD '{password}';"
            f"GRANT memoranda_app, memoranda_reader TO {name}"
        )
        database = psycopg.conninfo.conninfo_to_dict(adapter.url)["dbname"]
        url = of_database(adapter.url, database, f"{name}:{password}")

        with (
            closing(PostgresRecorder(url, SetClock())) as log,
            closing(KeyStore.over(PostgresKeyRows(url), bytes(32), SystemClock())) as keys,
        ):
            log.append(rows(1), [])
            keys.destroy("w", [keys.take("w")[0]])
            keys.compact()
            assert log.head() == 1
        check_schema(url)

        adapter.execute(f"DROP ROLE {name}")

    def test_tells_a_user_who_is_no_member_what_to_do(self, adapter):
        name, password = f"stranger_{secrets.token_hex(4)}", secrets.token_hex(8)
        adapter.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
        database = psycopg.conninfo.conninfo_to_dict(adapter.url)["dbname"]

        url = of_database(adapter.url, database, f"{name}:{password}")

        for use in (lambda: PostgresRecorder(url, SystemClock()), lambda: check_schema(url)):
            with pytest.raises(StoreError, match="GRANT memoranda_app, memoranda_reader"):
                use()

        adapter.execute(f"DROP ROLE {name}")


def test_a_workspace_has_one_of_sixty_four_parts_and_receipts_have_none(adapter, log):
    assert log.parts == PARTS == 64
    parts = {part_of(new_id("mem_"), f"workspace {number}", log.parts) for number in range(2_000)}

    assert parts == set(range(64))
    assert part_of(new_id("receipt_"), "w", log.parts) is None


def _alter(adapter, setting: str) -> str:
    database = psycopg.conninfo.conninfo_to_dict(adapter.url)["dbname"]
    return f'ALTER DATABASE "{database}" SET {setting}'
