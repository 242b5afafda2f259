"""Keys are durable before use, nobody's twice, and destroyed for good: both of our key stores."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.key_sqlite import SqliteKeyRows
from commands.keystore import KeyStore
from commands.store_errors import StoreBusyError
from tests.contracts import key_store
from tests.contracts.key_store import MASTER, upper_keys
from tests.services import fork_server

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class SqliteVault:
    path: Path
    refusal: type[Exception] = sqlite3.IntegrityError
    unguarding: str = "DROP TRIGGER data_key_only_dies"
    _opened: list[KeyStore] = field(default_factory=list)

    def open(self, master_key: bytes = MASTER) -> KeyStore:
        keys = KeyStore.open(self.path, master_key, SystemClock())
        self._opened.append(keys)
        return keys

    def rows(self):
        return closing(SqliteKeyRows(self.path))

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def opening_script(self) -> str:
        return (
            "import pathlib\n"
            f"keys = KeyStore.open(pathlib.Path({str(self.path)!r}), MASTER, SystemClock())\n"
        )

    def close(self) -> None:
        for keys in self._opened:
            keys.close()


@dataclass
class PostgresVault:
    url: str
    refusal: type[Exception] = psycopg.IntegrityError
    unguarding: str = "DROP TRIGGER data_key_only_dies ON data_key"
    _opened: list[KeyStore] = field(default_factory=list)

    def open(self, master_key: bytes = MASTER) -> KeyStore:
        keys = KeyStore.over(PostgresKeyRows(self.url), master_key, SystemClock())
        self._opened.append(keys)
        return keys

    def rows(self):
        return closing(PostgresKeyRows(self.url))

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, options="-c search_path=memoranda_keys") as connection:
            done = connection.execute(sql)
            return [] if done.description is None else done.fetchall()

    def opening_script(self) -> str:
        return (
            "from commands.key_postgres import PostgresKeyRows\n"
            f"keys = KeyStore.over(PostgresKeyRows({self.url!r}), MASTER, SystemClock())\n"
        )

    def close(self) -> None:
        for keys in self._opened:
            keys.close()


@pytest.fixture(params=["sqlite", "postgres"])
def vault(request, tmp_path):
    if request.param == "sqlite":
        made = SqliteVault(tmp_path / "data" / "keys.db")
    else:
        made = PostgresVault(request.getfixturevalue("postgres_url"))
    yield made
    made.close()


class TestWorkspaces(key_store.Workspaces):
    pass


class TestMasterKey(key_store.MasterKey):
    pass


class TestTaking(key_store.Taking):
    def test_a_process_that_dies_at_once_leaves_the_keys_it_was_given(self, vault, keys):
        script = (
            "import os\n"
            "from commands.clock import SystemClock\n"
            "from commands.keystore import KeyStore\n"
            "MASTER = bytes(range(32))\n"
            f"{vault.opening_script()}"
            "print(keys.take('w')[0], flush=True)\n"
            "os._exit(1)\n"
        )
        died = fork_server.finished(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
        )

        [key_id] = died.stdout.split()
        assert keys.open_keys("w", [key_id])[key_id] is not None


class TestOpening(key_store.Opening):
    pass


class TestDestroying(key_store.Destroying):
    pass


class TestRotating(key_store.Rotating):
    pass


class TestSecrecy(key_store.Secrecy):
    pass


def bytes_of(path: Path) -> bytes:
    """Everything that stands in the file and its write-ahead log."""
    return b"".join(found.read_bytes() for found in sorted(path.parent.iterdir()))


@pytest.mark.parametrize("vault", ["sqlite"], indirect=True)
class TestFile:
    """What only a file can do."""

    @pytest.fixture
    def path(self, vault):
        return vault.path

    @pytest.fixture
    def keys(self, vault):
        return vault.open()

    def wrapped(self, vault, key_id: str) -> bytes:
        [(found,)] = vault.execute(f"SELECT wrapped FROM data_key WHERE key_id = '{key_id}'")
        return found

    def test_another_master_key_changes_no_byte(self, vault, path, keys):
        keys.ensure_workspace("w")
        before = bytes_of(path)

        with pytest.raises(key_store.WrongMasterKeyError):
            vault.open(bytes(32))

        assert bytes_of(path) == before

    def test_nothing_of_a_destroyed_key_stays_in_the_files(self, vault, path, keys):
        key_id, _ = keys.take("w")
        before = self.wrapped(vault, key_id)
        assert before in bytes_of(path)

        keys.destroy("w", [key_id])

        assert before not in bytes_of(path)
        assert before[12:] not in bytes_of(path)

    def test_a_reader_that_holds_on_to_the_traces_is_told_and_a_repeat_removes_them(
        self, vault, path, keys
    ):
        keys._rows._writer.connection.execute("PRAGMA busy_timeout = 20")
        key_id, _ = keys.take("w")
        before = self.wrapped(vault, key_id)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM data_key").fetchone()

        with pytest.raises(StoreBusyError, match="traces"):
            keys.destroy("w", [key_id])
        assert keys.open_keys("w", [key_id]) == {key_id: None}

        reader.close()
        assert keys.destroy("w", [key_id]) == 1
        assert before not in bytes_of(path)

    def test_the_files_hold_no_key_in_the_clear(self, vault, path, keys):
        secrets = keys.ensure_workspace("w")
        taken = [keys.take("w")[1] for _ in range(300)] + [keys.audit("w")[1]]
        taken += [MASTER, secrets.ids, secrets.slots, secrets.fingerprints, secrets.page_tokens]
        taken += upper_keys(vault, "w")

        for _ in range(2):
            written = bytes_of(path)
            assert written
            assert not [key for key in taken if key in written or key.hex().encode() in written]
            keys.close()


class TestServer:
    """What only a database server can do."""

    @pytest.fixture
    def vault(self, postgres_url):
        made = PostgresVault(postgres_url)
        yield made
        made.close()

    def test_a_connection_that_died_is_opened_again(self, vault):
        keys = vault.open()
        key_id, key = keys.take("w")
        other = vault.open()

        vault.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'memoranda' AND datname = current_database()"
        )

        assert other.open_keys("w", [key_id]) == {key_id: key}
        assert keys.workspace("w") is not None

    def test_the_table_is_written_anew_after_a_destruction(self, vault):
        keys = vault.open()
        key_id, _ = keys.take("w")
        file = "SELECT pg_relation_filenode('data_key')"
        before = vault.execute(file)

        keys.destroy("w", [key_id])
        keys.compact()

        assert vault.execute(file) != before
