"""The same laws over the real store: sealed events, destroyed keys, SQLite files."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.references import event_refs
from ops.rebuild import rebuild
from projections.catalogue import CATALOGUE
from projections.database import open_views
from tests.projections.commands import HISTORIES, burn, forget, relate, remember, update
from tests.projections.histories import World
from tests.projections.store_log import StoreLog, comparable
from tests.projections.views import all_text, follow, new_views, tables
from workers.runner import InProcessRunner


@pytest.fixture(scope="module", autouse=True)
def database():
    """These tests are about the embedded store."""


@contextmanager
def new_log():
    with tempfile.TemporaryDirectory() as folder:
        log = StoreLog(Path(folder))
        try:
            yield log
        finally:
            log.close()


@pytest.fixture
def log(tmp_path):
    log = StoreLog(tmp_path)
    yield log
    log.close()


@settings(max_examples=10)
@given(HISTORIES)
def test_the_log_in_memory_reads_as_the_real_one(history):
    memory = World().run(history)
    memory.destroy_keys()
    with new_log() as log:
        real = World(log=log).run(history)
        real.destroy_keys()

        assert real.log.head() == memory.log.head()
        middle = memory.log.head() // 2
        for named in ({}, {"part": 0}, {"workspace": "other"}, {"topics": CATALOGUE[0].topics}):
            for position, limit in ((0, 1_000), (middle, 3)):
                one, other = (
                    [comparable(event) for event in world.log.after(position, limit, **named)]
                    for world in (real, memory)
                )
                assert one == other
        for workspace, stream in memory.memories + memory.edges:
            one, other = (
                [comparable(event) for event in world.log.stream(workspace, stream)]
                for world in (real, memory)
            )
            assert one == other
            assert log.stream("nowhere", stream) == []
        for event in memory.log.after(0, 1_000):
            for kind, ref in event_refs(event):
                asked = (event.context.workspace, kind, ref)
                assert log.references(*asked) == memory.log.references(*asked) != []


@settings(max_examples=10)
@given(HISTORIES, st.sampled_from([1, 7, 500]), st.sets(st.integers(0, 30)))
def test_a_rebuild_from_the_real_store_equals_what_was_followed_live(history, batch, erasures):
    with new_log() as log, new_views() as live, tempfile.TemporaryDirectory() as folder:
        world = World(log=log)
        for index, (name, said) in enumerate(history):
            world.do(name, **said)
            follow(log, live, batch)
            if index in erasures:
                world.destroy_keys()
        world.destroy_keys()
        path = Path(folder) / "views.db"

        assert rebuild(log, path, lambda *_: None) == log.head()

        rebuilt = open_views(path)
        assert tables(rebuilt) == tables(live)
        rebuilt.dispose()


def test_report_51_erased_text_is_in_no_file_that_is_built_later(log, tmp_path):
    world = World(log=log).given(
        [
            remember("Rosebud", tags=["Rosebud"]),
            remember("Tea"),
            update(0, content={"format": "text", "value": "Rosebud again"}),
            relate(),
            burn(7),
            forget(0, "application_delete"),
        ]
    )
    world.destroy_keys()
    path = tmp_path / "views.db"

    rebuild(log, path, lambda *_: None)

    assert b"Rosebud" not in path.read_bytes()
    engine = open_views(path)
    assert "Tea" in all_text(engine)
    engine.dispose()


def test_the_runner_follows_the_real_store(log):
    world = World(log=log)
    with new_views() as engine, new_views() as again:
        runner = InProcessRunner(log, engine, idle_seconds=30)
        runner.start()
        for number in range(10):
            world.given([remember(f"Fact {number}"), update(number, confidence=0.5)])
            runner.wake(log.head())
            assert runner.wait_for("", log.head(), 30) == log.head()
        runner.stop()

        follow(log, again)
        assert tables(engine) == tables(again)
        assert runner.failure is None
