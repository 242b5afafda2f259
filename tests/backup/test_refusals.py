"""What cannot be backed up or restored is refused with a remedy, and nothing is changed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from contextlib import closing

import psycopg
import pytest

from commands.sqlite_files import connect
from commands.store_errors import StoreError, WrongMasterKeyError
from domain.canonical import canonical
from ops.backup_erasures import backup_erasures
from ops.backup_format import BackupError, Manifest, read_manifest
from ops.backup_stage import Given
from ops.data_folder import DataFolder, DataFolderError
from tests.backup.worlds import said, state_of
from tests.cli.processes import environment
from tests.faults.mounts import NAMESPACE, needs_mounts
from tests.services.cutting_proxy import CuttingProxy

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def backed_up(new_world, tmp_path):
    """A folder with a store, and its backup."""
    world = new_world("folder")
    with world.open() as talk:
        talk.remember(**said("text"))
    world.backup(tmp_path / "backup")
    return world, tmp_path / "backup"


def refused(world, given, words, error=BackupError, **target):
    """A restore that is refused, and changes nothing."""
    before = state_of(world.folder) if (world.folder / "log.db").exists() else None
    with pytest.raises(error, match=words):
        world.restore(given, **target)
    if before is None:
        assert not (world.folder / "log.db").exists()
    else:
        assert state_of(world.folder) == before
    assert not (world.folder / "restore.new").exists()


def test_a_store_that_is_there(backed_up):
    world, backup = backed_up

    refused(world, backup, "--replace")


@pytest.mark.parametrize("name", ["log.db", "keys.db", "manifest.json"])
def test_a_flipped_bit_of_any_file(backed_up, name):
    world, backup = backed_up
    data = bytearray((backup / name).read_bytes())
    data[len(data) // 2] ^= 1
    (backup / name).write_bytes(data)

    refused(world, backup, "damaged", replace=True)


@pytest.mark.parametrize("name", ["log.db", "keys.db"])
def test_a_file_that_is_cut_off_or_missing(backed_up, name):
    world, backup = backed_up
    os.truncate(backup / name, 5000)
    refused(world, backup, "damaged", replace=True)

    (backup / name).unlink()
    refused(world, backup, "missing", replace=True)


def test_no_backup_at_all(backed_up, tmp_path):
    world, _ = backed_up

    refused(world, tmp_path, "is no backup", replace=True)


def test_a_newer_format(backed_up):
    world, backup = backed_up
    said_ = json.loads((backup / "manifest.json").read_text())
    (backup / "manifest.json").write_text(json.dumps(said_ | {"format": 2}))

    refused(world, backup, "newer", replace=True)


def test_the_keys_of_another_backup(backed_up, new_world, tmp_path):
    world, backup = backed_up
    other = new_world("folder")
    with other.open():
        pass
    other.backup(tmp_path / "other")

    keys = tmp_path / "other" / "keys.db"
    refused(world, Given(backup, keys=keys), "another backup", replace=True)


def test_another_stores_keys_with_a_manifest_that_names_them(backed_up, new_world, tmp_path):
    world, backup = backed_up
    other = new_world("folder")
    with other.open() as talk:
        talk.remember(**said("another"))
    made = other.backup(tmp_path / "other")
    shutil.copy(tmp_path / "other" / "keys.db", backup / "keys.db")
    manifest = read_manifest(backup)
    files = manifest.files | {"keys.db": made.files["keys.db"]}
    forged = Manifest(manifest.made_at, "1", "folder", manifest.position, files)
    (backup / "manifest.json").write_bytes(forged.to_bytes())

    given = Given(backup, master_key=other.master_key())
    refused(world, given, "not in the key store", replace=True)


def test_a_wrong_master_key(backed_up, new_world):
    world, backup = backed_up

    other = new_world("folder")
    with other.open():
        pass
    refused(other, backup, "master key", WrongMasterKeyError, replace=True)
    refused(
        new_world("folder"), Given(backup, master_key=bytes(32)), "master key", WrongMasterKeyError
    )
    assert world.verified(backup).wrong == 0


def test_no_master_key(backed_up, new_world):
    _, backup = backed_up

    refused(new_world("folder"), backup, "the master key is in no backup")


@pytest.mark.parametrize("alone", [True, False])
def test_a_folder_that_is_in_use(backed_up, alone):
    world, backup = backed_up

    with closing(DataFolder.open(world.folder, alone=alone)):
        refused(world, backup, "in use", DataFolderError, replace=True)


@pytest.mark.parametrize("change", ["cut", "flip", "other", "later"])
def test_a_file_of_erasures_that_is_not_whole(backed_up, tmp_path, change):
    world, backup = backed_up
    file = tmp_path / "erasures"
    backup_erasures(world.where, file)
    data = bytearray(file.read_bytes())
    match change:
        case "cut":
            data = data[: data.rindex(b"\n", 0, -1) + 1]
        case "flip":
            data[30] ^= 1
        case "other":
            data = bytearray(b'{"some": "json"}\n')
        case _:
            data += canonical({"revoked": "key_0"}) + b"\n"
    file.write_bytes(data)

    refused(world, Given(backup, erasures=[file]), "erasures", replace=True)


def test_erasures_of_an_audit_key(backed_up, tmp_path):
    from ops.backup_erasures import write_erasures

    world, backup = backed_up
    with closing(connect(world.folder / "keys.db", read_only=True)) as keys:
        [(workspace, key)] = keys.execute(
            "SELECT workspace, audit_key_id FROM workspace_key LIMIT 1"
        ).fetchall()
    write_erasures(tmp_path / "erasures", [{"workspace": workspace, "destroyed": [key]}])

    given = Given(backup, erasures=[tmp_path / "erasures"])
    refused(world, given, "never destroyed", StoreError, replace=True)


def test_a_store_that_is_wrong_is_not_backed_up(backed_up, tmp_path):
    world, _ = backed_up
    with closing(connect(world.folder / "log.db")) as log:
        log.execute("DROP TRIGGER event_refuses_update")
        log.execute("UPDATE event SET event_hash = zeroblob(32) WHERE position = 1")

    with pytest.raises(BackupError, match="are wrong"):
        world.backup(tmp_path / "second")

    assert [one.name for one in tmp_path.iterdir() if "second" in one.name] == []


def test_a_place_that_is_taken_or_no_store(backed_up, new_world, tmp_path):
    world, backup = backed_up

    with pytest.raises(BackupError, match="there already"):
        world.backup(backup)
    with pytest.raises(BackupError, match="there already"):
        backup_erasures(world.where, backup)
    with pytest.raises(BackupError, match="no store"):
        new_world("folder").backup(tmp_path / "second")
    with pytest.raises(BackupError, match="cannot be used"):
        world.backup(tmp_path / "nowhere" / "second")


def test_files_are_private_whatever_the_umask(backed_up, new_world, tmp_path):
    world, backup = backed_up
    before = os.umask(0)
    try:
        backup_erasures(world.where, tmp_path / "erasures")
        world.backup(tmp_path / "second")
        other = new_world("folder")
        other.restore(Given(backup, master_key=world.master_key()))
    finally:
        os.umask(before)

    for folder in (tmp_path / "second", other.folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        for file in folder.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE((tmp_path / "erasures").stat().st_mode) == 0o600


def test_a_database_in_use_or_filled(backed_up, new_world):
    world, backup = backed_up
    other = new_world("postgresql")
    with other.open() as talk:
        talk.remember(**said("text"))
    given = Given(backup, master_key=world.master_key())

    with pytest.raises(BackupError, match="--replace"):
        other.restore(given)
    with psycopg.connect(other.mode.database_url), pytest.raises(BackupError, match="1 others"):
        other.restore(given, replace=True)

    with other.open() as talk:
        assert len(talk.recall("text")["items"]) == 1


def test_a_database_that_is_empty_is_migrated(backed_up, new_world, tmp_path):
    world, backup = backed_up
    other = new_world("postgresql", migrated=False)

    other.restore(Given(backup, master_key=world.master_key()))

    assert other.verified(tmp_path / "again").wrong == 0


def test_a_database_of_a_newer_program(backed_up, new_world):
    world, backup = backed_up
    other = new_world("postgresql")
    with psycopg.connect(other.mode.database_url) as connection:
        connection.execute("UPDATE memoranda_log.schema_version SET version_num = '9999_later'")

    with pytest.raises(StoreError, match="newer program"):
        other.restore(Given(backup, master_key=world.master_key()), replace=True)


def test_a_folder_with_a_store_beside_a_database(backed_up, new_world):
    world, backup = backed_up
    other = new_world("postgresql")
    other.folder = world.folder

    refused(other, Given(backup, master_key=world.master_key()), "MEMORANDA_DATA")


def test_a_connection_that_fails_at_the_commit(backed_up, new_world, tmp_path):
    world, backup = backed_up
    other = new_world("postgresql")
    mode = other.mode
    with closing(CuttingProxy(mode.database_url)) as proxy:
        other.mode = type(mode)(proxy.url, mode.redis_url, mode.master_key)
        proxy.cut_next("after", b"COMMIT")
        with pytest.raises(StoreError, match="as it was, or restored"):
            other.restore(Given(backup, master_key=world.master_key()))

    other.mode = mode
    assert other.verified(tmp_path / "again").events == 2


def test_a_user_who_owns_nothing(backed_up, new_world, databases):
    from tests.services.databases import of_database, run_as_admin

    world, backup = backed_up
    other = new_world("postgresql")
    name = other.mode.database_url.rpartition("/")[2]
    run_as_admin(
        databases.admin_url,
        "DROP ROLE IF EXISTS restorer",
        "CREATE ROLE restorer LOGIN PASSWORD 'restorer'",
        "GRANT memoranda_app, memoranda_reader TO restorer",
    )
    url = of_database(databases.admin_url, name, "restorer:restorer")
    other.mode = type(other.mode)(url, other.mode.redis_url, other.mode.master_key)

    with pytest.raises(StoreError, match="may not restore"):
        other.restore(Given(backup, master_key=world.master_key()), replace=True)
    run_as_admin(databases.admin_url, "DROP ROLE restorer")


@needs_mounts
@pytest.mark.parametrize("kilobytes", [12, 80])
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_a_full_disk(backed_up, tmp_path, command, kilobytes):
    world, backup = backed_up
    disk = tmp_path / "disk"
    disk.mkdir()
    small, key = shlex.quote(str(disk)), world.folder / "master.key"
    arguments = (
        ["backup", disk / "backup", "--data", world.folder]
        if command == "backup"
        else ["restore", backup, "--data", disk / "data", "--master-key", key]
    )
    run = shlex.join([sys.executable, "-m", "ops.cli", *map(str, arguments)])
    script = f"mount -t tmpfs -o size={kilobytes}k none {small} && {run}; echo $?; ls -A {small}/*"

    done = subprocess.run(
        [*NAMESPACE, "sh", "-c", script], capture_output=True, text=True, env=environment(),
        check=False,
    )  # fmt: skip

    assert done.stdout.startswith("1\n"), done.stdout
    assert "is full: free some space" in done.stderr
    left = done.stdout.split()[1:]
    assert left == ([] if command == "backup" else ["lock", "lock.beside"])
