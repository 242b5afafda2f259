"""Threads of an embedded store: what waits is worked on, once at a time, and none is lost."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest

from ops.cli_local import local_door
from ops.extraction.places import in_process, later
from ops.wiring import open_memoranda
from tests.bundles.scribes import Scribe, saying
from tests.bundles.windows import says, window
from tests.circumstances import context
from tests.extraction import endpoint as endpoints
from tests.extraction.endpoint import proposes
from workers.extraction_pool import WAITING_MAX, ExtractionPool

SECONDS = 30


@contextmanager
def started(work, waiting=lambda _: ((), False), **settings):
    pool = ExtractionPool(**settings)
    pool.start(work, waiting)
    try:
        yield pool
    finally:
        pool.stop()


def test_what_waited_before_the_start_is_worked_on():
    done = threading.Event()
    with started(lambda *_: done.set(), lambda _: ([("w", "one")], False)):
        assert done.wait(SECONDS)


def test_an_unforeseen_failure_is_tried_again_later():
    tries, done = [], threading.Event()

    def work(*name):
        tries.append(name)
        if len(tries) < 3:
            raise RuntimeError("Rosebud")
        done.set()

    with started(work, rest_seconds=0.01) as pool:
        pool.wake("w", "one")
        assert done.wait(SECONDS)
    assert tries == [("w", "one")] * 3


def test_what_the_read_model_tells_later_is_found_then():
    looks, done = [], threading.Event()

    def waiting(_):
        looks.append(1)
        return ((), True) if len(looks) < 3 else ([("w", "late")], False)

    with started(lambda *_: done.set(), waiting, rest_seconds=0.01):
        assert done.wait(SECONDS)


def test_more_than_fits_is_looked_for_again():
    seen, all_seen, go = set(), threading.Event(), threading.Event()
    names = [("w", str(number)) for number in range(WAITING_MAX + 3)]

    def work(*name):
        go.wait(SECONDS)
        seen.add(name)
        if len(seen) == len(names):
            all_seen.set()

    def waiting(most):
        left = [name for name in names if name not in seen] if go.is_set() else []
        return left[:most], len(left) >= most

    with started(work, waiting, rest_seconds=0.01) as pool:
        for name in names:
            pool.wake(*name)
        go.set()
        assert all_seen.wait(SECONDS)


def test_a_window_is_in_one_pair_of_hands_at_a_time():
    begun, other, go, again = (threading.Event() for _ in range(4))
    count = []

    def work(_, window_id):
        if window_id == "two":
            other.set()
            return
        count.append(window_id)
        (again if go.is_set() else begun).set()
        go.wait(SECONDS)

    with started(work) as pool:
        pool.wake("w", "one")
        assert begun.wait(SECONDS)
        # When it is told of while it is in hand, the second pair takes another one
        pool.wake("w", "one")
        pool.wake("w", "one")
        pool.wake("w", "two")
        assert other.wait(SECONDS)
        assert count == ["one"]
        # Then it is looked at once more, since it may wait anew
        go.set()
        assert again.wait(SECONDS)
    assert count == ["one", "one"]


def result(store, scribe, answer):
    """What a window came to, once it did."""
    while True:
        seen = store.log.head()
        state = store.windows.state(scribe.context, answer["window_id"])
        if state.mode != "accepted":
            return state.mode
        store.runner.wait_for("w", seen + 1, SECONDS)


@pytest.mark.timeout(60)
def test_a_store_extracts_in_the_background_and_takes_up_what_waited(model, endpoint, tmp_path):
    # Given a window that a command has left waiting
    store = open_memoranda(tmp_path / "data", extraction=later(model))
    scribe = Scribe(store)
    waited = scribe.send(scribe.window())
    store.close()
    assert (waited["status"], endpoint.asked) == ("accepted", [])
    # When the store is served
    endpoint.will(proposes(saying("Charts are stored flat")))
    store = open_memoranda(tmp_path / "data", extraction=in_process(model))
    scribe = Scribe(store, remarks=scribe.remarks)
    assert result(store, scribe, waited) == "knowledge_patched"
    # Then new ones are extracted, too
    assert result(store, scribe, scribe.send(scribe.window())) == "knowledge_patched"
    # And closing does not wait for an answer
    endpoint.arrived.clear()
    endpoint.will(endpoints.holds(endpoint, proposes()))
    scribe.send(scribe.window())
    assert endpoint.arrived.wait(SECONDS)
    store.close()


def test_a_command_on_a_data_folder_leaves_windows_to_the_next_server(
    endpoint, monkeypatch, tmp_path
):
    for name, value in (("", "openai"), ("_URL", endpoint.url), ("_MODEL", "scribe-1")):
        monkeypatch.setenv(f"MEMORANDA_EXTRACTOR{name}", value)
    with local_door(tmp_path / "data", create=True, context=context(actor="ana")) as door:
        answer = door.window(window(events=[says()]))
    assert (answer["status"], endpoint.asked) == ("accepted", [])
