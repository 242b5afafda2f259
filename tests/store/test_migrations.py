"""The database's schema is made by `memoranda migrate` alone, and is what programs look for."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path

import psycopg
import pytest

from commands.clock import SystemClock
from commands.store_errors import StoreError, StoreFormatError
from commands.store_postgres import PostgresRecorder
from ops import migrations
from ops.migrating import LOCK_KEY, check_schema, migrate
from ops.migrations import REVISIONS
from tests.services import fork_server
from tests.store.building import rows

ROOT = Path(__file__).resolve().parents[2]
TABLES = {
    "memoranda_log": {"event", "event_ref", "api_key", "uninterrupted", "schema_version"},
    "memoranda_keys": {"workspace_key", "data_key", "destruction"},
}


def tables(url: str, schema: str) -> set[str]:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = %s", [schema]
        )
        return {name for (name,) in found}


def put_revision(url: str, revision: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE memoranda_log.schema_version SET version_num = %s", [revision])


def test_the_list_of_revisions_is_that_of_the_files_in_their_order():
    folder = Path(migrations.__file__).parent / "versions"
    found = [
        import_module(f"ops.migrations.versions.{file.stem}")
        for file in sorted(folder.glob("v[0-9]*.py"))
    ]

    assert tuple(module.revision for module in found) == REVISIONS
    assert tuple(module.down_revision for module in found) == (None, *REVISIONS[:-1])


def test_an_empty_database_gets_the_schema_and_a_second_time_changes_nothing(empty_postgres_url):
    assert migrate(empty_postgres_url) is None
    assert migrate(empty_postgres_url) == REVISIONS[-1]

    check_schema(empty_postgres_url)
    for schema, expected in TABLES.items():
        assert tables(empty_postgres_url, schema) == expected


def test_six_processes_may_migrate_an_empty_database_at_once(empty_postgres_url):
    processes = [
        fork_server.Started(
            [sys.executable, "-m", "ops.cli", "migrate", "--json"],
            cwd=ROOT,
            env=os.environ | {"MEMORANDA_DATABASE_URL": empty_postgres_url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]

    told = [process.communicate() for process in processes]

    assert [process.returncode for process in processes] == [0] * 6, told
    assert sum('"before": null' in said.replace(":null", ": null") for said, _ in told) == 1
    check_schema(empty_postgres_url)


class TestChecking:
    def test_a_database_without_the_schema_is_refused_with_what_to_do(self, empty_postgres_url):
        with pytest.raises(StoreFormatError, match=r"schema none.*memoranda migrate"):
            check_schema(empty_postgres_url)

    def test_an_older_one_is_refused_with_what_to_do(self, postgres_url, monkeypatch):
        monkeypatch.setattr("ops.migrating.REVISIONS", (*REVISIONS, "9999_later"))

        with pytest.raises(StoreFormatError, match=r"needs 9999_later.*memoranda migrate"):
            check_schema(postgres_url)

    def test_a_newer_one_is_refused_and_not_migrated(self, postgres_url):
        put_revision(postgres_url, "9999_later")

        with pytest.raises(StoreFormatError, match="install the newer program"):
            check_schema(postgres_url)
        with pytest.raises(StoreFormatError, match="install the newer program"):
            migrate(postgres_url)

    def test_a_database_that_does_not_answer_is_no_old_database(self):
        with pytest.raises(StoreError, match="does not answer"):
            check_schema("postgresql://nobody@127.0.0.1:1/none")
        with pytest.raises(StoreError, match="could not be migrated"):
            migrate("postgresql://nobody@127.0.0.1:1/none")


def test_a_migration_waits_for_another_one_and_gives_up_unharmed(empty_postgres_url, monkeypatch):
    monkeypatch.setattr("ops.migrating.WAIT_SECONDS", 1)
    with psycopg.connect(empty_postgres_url) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])

        with pytest.raises(StoreError, match="nothing was changed"):
            migrate(empty_postgres_url)

    assert migrate(empty_postgres_url) is None


def test_a_migration_that_fails_leaves_nothing(empty_postgres_url):
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("CREATE SCHEMA memoranda_keys")

    with pytest.raises(StoreError, match="what was begun is undone"):
        migrate(empty_postgres_url)

    assert tables(empty_postgres_url, "memoranda_log") == set()


class TestRoles:
    """What programs may do is less than what their user may."""

    def as_role(self, url: str, role: str, statement: str) -> None:
        with psycopg.connect(url) as connection:
            connection.execute(f"SET ROLE {role}")
            connection.execute(statement)

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE memoranda_log.event SET state = ''",
            "DELETE FROM memoranda_log.event_ref",
            "TRUNCATE memoranda_log.event",
            "ALTER TABLE memoranda_log.event DISABLE TRIGGER ALL",
            "DROP TABLE memoranda_log.event",
            "UPDATE memoranda_log.api_key SET digest = ''",
            "DELETE FROM memoranda_log.api_key",
            "DELETE FROM memoranda_keys.data_key",
            "UPDATE memoranda_keys.workspace_key SET wrapped_root = ''",
            "SELECT setval('memoranda_log.event_position', 1)",
            "UPDATE memoranda_log.schema_version SET version_num = ''",
        ],
    )
    def test_the_programs_role_may_only_append(self, postgres_url, statement):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            self.as_role(postgres_url, "memoranda_app", statement)

    @pytest.mark.parametrize(
        "statement",
        [
            "INSERT INTO memoranda_log.api_key VALUES ('', '', '', '', '', '', '', '', '', '')",
            "SELECT nextval('memoranda_log.event_position')",
            "SELECT * FROM memoranda_keys.data_key",
            "CREATE TABLE memoranda_log.more (x int)",
        ],
    )
    def test_the_readers_role_sees_no_keys_and_changes_nothing(self, postgres_url, statement):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            self.as_role(postgres_url, "memoranda_reader", statement)

    def test_the_readers_role_reads_the_log(self, postgres_url):
        self.as_role(postgres_url, "memoranda_reader", "SELECT * FROM memoranda_log.event_ref")


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_database_of_every_revision_is_brought_here_with_what_it_holds(
    empty_postgres_url, monkeypatch, revision
):
    with monkeypatch.context() as before:
        before.setattr("ops.migrating.REVISIONS", REVISIONS[: REVISIONS.index(revision) + 1])
        migrate(empty_postgres_url)
    with closing(PostgresRecorder(empty_postgres_url, SystemClock())) as log:
        log.append(rows(3), [])
        held = log.rows_after(0, 10)

    assert migrate(empty_postgres_url) == revision

    check_schema(empty_postgres_url)
    with closing(PostgresRecorder(empty_postgres_url, SystemClock())) as log:
        assert log.rows_after(0, 10) == held
        assert log.append(rows(1), []).positions == (4,)
