"""A kill at any step leaves the old state or the new one, and the next attempt works."""

from __future__ import annotations

import itertools
import shutil
from contextlib import closing

import psycopg
import pytest

from ops.backup_format import digest_of, read_manifest
from ops.backup_stage import Given
from ops.backup_switch import NEW, READY
from ops.data_folder import DataFolder
from tests.backup.killed import dies_at
from tests.backup.worlds import said, state_of, traces
from tests.services.ports import wait_until

pytestmark = pytest.mark.timeout(300)
EVENTS = "SELECT position, topic, state FROM memoranda_log.event ORDER BY position"
KEYS = "SELECT key_id, wrapped, state FROM memoranda_keys.data_key ORDER BY key_id"
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL"
)


def settled(world):
    """What whoever opens the folder finds."""
    with closing(DataFolder.open(world.folder)):
        assert not (world.folder / READY).exists()
        assert not (world.folder / NEW).exists()
    return state_of(world.folder)


def test_a_restore_of_a_folder(new_world, tmp_path):
    # Given two stores, of which the one has a backup
    world, other = new_world("folder"), new_world("folder")
    with world.open() as talk:
        memory = talk.remember(**said("in the backup"))
        answers = traces(talk, memory)
    world.backup(tmp_path / "backup")
    with other.open() as talk:
        talk.remember(**said("to be replaced"))
    given = Given(tmp_path / "backup", master_key=world.master_key())
    shutil.copytree(other.folder, tmp_path / "kept")
    old, seen = state_of(other.folder), []
    # When
    for touch in itertools.count(1):
        shutil.rmtree(other.folder)
        shutil.copytree(tmp_path / "kept", other.folder)
        killed = dies_at(touch, other.folder, lambda: other.restore(given, replace=True))
        found = settled(other)
        seen.append("old" if found == old else "new")
        if seen[-1] == "new":
            with other.open() as talk:
                assert traces(talk, memory) == answers
        if not killed:
            break
    # Then
    assert seen == sorted(seen, reverse=True)
    assert seen.count("old") > 20
    assert seen.count("new") > 10


def rows_of(world):
    with psycopg.connect(world.mode.database_url, autocommit=True) as connection:
        wait_until(
            lambda: connection.execute(OTHERS).fetchone() == (0,), "the killed process's backend"
        )
        return connection.execute(EVENTS).fetchall(), connection.execute(KEYS).fetchall()


def test_a_restore_of_a_database(new_world, tmp_path):
    world, other = new_world("folder"), new_world("postgresql")
    with world.open() as talk:
        memory = talk.remember(**said("in the backup"))
        answers = traces(talk, memory)
    world.backup(tmp_path / "backup")
    with other.open() as talk:
        talk.remember(**said("to be replaced"))
    given = Given(tmp_path / "backup", master_key=world.master_key())
    old, kills = rows_of(other), 0

    for touch in itertools.count(1, 3):
        killed = dies_at(touch, other.folder, lambda: other.restore(given, replace=True))
        kills += killed
        if rows_of(other) != old:
            break

    assert kills > 10
    with other.open() as talk:
        assert traces(talk, memory) == answers
    assert other.verified(tmp_path / "again").wrong == 0


def test_a_backup(new_world, kind, tmp_path):
    world, out = new_world(kind), tmp_path / "out" / "backup"
    out.parent.mkdir()
    with world.open() as talk:
        talk.remember(**said("text"))

    for touch in itertools.count(1, 2):
        killed = dies_at(touch, out.parent, lambda: world.backup(out))
        if out.exists():
            for name, one in read_manifest(out).files.items():
                assert digest_of(out / name) == (one.bytes, one.sha256)
            break
        assert killed

    assert touch > 10
    assert [one.name for one in out.parent.iterdir()] == ["backup"]
