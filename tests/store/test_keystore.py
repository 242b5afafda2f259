"""Keys are durable before use, nobody's twice, and destroyed for good."""

from __future__ import annotations

import itertools
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.store_errors import (
    KeyMissingError,
    StoreBusyError,
    StoreError,
    WrongMasterKeyError,
)
from commands.wrapping import unwrap
from domain.ids import decode_id

ROOT = Path(__file__).resolve().parents[2]
MASTER = bytes(range(32))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "keys.db"


@pytest.fixture
def reopened(path, keys):
    """A second key store on the same file, as another process would have it."""
    store = KeyStore.open(path, MASTER, SystemClock())
    yield store
    store.close()


def bytes_of(path: Path) -> bytes:
    """Everything that stands in the file and its write-ahead log."""
    return b"".join(found.read_bytes() for found in sorted(path.parent.iterdir()))


def wrapped(path: Path, key_id: str) -> bytes | None:
    connection = sqlite3.connect(path)
    try:
        row = connection.execute("SELECT wrapped FROM data_key WHERE key_id = ?", [key_id])
        return row.fetchone()[0]
    finally:
        connection.close()


def upper_keys(path: Path, workspace: str) -> list[bytes]:
    """The workspace's key and its root secret, unwrapped by hand."""
    connection = sqlite3.connect(path)
    row = connection.execute(
        "SELECT wrapped_key, wrapped_root FROM workspace_key WHERE workspace = ?", [workspace]
    ).fetchone()
    connection.close()
    key = unwrap(AESGCM(MASTER), row[0], workspace)
    return [key, unwrap(AESGCM(key), row[1], workspace)]


class TestWorkspaces:
    def test_a_workspace_has_no_secrets_until_it_is_ensured(self, keys):
        assert keys.workspace("w") is None

        secrets = keys.ensure_workspace("w")

        assert keys.workspace("w") == secrets == keys.ensure_workspace("w")

    def test_secrets_are_the_same_after_a_restart_and_different_for_each_use(self, keys, reopened):
        secrets = keys.ensure_workspace("w")

        assert reopened.workspace("w") == secrets
        four = {secrets.ids, secrets.slots, secrets.fingerprints, secrets.page_tokens}
        assert {len(secret) for secret in four} == {32}
        assert len(four) == 4

    def test_no_workspace_shares_a_secret_with_another(self, keys):
        assert keys.ensure_workspace("a").ids != keys.ensure_workspace("b").ids

    def test_secrets_are_not_shown(self, keys):
        assert repr(keys.ensure_workspace("w")) == "WorkspaceSecrets()"

    def test_two_processes_that_make_a_workspace_get_the_same_secrets(self, keys, reopened):
        with ThreadPoolExecutor(2) as threads:
            made = list(threads.map(lambda store: store.ensure_workspace("w"), [keys, reopened]))

        assert made[0] == made[1]


class TestMasterKey:
    def test_another_master_key_is_refused_at_open_and_changes_nothing(self, path, keys):
        keys.ensure_workspace("w")
        before = bytes_of(path)

        with pytest.raises(WrongMasterKeyError, match=r"master\.key.*nothing was changed"):
            KeyStore.open(path, bytes(32), SystemClock())

        assert bytes_of(path) == before

    def test_a_master_key_of_another_size_is_refused(self, path):
        with pytest.raises(WrongMasterKeyError, match="32 bytes"):
            KeyStore.open(path, bytes(16), SystemClock())

    def test_a_wrapped_key_of_another_workspace_does_not_open(self, path, keys):
        keys.ensure_workspace("a")
        keys.ensure_workspace("b")
        keys.close()
        connection = sqlite3.connect(path)
        connection.execute(
            "UPDATE workspace_key SET wrapped_key ="
            " (SELECT wrapped_key FROM workspace_key WHERE workspace = 'a')"
        )
        connection.commit()
        connection.close()

        store = KeyStore.open(path, MASTER, SystemClock())

        with pytest.raises(WrongMasterKeyError):
            store.workspace("b")
        store.close()


class TestTaking:
    def test_every_key_is_new_and_has_an_id_of_its_own(self, keys):
        taken = [keys.take(workspace) for workspace in ("a", "b") for _ in range(300)]

        assert len({key_id for key_id, _ in taken}) == len({key for _, key in taken}) == 600
        assert all(decode_id(key_id, "key_") for key_id, _ in taken)
        assert all(len(key) == 32 for _, key in taken)

    def test_a_key_is_on_the_disk_before_anybody_has_it(self, keys, reopened):
        key_id, key = keys.take("w")

        assert reopened.open_keys("w", [key_id]) == {key_id: key}

    def test_keys_of_another_process_are_never_handed_out(self, keys, reopened):
        mine = {keys.take("w")[0] for _ in range(300)}
        others = {reopened.take("w")[0] for _ in range(300)}

        assert not mine & others

    def test_keys_that_a_process_left_unused_stay_unused(self, path, keys):
        keys.take("w")
        keys.close()
        connection = sqlite3.connect(path)
        left = {key_id for (key_id,) in connection.execute("SELECT key_id FROM data_key")}
        connection.close()

        later = KeyStore.open(path, MASTER, SystemClock())

        assert not left & {later.take("w")[0] for _ in range(300)}
        later.close()

    def test_no_two_threads_get_the_same_key(self, keys):
        with ThreadPoolExecutor(8) as threads:
            taken = list(threads.map(lambda _: keys.take("w")[0], range(1000)))

        assert len(set(taken)) == 1000

    def test_a_process_that_dies_at_once_leaves_the_keys_it_was_given(self, path, keys):
        script = (
            "import os, pathlib\n"
            "from commands.clock import SystemClock\n"
            "from commands.keystore import KeyStore\n"
            f"keys = KeyStore.open(pathlib.Path({str(path)!r}), bytes(range(32)), SystemClock())\n"
            "print(keys.take('w')[0], flush=True)\n"
            "os._exit(1)\n"
        )
        died = subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
        )

        [key_id] = died.stdout.split()
        assert keys.open_keys("w", [key_id])[key_id] is not None

    def test_a_pool_does_not_survive_a_fork(self, keys, monkeypatch):
        keys.take("w")
        monkeypatch.setattr("commands.key_pool.os.getpid", lambda: -1)

        with pytest.raises(StoreError, match="fork"):
            keys.take("w")


class TestOpening:
    def test_keys_are_found_again_many_at_a_time(self, keys, reopened):
        taken = dict(keys.take("w") for _ in range(2500))

        assert reopened.open_keys("w", taken) == taken
        assert reopened.open_keys("w", taken) == taken, "from memory"
        assert reopened.open_keys("w", []) == {}

    def test_a_key_that_is_not_there_is_no_destroyed_key(self, keys):
        keys.ensure_workspace("w")

        with pytest.raises(KeyMissingError, match=r"restore keys\.db"):
            keys.open_keys("w", [keys.take("w")[0], "key_" + "0" * 26])

    def test_a_key_of_another_workspace_is_not_there(self, keys):
        key_id, _ = keys.take("a")
        keys.ensure_workspace("b")

        for workspace in ("b", "never made"):
            with pytest.raises(KeyMissingError):
                keys.open_keys(workspace, [key_id])

    def test_a_changed_key_is_noticed(self, path, keys, reopened):
        (one, _), (other, _) = keys.take("w"), keys.take("w")
        connection = sqlite3.connect(path)
        connection.execute("DROP TRIGGER data_key_only_dies")
        connection.execute(
            "UPDATE data_key SET wrapped = (SELECT wrapped FROM data_key WHERE key_id = ?)"
            " WHERE key_id = ?",
            [other, one],
        )
        connection.commit()
        connection.close()

        with pytest.raises(StoreError, match="damaged"):
            reopened.open_keys("w", [one])

    def test_the_audit_key_is_one_per_workspace_and_opens_like_others(self, keys, reopened):
        key_id, key = keys.audit("w")

        assert keys.audit("w") == (key_id, key) == reopened.audit("w")
        assert reopened.open_keys("w", [key_id]) == {key_id: key}
        assert keys.audit("other")[0] != key_id


class TestDestroying:
    def test_a_destroyed_key_is_gone_here_at_once_and_everywhere_after(self, keys, reopened):
        (gone, _), (kept, key) = keys.take("w"), keys.take("w")

        assert keys.destroy("w", [gone]) == 1

        for store in (keys, reopened):
            assert store.open_keys("w", [gone, kept]) == {gone: None, kept: key}

    def test_destroying_again_is_the_same(self, keys):
        taken = [keys.take("w")[0] for _ in range(3)]

        assert [keys.destroy("w", taken) for _ in range(3)] == [3, 3, 3]
        assert keys.open_keys("w", taken) == dict.fromkeys(taken)

    def test_a_key_that_was_never_here_can_be_destroyed_and_wins_over_absent(self, path, keys):
        absent = "key_" + "0" * 26

        assert keys.destroy("w", [absent]) == 1
        assert keys.open_keys("w", [absent]) == {absent: None}

        connection = sqlite3.connect(path)
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("INSERT INTO data_key VALUES (?, 'w', x'00', 'reserved')", [absent])
        connection.close()

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE data_key SET wrapped = x'00', state = 'reserved' WHERE state = 'destroyed'",
            "UPDATE data_key SET workspace = 'other'",
            "DELETE FROM data_key",
        ],
    )
    def test_the_file_refuses_to_bring_a_key_back_or_to_lose_one(self, path, keys, change):
        keys.destroy("w", [keys.take("w")[0]])
        connection = sqlite3.connect(path)

        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(change)
        connection.close()

    def test_nothing_of_a_destroyed_key_stays_in_the_files(self, path, keys):
        key_id, _ = keys.take("w")
        before = wrapped(path, key_id)
        assert before in bytes_of(path)

        keys.destroy("w", [key_id])

        assert before not in bytes_of(path)
        assert before[12:] not in bytes_of(path)

    def test_a_reader_that_holds_on_to_the_traces_is_told_and_a_repeat_removes_them(
        self, path, keys
    ):
        keys._writer.connection.execute("PRAGMA busy_timeout = 20")
        key_id, _ = keys.take("w")
        before = wrapped(path, key_id)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM data_key").fetchone()

        with pytest.raises(StoreBusyError, match="traces"):
            keys.destroy("w", [key_id])
        assert keys.open_keys("w", [key_id]) == {key_id: None}

        reader.close()
        assert keys.destroy("w", [key_id]) == 1
        assert before not in bytes_of(path)

    def test_the_audit_key_is_never_destroyed_nor_what_is_named_with_it(self, keys):
        key_id, key = keys.take("w")
        audit_id, audit = keys.audit("w")

        with pytest.raises(StoreError, match="never destroyed"):
            keys.destroy("w", [key_id, audit_id])

        assert keys.open_keys("w", [key_id, audit_id]) == {key_id: key, audit_id: audit}

    def test_a_key_of_another_workspace_is_not_destroyed(self, keys):
        key_id, key = keys.take("a")

        with pytest.raises(StoreError, match="another workspace"):
            keys.destroy("b", [key_id])

        assert keys.open_keys("a", [key_id]) == {key_id: key}

    def test_a_destroyed_key_of_the_pool_is_not_handed_out(self, path, keys):
        keys.take("w")
        connection = sqlite3.connect(path)
        reserved = connection.execute("SELECT key_id FROM data_key WHERE state = 'reserved'")
        pool = [key_id for (key_id,) in reserved]
        connection.close()

        keys.destroy("w", pool)

        assert keys.take("w")[0] not in pool

    def test_a_key_that_is_read_while_it_is_destroyed_does_not_come_back(self, keys, reopened):
        taken = [keys.take("w")[0] for _ in range(200)]

        with ThreadPoolExecutor(4) as threads:
            reading = [threads.submit(reopened.open_keys, "w", taken) for _ in range(20)]
            destroying = [threads.submit(reopened.destroy, "w", [one]) for one in taken]
            for done in itertools.chain(reading, destroying):
                done.result()

        assert reopened.open_keys("w", taken) == dict.fromkeys(taken)


def test_the_files_hold_no_key_in_the_clear(path, keys):
    secrets = keys.ensure_workspace("w")
    taken = [keys.take("w")[1] for _ in range(300)] + [keys.audit("w")[1]]
    taken += [MASTER, secrets.ids, secrets.slots, secrets.fingerprints, secrets.page_tokens]
    taken += upper_keys(path, "w")

    for _ in range(2):
        written = bytes_of(path)
        assert written
        assert not [key for key in taken if key in written or key.hex().encode() in written]
        keys.close()


def test_a_closed_key_store_says_so(keys):
    keys.close()

    with pytest.raises(StoreError, match="closed"):
        keys.take("w")
