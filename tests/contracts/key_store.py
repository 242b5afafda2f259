"""What every key store does, as classes to be inherited from.

Who writes other `KeyRows` gives a fixture `vault` (see `Vault`), and inherits `KeyStoreContract`.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, Protocol

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from commands.key_levels import slots_key
from commands.key_rotation import rotate_master
from commands.key_rows import KeyRows
from commands.keystore import KeyStore
from commands.store_errors import KeyMissingError, StoreError, WrongMasterKeyError
from commands.wrapping import unwrap
from domain.ids import decode_id

MASTER = bytes(range(32))
OTHER = bytes(range(1, 33))


SLOTS = b"slots of another store".ljust(32, b".")


class Vault(Protocol):
    """One key store, as the contract needs it."""

    refusal: type[Exception]
    """What its database raises where a rule of its tables is broken."""
    unguarding: str
    """Takes the rule away that a key changes only when it is destroyed."""

    def open(self, master_key: bytes = MASTER) -> KeyStore:
        """Open the key store of this test; every call is another process's."""
        ...

    def rows(self) -> AbstractContextManager[KeyRows]:
        """The rows alone; closes them."""
        ...

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement as the tables' owner; commits."""
        ...


class _Stores:
    @pytest.fixture
    def keys(self, vault):
        return vault.open()

    @pytest.fixture
    def reopened(self, vault, keys):
        """A second key store on the same rows, as another process would have it."""
        return vault.open()


def every_row(vault: Vault) -> list[tuple[Any, ...]]:
    return sorted(
        row
        for table in ("workspace_key", "data_key")
        for row in map(tuple, vault.execute(f"SELECT * FROM {table}"))
    )


def upper_keys(vault: Vault, workspace: str) -> list[bytes]:
    """The workspace's key and its root secret, unwrapped by hand."""
    [(wrapped_key, wrapped_root)] = vault.execute(
        f"SELECT wrapped_key, wrapped_root FROM workspace_key WHERE workspace = '{workspace}'"
    )
    key = unwrap(AESGCM(MASTER), wrapped_key, workspace)
    return [key, unwrap(AESGCM(key), wrapped_root, workspace)]


class Workspaces(_Stores):
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

    def test_an_imported_workspace_has_the_slots_of_where_it_came_from(self, keys, reopened):
        assert keys.import_workspace("w", SLOTS)

        assert keys.workspace("w").slots == reopened.workspace("w").slots == SLOTS
        assert keys.import_workspace("w", SLOTS)
        assert SLOTS not in (keys.workspace("w").ids, keys.ensure_workspace("v").slots)

    def test_a_workspace_that_is_there_keeps_its_own_slots(self, keys, reopened):
        before = keys.ensure_workspace("w")

        assert not reopened.import_workspace("w", SLOTS)

        assert keys.workspace("w") == reopened.workspace("w") == before

    def test_the_secret_of_imported_slots_is_never_destroyed(self, keys):
        keys.import_workspace("w", SLOTS)

        with pytest.raises(StoreError):
            keys.destroy("w", [slots_key("w")])

        assert keys.workspace("w").slots == SLOTS


class MasterKey(_Stores):
    def test_another_master_key_is_refused_at_open_and_changes_nothing(self, vault, keys):
        keys.ensure_workspace("w")
        before = every_row(vault)

        with pytest.raises(WrongMasterKeyError, match=r"master\.key.*nothing was changed"):
            vault.open(bytes(32))

        assert every_row(vault) == before

    def test_a_master_key_of_another_size_is_refused(self, vault):
        with pytest.raises(WrongMasterKeyError, match="32 bytes"):
            vault.open(bytes(16))

    def test_a_wrapped_key_of_another_workspace_does_not_open(self, vault, keys):
        keys.ensure_workspace("a")
        keys.ensure_workspace("b")
        vault.execute(
            "UPDATE workspace_key SET wrapped_key ="
            " (SELECT wrapped_key FROM workspace_key WHERE workspace = 'a')"
        )

        with pytest.raises(WrongMasterKeyError):
            vault.open().workspace("b")


class Taking(_Stores):
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

    def test_no_two_threads_get_the_same_key(self, keys):
        with ThreadPoolExecutor(8) as threads:
            taken = list(threads.map(lambda _: keys.take("w")[0], range(1000)))

        assert len(set(taken)) == 1000

    def test_a_pool_does_not_survive_a_fork(self, keys, monkeypatch):
        keys.take("w")
        monkeypatch.setattr("commands.key_pool.os.getpid", lambda: -1)

        with pytest.raises(StoreError, match="fork"):
            keys.take("w")

    def test_keys_that_a_process_left_unused_stay_unused(self, vault, keys):
        keys.take("w")
        keys.close()
        left = {key_id for (key_id,) in vault.execute("SELECT key_id FROM data_key")}

        later = vault.open()

        assert not left & {later.take("w")[0] for _ in range(300)}


class Opening(_Stores):
    def test_keys_are_found_again_many_at_a_time(self, keys, reopened):
        taken = dict(keys.take("w") for _ in range(2500))

        assert reopened.open_keys("w", taken) == taken
        assert reopened.open_keys("w", taken) == taken, "from memory"
        assert reopened.open_keys("w", []) == {}

    def test_a_key_that_is_not_there_is_no_destroyed_key(self, keys):
        keys.ensure_workspace("w")

        with pytest.raises(KeyMissingError, match=r"restore .*key"):
            keys.open_keys("w", [keys.take("w")[0], "key_" + "0" * 26])

    def test_a_key_of_another_workspace_is_not_there(self, keys):
        key_id, _ = keys.take("a")
        keys.ensure_workspace("b")

        for workspace in ("b", "never made"):
            with pytest.raises(KeyMissingError):
                keys.open_keys(workspace, [key_id])

    def test_the_audit_key_is_one_per_workspace_and_opens_like_others(self, keys, reopened):
        key_id, key = keys.audit("w")

        assert keys.audit("w") == (key_id, key) == reopened.audit("w")
        assert reopened.open_keys("w", [key_id]) == {key_id: key}
        assert keys.audit("other")[0] != key_id

    def test_a_changed_key_is_noticed(self, vault, keys, reopened):
        (one, _), (other, _) = keys.take("w"), keys.take("w")
        vault.execute(vault.unguarding)
        vault.execute(
            f"UPDATE data_key SET wrapped = (SELECT wrapped FROM data_key WHERE key_id = '{other}')"
            f" WHERE key_id = '{one}'"
        )

        with pytest.raises(StoreError, match="damaged"):
            reopened.open_keys("w", [one])


class Destroying(_Stores):
    def test_a_destroyed_key_is_gone_here_at_once_and_everywhere_after(self, keys, reopened):
        (gone, lost), (kept, key) = keys.take("w"), keys.take("w")
        # Asked before, so that what is in memory is in use.
        for store in (keys, reopened):
            assert store.open_keys("w", [gone, kept]) == {gone: lost, kept: key}

        assert keys.destroy("w", [gone]) == 1

        for store in (keys, reopened):
            assert store.open_keys("w", [gone, kept]) == {gone: None, kept: key}

    def test_destroying_again_is_the_same(self, keys):
        taken = [keys.take("w")[0] for _ in range(3)]

        assert [keys.destroy("w", taken) for _ in range(3)] == [3, 3, 3]
        assert keys.open_keys("w", taken) == dict.fromkeys(taken)

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

    def test_a_key_that_is_read_while_it_is_destroyed_does_not_come_back(self, keys, reopened):
        taken = [keys.take("w")[0] for _ in range(200)]

        with ThreadPoolExecutor(4) as threads:
            reading = [threads.submit(reopened.open_keys, "w", taken) for _ in range(20)]
            destroying = [threads.submit(reopened.destroy, "w", [one]) for one in taken]
            for done in itertools.chain(reading, destroying):
                done.result()

        assert reopened.open_keys("w", taken) == dict.fromkeys(taken)

    def test_a_key_that_another_process_has_in_memory_is_gone_there_too(self, keys, reopened):
        taken = dict(keys.take("w") for _ in range(3))
        for store in (keys, reopened):
            assert store.open_keys("w", taken) == taken
        [gone, *_] = taken

        reopened.destroy("w", [gone])

        assert keys.open_keys("w", taken) == taken | {gone: None}
        assert reopened.open_keys("w", taken) == taken | {gone: None}

    def test_a_key_that_was_never_here_can_be_destroyed_and_wins_over_absent(self, vault, keys):
        absent = "key_" + "0" * 26

        assert keys.destroy("w", [absent]) == 1
        assert keys.open_keys("w", [absent]) == {absent: None}

        with pytest.raises(vault.refusal):
            vault.execute(f"INSERT INTO data_key VALUES ('{absent}', 'w', '', 'reserved')")

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE data_key SET wrapped = '', state = 'reserved' WHERE state = 'destroyed'",
            "UPDATE data_key SET workspace = 'other'",
            "UPDATE data_key SET key_id = 'other' WHERE state = 'audit'",
            "DELETE FROM data_key",
        ],
    )
    def test_the_tables_refuse_to_bring_a_key_back_or_to_lose_one(self, vault, keys, change):
        keys.destroy("w", [keys.take("w")[0]])

        with pytest.raises(vault.refusal):
            vault.execute(change)

    def test_no_row_holds_a_destroyed_key(self, vault, keys):
        key_id, _ = keys.take("w")
        one = f"SELECT wrapped FROM data_key WHERE key_id = '{key_id}'"
        [(before,)] = vault.execute(one)
        assert before

        keys.destroy("w", [key_id])
        keys.compact()

        assert vault.execute(one) == [(None,)]
        assert keys.open_keys("w", [key_id, keys.take("w")[0]])[key_id] is None

    def test_a_destroyed_key_of_the_pool_is_not_handed_out(self, vault, keys):
        keys.take("w")
        reserved = vault.execute("SELECT key_id FROM data_key WHERE state = 'reserved'")
        pool = [key_id for (key_id,) in reserved]

        keys.destroy("w", pool)

        assert keys.take("w")[0] not in pool


class Secrecy(_Stores):
    def test_the_rows_hold_no_key_in_the_clear(self, vault, keys):
        secrets = keys.ensure_workspace("w")
        taken = [keys.take("w")[1] for _ in range(300)] + [keys.audit("w")[1]]
        taken += [MASTER, secrets.ids, secrets.slots, secrets.fingerprints, secrets.page_tokens]
        taken += upper_keys(vault, "w")

        written = b"".join(
            value if isinstance(value, bytes) else str(value).encode()
            for row in every_row(vault)
            for value in row
        )

        assert written
        assert not [key for key in taken if key in written or key.hex().encode() in written]

    def test_a_closed_key_store_says_so(self, keys):
        keys.close()

        with pytest.raises(StoreError, match="closed"):
            keys.take("w")


class Rotating(_Stores):
    """Another master key opens what the one before opened."""

    @pytest.fixture
    def filled(self, vault, keys):
        """What the key store of three workspaces says, and it is closed."""
        said = {name: keys.ensure_workspace(name) for name in ("a", "b", "c")}
        taken = dict([keys.take("a")])
        keys.close()
        return said, taken

    def test_the_new_key_opens_all_and_the_old_one_nothing(self, vault, filled):
        said, taken = filled

        with vault.rows() as rows:
            assert rotate_master(rows, MASTER, OTHER) == 3

        store = vault.open(OTHER)
        assert {name: store.workspace(name) for name in said} == said
        assert store.open_keys("a", taken) == taken
        with pytest.raises(WrongMasterKeyError):
            vault.open(MASTER)

    def test_a_repeat_finds_it_done(self, vault, filled):
        with vault.rows() as rows:
            rotate_master(rows, MASTER, OTHER)
            before = every_row(vault)

            assert rotate_master(rows, MASTER, OTHER) == 0

        assert every_row(vault) == before

    def test_a_key_under_neither_leaves_everything_as_it_was(self, vault, filled):
        vault.execute("UPDATE workspace_key SET wrapped_key = wrapped_root WHERE workspace = 'b'")
        before = every_row(vault)

        with vault.rows() as rows, pytest.raises(WrongMasterKeyError, match="nothing was changed"):
            rotate_master(rows, MASTER, OTHER)

        assert every_row(vault) == before

    @pytest.mark.parametrize(("old", "new"), [(MASTER, b""), (bytes(31), MASTER)])
    def test_a_key_of_another_size_is_refused(self, vault, filled, old, new):
        with vault.rows() as rows, pytest.raises(WrongMasterKeyError, match="32 bytes"):
            rotate_master(rows, old, new)


class KeyStoreContract(Workspaces, MasterKey, Taking, Opening, Destroying, Rotating, Secrecy):
    """All of it."""
