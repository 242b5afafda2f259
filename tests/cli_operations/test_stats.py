"""stats counts what a folder holds, and what it takes."""

from __future__ import annotations

import shutil

import pytest

from tests.cli_operations.running import Local, run

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    data = tmp_path_factory.mktemp("filled") / "data"
    default, other = Local(data), Local(data, workspace="other")
    one = default("remember", "one", "--json").result["record"]["id"]
    two = default("remember", "two", "--json").result["record"]["id"]
    default("relate", one, two, "--kind", "supports")
    default("recall", "one")
    default("forget", two, "--mode", "tombstone", "--reason", "x")
    other("remember", "three")
    return data


def test_everything_is_counted_by_workspace(filled):
    done = run("stats", "--data", filled, "--json")

    said = done.json
    assert done.code == 0
    assert {name: said[name] for name in ("memories", "relationships", "recalls", "forgotten")} == {
        "memories": 3,
        "relationships": 1,
        "recalls": 1,
        "forgotten": 1,
    }
    assert said["workspaces"]["default"] == {
        "events": 9,
        "memories": 2,
        "relationships": 1,
        "recalls": 1,
    }
    assert said["workspaces"]["other"]["memories"] == 1
    assert said["events"] == said["head"] == 11
    assert said["read_models"].keys() == {"records", "evidence", "bundles"}
    assert all(9 <= position <= 11 for position in said["read_models"].values())


def test_bytes_are_those_of_the_files(filled):
    said = run("stats", "--data", filled, "--json").json

    on_disk = {
        path.name: sum(one.stat().st_size for one in [path, *path.rglob("*")] if one.is_file())
        for path in filled.iterdir()
        if path.name != "lock"
    }
    on_disk = {name: size for name, size in on_disk.items() if size}
    assert said["files"] == on_disk
    assert said["bytes"] == sum(on_disk.values())
    assert said["bytes_per_memory"] == round(said["bytes"] / 3)


def test_people_get_the_same_numbers(filled):
    done = run("stats", "--data", filled)

    assert done.out.startswith(
        "3 memories  1 of them forgotten  1 relationship  1 recall  11 events\n"
    )
    assert "log at 11" in done.out


def test_a_store_without_memories_or_read_models_is_counted(filled, data):
    shutil.copytree(filled, data)
    (data / "views.db").unlink()

    done = run("stats", "--data", data, "--json")

    assert done.json["read_models"] is None
    assert done.json["forgotten"] is None


def test_a_served_folder_is_counted_while_it_is_in_use(server):
    done = run("stats", "--data", server.data, "--json")

    assert done.code == 0
    assert done.json["events"] > 0


@pytest.mark.parametrize("found", [None, b"garbage" * 1000])
def test_what_cannot_be_counted_is_sent_to_the_doctor(data, found):
    if found is not None:
        data.mkdir()
        (data / "log.db").write_bytes(found)

    plain = run("stats", "--data", data)
    machine = run("stats", "--data", data, "--json")

    assert (plain.code, plain.out) == (1, "")
    assert "memoranda doctor" in plain.err
    assert machine.error["code"] == "STORE_UNAVAILABLE"
