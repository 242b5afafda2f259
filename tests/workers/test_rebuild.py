"""The read models are built anew beside the live file, and take its place in one step."""

from __future__ import annotations

import sqlite3
import stat
import threading

import pytest
from hypothesis import given, settings

from ops.rebuild import ViewsInUseError, building_path, discard_building, rebuild
from projections.database import open_views
from tests.projections.commands import HISTORIES, forget, recall, relate, remember
from tests.projections.histories import World
from tests.projections.memory_log import MemoryLog
from tests.projections.views import all_text, follow, new_views, positions, rows, tables


@pytest.fixture
def path(tmp_path):
    return tmp_path / "views.db"


def silent(position, head):
    """No progress wanted."""


def look(path, into):
    engine = open_views(path)
    try:
        return into(engine)
    finally:
        engine.dispose()


def integrity(engine):
    with engine.connect() as connection:
        return connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()


def live(path, log):
    look(path, lambda engine: follow(log, engine))


def facts(count, first=0):
    return [remember(f"Fact {number}") for number in range(first, first + count)]


def test_a_rebuilt_file_equals_the_live_one(path):
    log = World().given([*facts(5), relate(), forget(0), recall()]).log
    live(path, log)
    before = look(path, tables)

    assert rebuild(log, path, silent) == log.head()

    assert look(path, tables) == before
    assert look(path, positions) == dict.fromkeys(("records", "evidence", "bundles"), log.head())
    assert [file.name for file in path.parent.iterdir()] == ["views.db"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@settings(max_examples=20)
@given(HISTORIES)
def test_whatever_happened_a_rebuild_equals_the_live_file(tmp_path_factory, history):
    world = World().run(history)
    path = tmp_path_factory.mktemp("views") / "views.db"
    live(path, world.log)
    before = look(path, tables)
    world.destroy_keys()

    rebuild(world.log, path, silent, batch=7)

    assert look(path, tables) == before


def test_progress_grows_to_the_head(path):
    log = World().given([*facts(10), relate(), recall()]).log
    told = []

    rebuild(log, path, lambda position, head: told.append((position, head)), batch=2)

    assert told == sorted(told)
    assert told[0] == (0, log.head())
    assert told[-1] == (log.head(), log.head())
    assert len(told) > 5


def test_report_52_a_second_rebuild_in_the_same_process_is_as_full_as_the_first(path):
    log = World().given(facts(10)).log

    rebuild(log, path, silent)
    first = look(path, tables)
    rebuild(log, path, silent)

    assert len(first["memory_version"]) == 10
    assert look(path, tables) == first


@pytest.mark.parametrize("count", [0, 1])
def test_report_57_a_rebuild_of_an_empty_log_and_of_one_event(path, count):
    log = MemoryLog() if count == 0 else World().given([recall()]).log

    assert rebuild(log, path, silent) == count
    assert rebuild(log, path, silent) == count

    assert look(path, rows) == []


def test_report_57_two_rebuilds_at_once_do_one_after_the_other(path):
    # given
    log = World().given(facts(50)).log
    begin = threading.Barrier(2)
    reached, failures = [], []

    def run():
        begin.wait()
        try:
            reached.append(rebuild(log, path, silent, batch=5))
        except Exception as error:  # noqa: BLE001 - asserted below
            failures.append(error)

    # when
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # then
    assert failures == []
    assert reached == [log.head()] * 2
    assert len(look(path, rows)) == 50


def test_report_57_a_rebuild_that_is_stopped_leaves_the_live_file_and_goes_on_later(path):
    # given
    world = World().given(facts(20))
    live(path, world.log)
    before = path.read_bytes()
    answers = iter([False] * 4 + [True])

    # when it is stopped
    assert rebuild(world.log, path, silent, stop=lambda: next(answers), batch=5) is None

    # then
    assert path.read_bytes() == before
    assert building_path(path).exists()
    world.log.reads.clear()
    assert rebuild(world.log, path, silent, batch=5) == world.log.head()
    assert min(position for position, _ in world.log.reads) > 0
    assert len(look(path, rows)) == 20
    assert not building_path(path).exists()


def test_what_happened_while_a_rebuild_stood_still_is_in_it(path):
    world = World().given([remember("Rosebud"), *facts(5)])
    answers = iter([False] * 4 + [True])
    rebuild(world.log, path, silent, stop=lambda: next(answers), batch=2)
    world.given([forget(0, "application_delete")])
    world.destroy_keys()

    rebuild(world.log, path, silent)

    assert "Rosebud" not in look(path, all_text)
    with new_views() as engine:
        follow(world.log, engine)
        assert look(path, tables) == tables(engine)


def test_what_an_interrupted_rebuild_left_can_be_removed(path):
    answers = iter([False, False, True])
    rebuild(World().given(facts(9)).log, path, silent, stop=lambda: next(answers), batch=3)

    discard_building(path)

    assert list(path.parent.iterdir()) == []


def test_a_live_file_that_is_open_is_not_replaced_and_the_work_is_kept(path):
    log = World().given(facts(5)).log
    live(path, log)
    engine = open_views(path)
    assert len(rows(engine)) == 5

    with pytest.raises(ViewsInUseError):
        rebuild(log, path, silent)

    assert len(rows(engine)) == 5
    engine.dispose()
    log.reads.clear()
    assert rebuild(log, path, silent) == log.head()
    assert log.reads == []


def test_a_write_ahead_log_that_a_crash_left_is_not_read_into_the_new_file(path, tmp_path):
    # given a live file and a log beside it, as a killed process leaves them
    log = World().given(facts(5)).log
    engine = open_views(path)
    follow(World().given(facts(500, first=100)).log, engine)
    left = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    engine.dispose()
    for name, content in left.items():
        (tmp_path / name).write_bytes(content)

    # when
    rebuild(log, path, silent)

    # then
    assert len(look(path, rows)) == 5
    assert look(path, integrity) == "ok"


@pytest.mark.parametrize("which", ["live", "building"])
def test_a_damaged_file_is_built_anew(path, which):
    log = World().given(facts(5)).log
    damaged = path if which == "live" else building_path(path)
    damaged.write_bytes(b"no database" * 1_000)

    assert rebuild(log, path, silent) == log.head()

    assert len(look(path, rows)) == 5


def test_a_file_of_another_format_is_built_anew(path):
    log = World().given(facts(5)).log
    for file in (path, building_path(path)):
        open_views(file).dispose()
        connection = sqlite3.connect(file)
        connection.execute("PRAGMA user_version = 4711")
        connection.close()

    assert rebuild(log, path, silent) == log.head()

    assert len(look(path, rows)) == 5


def test_what_was_begun_from_another_log_is_thrown_away(path):
    answers = iter([False] * 6 + [True])
    other = World().given(facts(20, first=100)).log
    rebuild(other, path, silent, stop=lambda: next(answers), batch=5)
    log = World().given(facts(2)).log

    assert rebuild(log, path, silent) == log.head()

    assert len(look(path, rows)) == 2
