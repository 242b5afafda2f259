"""Commands work on the database of the settings as they do on a data folder."""

from __future__ import annotations

import pytest

from tests.cli_operations.running import run
from tests.importer.lines import remember, written

pytestmark = pytest.mark.timeout(300)
NOBODY = "redis://127.0.0.1:1/0"


@pytest.fixture
def on_database(settings, tmp_path, monkeypatch):
    """Runs a command on the database of the settings, in an empty directory."""
    del settings["host_key"]
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **more: run(*arguments, **{**settings, **more})


def made(on_database, text, *more):
    """The id of a memory."""
    done = on_database("remember", text, *more, "--json")
    assert done.code == 0, done.err
    return done.result["record"]["id"]


def test_the_operations_work_on_the_database(on_database, tmp_path):
    # when
    ends = [made(on_database, text, "--slot", "s") for text in ("a quoll", "the quoll")]
    related = on_database("relate", *ends, "--kind", "supports", "--json")
    found = on_database("recall", "quoll", "--json")
    changed = on_database("update", ends[0], "one quoll", "--expected-version", "1", "--json")
    reason = ("--reason", "same")
    proposed = on_database("consolidate", "propose", *ends, *reason, "--json")
    forgotten = on_database("forget", ends[1], "--mode", "tombstone", *reason, "--json")
    traced = on_database("trace", ends[1], "--json")
    logged = on_database("log", "-n", "200", "--json")
    # then
    done = (related, found, changed, proposed, forgotten, traced, logged)
    assert [one.code for one in done] == [0] * len(done), [one.err for one in done]
    assert {item["record"]["id"] for item in found.result["items"]} == set(ends)
    assert changed.result["record"]["version"] == 2
    topics = {event["head"]["topic"] for event in logged.json["events"]}
    assert topics >= {"memory.remembered", "relationship.related", "memory.forgotten"}
    assert list(tmp_path.iterdir()) == []


def test_operations_do_not_need_redis(on_database):
    ends = made(on_database, "an otter", "--json")

    found = on_database("recall", "otter", "--json", redis_url=NOBODY)

    assert [item["record"]["id"] for item in found.result["items"]] == [ends]


def test_a_folder_that_is_named_goes_before_the_database(on_database, tmp_path):
    made(on_database, "in the database")

    inside = on_database("remember", "in a folder", "--data", tmp_path / "data")
    found = on_database("recall", "folder database", "--data", tmp_path / "data", "--json")
    asked = on_database("recall", "folder database", "--json")

    assert inside.code == 0
    texts = [
        [item["record"]["content"]["value"] for item in one.result["items"]]
        for one in (found, asked)
    ]
    assert texts == [["in a folder"], ["in the database"]]


def test_keys_of_the_database_are_made_listed_and_revoked(on_database):
    token = on_database("keys", "create", "--name", "laptop", "--json").json
    revoked = on_database("keys", "revoke", token["key_id"], "--json").json
    listed = on_database("keys", "list", "--json").json

    assert [one["key_id"] for one in listed] == [token["key_id"]] == [revoked["key_id"]]
    assert listed[0]["revoked_at"] is not None
    assert on_database("parked", "list", "--json").json == []


def test_a_file_is_imported_into_the_database_once(on_database, tmp_path):
    file = written(tmp_path / "lines.jsonl", [remember("wombat", "Wombats dig."), b"no json\n"])

    first, again = (on_database("import", file, "--json") for _ in range(2))

    assert [one.code for one in (first, again)] == [1, 1]
    assert [one.json["accepted"] for one in (first, again)] == [1, 1]
    assert on_database("stats", "--json").json["memories"] == 1


def test_an_import_leaves_a_store_in_the_folder_alone(on_database, tmp_path):
    file = written(tmp_path / "lines.jsonl", [remember("wombat", "Wombats dig.")])
    run("remember", "a store of its own", "--data", tmp_path / ".memoranda")

    refused = on_database("import", file)

    assert refused.code == 1
    assert "name another folder in MEMORANDA_DATA" in refused.err
    assert made(on_database, "goes to the database")


def test_a_command_without_the_master_key_says_what_that_means(on_database):
    done = on_database("remember", "x", master_key="")

    assert done.code == 1
    assert "MEMORANDA_MASTER_KEY is missing" in done.err
    assert "NO MASTER KEY MEANS NO DATA" in done.err
