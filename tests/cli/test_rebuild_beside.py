"""A rebuild beside somebody who has the read models open: all of it, or nothing of it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from ops.rebuild import rebuild
from ops.rebuild_beside import ViewsNotReplacedError, put_into
from ops.wiring import open_memoranda
from tests.cli.processes import memoranda
from tests.importer.lines import asking, memories


def silent(_position, _head):
    """Nobody looks."""


def said(text, key=None):
    return {
        "contract_version": "v1",
        "operation": "remember",
        "idempotency_key": key or text,
        "input": {
            "identity_key": text, "kind": "note", "schema_version": "1",
            "content": {"format": "text", "value": text}, "provenance": [], "tags": [],
        },
    }  # fmt: skip


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def store(data):
    opened = open_memoranda(data)
    for text in ("one", "two"):
        opened.execute(asking(), said(text))
    assert memories(opened).keys() == {"one", "two"}
    yield opened
    opened.close()


def spoilt(data, statement="DELETE FROM memory_version"):
    with closing(sqlite3.connect(data / "views.db")) as views, views:
        views.execute(statement)


def test_what_was_lost_is_there_again_and_the_store_goes_on(store, data):
    spoilt(data)
    assert memories(store) == {}

    head = store.log.head()

    position = rebuild(store.log, store.folder.views, silent, beside=True)
    store.execute(asking(), said("three"))

    assert position == head
    assert memories(store).keys() == {"one", "two", "three"}
    assert not list(data.glob("views.db.building*"))


def test_a_reader_sees_the_old_rows_or_the_new_ones(store, data):
    spoilt(data, "DELETE FROM memory_version WHERE version = 1 AND identity_key = 'two'")
    seen = set()
    done = threading.Event()

    def look():
        with closing(sqlite3.connect(data / "views.db")) as views:
            while not done.is_set():
                seen.add(views.execute("SELECT count(*) FROM memory_version").fetchone()[0])

    reader = threading.Thread(target=look)
    reader.start()
    rebuild(store.log, store.folder.views, silent, beside=True)
    done.set()
    reader.join()

    assert seen <= {1, 2}
    assert memories(store).keys() == {"one", "two"}


def test_what_is_recorded_meanwhile_is_in_it(store, data):
    told = []

    def on_progress(position, head):
        # Once it has everything, something new comes, and the live read models see it first.
        if position == head and not told:
            told.append(position)
            store.execute(asking(), said("meanwhile"))
            assert "meanwhile" in memories(store)

    rebuild(store.log, store.folder.views, on_progress, beside=True)

    with closing(sqlite3.connect(data / "views.db")) as views:
        positions = {position for (position,) in views.execute("SELECT position FROM checkpoint")}
    assert told
    assert positions == {store.log.head()}
    assert memories(store).keys() == {"one", "two", "meanwhile"}


def test_the_last_events_are_caught_up_with_while_nobody_can_move_the_live_checkpoints(store, data):
    rebuild(store.log, data / "other.db", silent)
    refused = []

    def catch_up():
        with (
            closing(sqlite3.connect(data / "views.db", timeout=0)) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("BEGIN IMMEDIATE")
        refused.append(True)

    put_into(store.folder.views, data / "other.db", catch_up)

    assert refused == [True]


def test_a_file_that_is_laid_out_otherwise_stays_as_it_is(store, data):
    spoilt(data, "ALTER TABLE memory_version ADD COLUMN more TEXT")

    with pytest.raises(ViewsNotReplacedError, match="another layout"):
        rebuild(store.log, store.folder.views, silent, beside=True)

    assert memories(store).keys() == {"one", "two"}


def test_the_command_rebuilds_beside_the_process_that_has_the_folder(store, data):
    spoilt(data)

    done = memoranda("rebuild", "--data", data, "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert memories(store).keys() == {"one", "two"}
