"""`memoranda backup` and `memoranda restore` as people and machines run them."""

from __future__ import annotations

import pytest

from tests.backup.worlds import said, traces
from tests.cli_operations.running import run


def settings_of(world):
    """The settings of a world's server."""
    given = {"data": str(world.folder)}
    if world.mode is not None:
        given |= {"database_url": world.mode.database_url, "redis_url": world.mode.redis_url}
        given["master_key"] = world.mode.master_key.hex()
    return given


@pytest.fixture
def world(new_world, kind):
    """A store with one memory."""
    made = new_world(kind)
    with made.open() as talk:
        made.memory = talk.remember(**said("text"))
        made.answers = traces(talk, made.memory)
    return made


def test_machines_are_told_what_was_done(world, tmp_path):
    settings = settings_of(world)

    made = run("backup", tmp_path / "b", "--json", **settings)
    listed = run("backup", tmp_path / "e", "--erasures", "--json", **settings)
    refused = run("restore", tmp_path / "b", "--json", **settings)
    options = ("--replace", "--erasures", tmp_path / "e", "--json")
    restored = run("restore", tmp_path / "b", *options, **settings)

    assert made.json["files"]["log.db"]["event"] == 2
    assert made.json["position"] == 2
    assert "THE MASTER KEY IS NOT IN THIS BACKUP" in made.err
    assert listed.json["lines"] == 0
    assert (refused.code, refused.error["code"]) == (1, "STORE_UNAVAILABLE")
    assert "--replace" in refused.error["message"]
    assert restored.json.keys() == {"made_at", "position", "memories", "keys", "api_keys"}
    with world.open() as talk:
        assert traces(talk, world.memory) == world.answers


def test_a_folder_that_is_named_goes_before_the_database(new_world, tmp_path):
    world, database = new_world("folder"), new_world("postgresql")
    with world.open() as talk:
        talk.remember(**said("text"))

    made = run("backup", tmp_path / "b", "--data", world.folder, "--json", **settings_of(database))

    assert made.json["position"] == 2


def test_a_file_without_a_master_key_is_refused(world, tmp_path):
    (tmp_path / "key").write_text("no key")

    done = run("restore", tmp_path, "--master-key", tmp_path / "key", **settings_of(world))

    assert done.code == 1
    assert "holds no master key" in done.err
