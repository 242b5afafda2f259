"""An older backup does not bring back what was erased after it."""

from __future__ import annotations

import json

import pytest

from ops.backup_erasures import backup_erasures
from ops.backup_format import BackupError
from ops.backup_stage import MASTER, Given
from tests.backup.worlds import quiet, said, texts, traces
from tests.erasure.world import PLAIN, WORDS, tell


@pytest.fixture
def story(new_world, kind, tmp_path):
    """A backup, and a store that was made to forget afterwards; an API key revoked, too."""
    world = new_world(kind)
    with world.open() as talk:
        told = tell(talk, long=10)
        partly = talk.remember(**said("a first text"))
        talk.update(partly, **said("a second text"))
        tombstoned = talk.remember(**said("a buried text"))
        talk.forget(tombstoned, "tombstone")
        _, info = talk.memoranda.keys.create(
            name="k", workspace="w", actor="a", permissions=["read"]
        )
    world.backup(tmp_path / "backup")
    with world.open() as talk:
        talk.update(told.memory, add_tags=["even later"])
        talk.forget(told.memory)
        talk.forget(partly, scope="event", version=1)
        talk.forget(tombstoned)
        since = talk.remember(**said("a text since then"))
        talk.forget(since)
        talk.memoranda.keys.revoke(info.key_id)
    return world, told, partly, tombstoned, since, info.key_id


def check(world, tmp_path, told, partly, tombstoned, key_id):
    report = world.verified(tmp_path / "again")
    assert (report.wrong, report.not_decrypted) == (0, 0)
    with world.open() as talk:
        assert texts(talk, PLAIN) <= {told.other}
        [forgotten] = traces(talk, told.memory)
        assert WORDS.found_in(forgotten, inflate=False) == set()
        [changed] = traces(talk, partly)
        assert b"a first text" not in changed
        assert b"a second text" in changed
        assert b"a buried text" not in traces(talk, tombstoned)[0]
        [info] = [one for one in talk.memoranda.keys.list() if one.key_id == key_id]
        assert info.revoked_at is not None
    assert WORDS.found_under(world.folder, inflate=False) == {}


def test_over_the_store_that_has_forgotten(story, tmp_path):
    world, told, partly, tombstoned, _, key_id = story

    done = world.restore(tmp_path / "backup", replace=True)

    assert done.again.memories == 3
    assert done.again.api_keys == 1
    check(world, tmp_path, told, partly, tombstoned, key_id)


def test_on_a_new_machine_with_a_file_of_erasures(story, new_world, kind, tmp_path):
    world, told, partly, tombstoned, since, key_id = story
    assert backup_erasures(world.where, tmp_path / "erasures") > 3
    other = new_world(kind)

    other.restore(
        Given(
            tmp_path / "backup",
            master_key=world.master_key(),
            erasures=[tmp_path / "erasures"],
        )
    )

    check(other, tmp_path, told, partly, tombstoned, key_id)
    # The key of what is in no backup is a mark that stays, for older copies of the log.
    assert since
    backup_erasures(other.where, tmp_path / "theirs")
    assert destroyed(tmp_path / "erasures") <= destroyed(tmp_path / "theirs")


def test_the_same_erasures_again_change_nothing_more(story, tmp_path):
    world, *_ = story
    world.restore(tmp_path / "backup", replace=True)
    world.backup(tmp_path / "second")

    done = world.restore(tmp_path / "second", replace=True)

    assert (done.again.memories, done.again.keys, done.again.api_keys) == (0, 0, 0)


@pytest.mark.parametrize("kind", ["folder"])
def test_beside_a_newer_key_store_alone(story, tmp_path):
    world, told, partly, tombstoned, _, _ = story
    (world.folder / "log.db").unlink()

    world.restore(tmp_path / "backup", replace=True)

    report = world.verified(tmp_path / "again")
    assert (report.wrong, report.not_decrypted) == (0, 0)
    with world.open() as talk:
        assert WORDS.found_in(traces(talk, told.memory)[0], inflate=False) == set()
        [changed] = traces(talk, partly)
        assert b"a first text" not in changed
        assert b"a second text" in changed
        assert b"a buried text" not in traces(talk, tombstoned)[0]


@pytest.mark.parametrize("kind", ["folder"])
def test_a_store_whose_erasures_cannot_be_read_is_replaced_only_despite_the_damage(story, tmp_path):
    world, told, partly, tombstoned, _, key_id = story
    damaged = bytearray((world.folder / "keys.db").read_bytes())
    damaged[:64] = bytes(64)
    (world.folder / "keys.db").write_bytes(damaged)

    with pytest.raises(BackupError, match="--despite-damage"):
        world.restore(tmp_path / "backup", replace=True)
    assert (world.folder / "keys.db").read_bytes() == damaged
    world.restore(tmp_path / "backup", replace=True, despite_damage=True)

    # The log has told it all the same.
    check(world, tmp_path, told, partly, tombstoned, key_id)


@pytest.mark.parametrize("kind", ["folder"])
def test_an_erasure_that_was_only_asked_for_is_carried_out(new_world, tmp_path, kind):
    world = new_world(kind)
    with world.open() as talk:
        memory = talk.remember(**said(PLAIN))
    world.backup(tmp_path / "backup")
    asked = new_world(kind)
    asked.restore(Given(tmp_path / "backup", master_key=world.master_key()))
    with asked.open() as talk:
        talk.forget(memory)
    backup_erasures(asked.where, tmp_path / "all")
    lines = [json.loads(one) for one in (tmp_path / "all").read_bytes().splitlines()]
    requests = [one for one in lines if "erasure" in one]
    from ops.backup_erasures import write_erasures

    write_erasures(tmp_path / "asked", requests)

    world.restore(Given(tmp_path / "backup", erasures=[tmp_path / "asked"]), replace=True)

    with world.open() as talk:
        assert PLAIN.encode() not in traces(talk, memory)[0]
    assert quiet(0, 0) is None
    assert (world.folder / MASTER).exists()


def destroyed(file):
    return {
        key
        for line in map(json.loads, file.read_bytes().splitlines())
        for key in line.get("destroyed", ())
    }
