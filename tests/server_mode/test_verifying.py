"""`memoranda verify` on a database: the rules of docs/verify.py, row by row."""

from __future__ import annotations

import psycopg
import pytest

from commands.releasing import StreamReleases
from ops.beside import open_beside
from ops.settings import load_settings, server_mode
from tests.circumstances import context
from tests.server_mode.test_command_line import made, on_database

pytestmark = pytest.mark.timeout(300)
__all__ = ["on_database"]


@pytest.fixture
def damaged(settings):
    """Runs statements that only the owner can, past what guards the log."""

    def run(*statements):
        with psycopg.connect(settings["database_url"]) as connection:
            for table in ("event", "event_ref"):
                connection.execute(f"ALTER TABLE memoranda_log.{table} DISABLE TRIGGER ALL")
            connection.execute("ALTER TABLE memoranda_keys.data_key DISABLE TRIGGER ALL")
            for statement in statements:
                connection.execute(statement)

    return run


def verified(on_database, **more):
    """The report; the exit status says the same."""
    done = on_database("verify", "--json", **more)
    assert done.code == int(done.json["wrong"] > 0), done.err
    return done.json


@pytest.fixture
def filled(on_database):
    """Two memories with a slot, one of them erased, and related ones."""
    ends = [made(on_database, text, "--slot", "s") for text in ("a quoll", "the quoll")]
    assert on_database("relate", *ends, "--kind", "supports").code == 0
    assert on_database("recall", "quoll").code == 0
    gone = made(on_database, "to be erased")
    erase = ("--mode", "application_delete", "--reason", "asked")
    assert on_database("forget", gone, *erase).code == 0
    return ends


def test_a_store_that_nobody_damaged_is_right(on_database, filled):
    report = verified(on_database)

    assert report["wrong"] == 0, report
    assert report["events"] > 10
    assert report["decrypted"] > 5
    assert report["erased"] > 0
    assert report["not_decrypted"] == 0


DAMAGES = {
    "event_hash": (
        "UPDATE memoranda_log.event SET state = set_byte(state, length(state) - 1,"
        " 255 - get_byte(state, length(state) - 1)) WHERE position = {at}"
    ),
    "part": "UPDATE memoranda_log.event SET part = (part + 1) % 64 WHERE position = {at}",
    "topic": "UPDATE memoranda_log.event SET topic = 'memory.updated' WHERE position = {at}",
    "workspace": "UPDATE memoranda_log.event SET workspace = 'other' WHERE position = {at}",
    "appended_at": "UPDATE memoranda_log.event SET appended_at = 1 WHERE position = {at}",
    "event_ref": "DELETE FROM memoranda_log.event_ref WHERE position = {at}",
}


@pytest.mark.parametrize("column", DAMAGES)
def test_the_first_wrong_row_is_named(on_database, filled, damaged, settings, column):
    # given the first version of the second memory
    with psycopg.connect(settings["database_url"]) as connection:
        query = (
            "SELECT position FROM memoranda_log.event WHERE topic = 'memory.remembered'"
            " ORDER BY position OFFSET 1 LIMIT 1"
        )
        ((at,),) = connection.execute(query).fetchall()
    damaged(DAMAGES[column].format(at=at))
    # when
    first = verified(on_database)["findings"][0]
    # then
    assert (first["position"], first["column"]) == (at, column)
    assert first["event"] == f"{filled[1]}@1"


def test_a_key_that_nobody_asked_to_destroy_is_a_false_erasure(on_database, filled, damaged):
    damaged("UPDATE memoranda_keys.data_key SET wrapped = NULL, state = 'destroyed'")

    report = verified(on_database)

    assert "false erasure" in {one["rule"].partition(":")[0] for one in report["findings"]}


def test_another_master_key_opens_nothing(on_database, filled):
    report = verified(on_database, master_key="11" * 32)

    assert report["decrypted"] == 0
    assert "another master key" in report["findings"][0]["rule"]


def test_blocks_of_rows_are_one_log(on_database, filled, monkeypatch):
    whole = verified(on_database)
    monkeypatch.setattr("ops.verification_database.BLOCK", 2)

    assert verified(on_database) == whole


def test_a_database_that_does_not_answer_is_not_checked(on_database):
    url = "postgresql://somebody:canary-password@127.0.0.1:1/nothing"

    done = on_database("verify", "--json", database_url=url)

    assert done.code == 2
    assert "does not answer" in done.error["message"]
    assert "canary" not in done.out + done.err


def test_a_store_of_which_a_stream_was_released_is_right(on_database, filled, settings):
    with open_beside(server_mode(load_settings(**settings))) as beside:
        StreamReleases(beside.engine, beside.keys).release(
            context(permissions=frozenset({"operate"})),
            "retry",
            projection="records",
            workspace="default",
            stream=filled[0],
        )

    assert verified(on_database)["wrong"] == 0
