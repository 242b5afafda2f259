"""The follower thread: woken, it goes to the head, and answers who waits."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.projections.commands import forget, recall, relate, remember
from tests.projections.histories import World
from tests.projections.memory_log import MemoryLog
from tests.projections.views import follow, positions, rows
from workers.runner import InProcessRunner

LONG = 30.0
"""Seconds that no test takes: whoever waits is woken."""


def test_what_was_in_the_log_before_the_start_is_followed(engine, start):
    log = World().given([remember("One"), remember("Other"), relate()]).log

    runner = start(log)

    assert runner.wait_for("", log.head(), LONG) == log.head()
    assert positions(engine) == dict.fromkeys(("records", "evidence", "bundles"), log.head())


def test_a_wake_leads_to_the_head(engine, start):
    world = World()
    runner = start(world.log, idle_seconds=LONG)
    for number in range(20):
        world.given([remember(f"Fact {number}"), recall()])
        runner.wake(world.log.head())

        assert runner.wait_for("", world.log.head(), LONG) == world.log.head()

        assert len(rows(engine)) == number + 1
    with runner._progress:
        assert runner._progress.wait_for(lambda: runner.position() == world.log.head(), LONG)
    assert runner.failure is None


def test_a_lost_wake_is_made_good_after_a_while(engine, start):
    world = World()
    runner = start(world.log, idle_seconds=0.05)
    begin = runner.position()

    world.given([remember("Tea")])

    with runner._progress:
        assert runner._progress.wait_for(lambda: runner.position() > begin, LONG)
    assert len(rows(engine)) == 1


def test_who_waits_for_a_position_needs_no_wake(start):
    world = World()
    runner = start(world.log, idle_seconds=LONG)
    world.given([remember("Tea")])

    assert runner.wait_for("", world.log.head(), LONG) == world.log.head()


def test_nobody_waits_for_what_no_projection_follows(start):
    world = World().given([remember("Tea")])
    runner = start(world.log)
    seen = runner.wait_for("", world.log.head(), LONG)
    runner.stop()
    world.given([recall(), recall()])
    recalled = world.log.head()

    assert runner.wait_for("", recalled, LONG) == runner.seen("") == recalled > seen

    # But for what one of them does
    world.given([remember("Coffee"), recall()])
    assert runner.wait_for("", recalled, LONG) == runner.seen("") == recalled
    assert runner.wait_for("", world.log.head(), LONG) == seen


def test_waiting_for_what_was_never_written_ends_in_time_with_what_is_there(start):
    world = World().given([remember("Tea")])
    runner = start(world.log)
    runner.wait_for("", world.log.head(), LONG)
    world.log.reads.clear()

    assert runner.wait_for("", 10**9, 0.2) == world.log.head()

    # and without a busy loop
    assert len(world.log.reads) <= 4


def test_waiting_for_a_position_in_the_past_does_not_wait(start):
    world = World().given([remember("Tea")])
    runner = start(world.log)
    runner.wait_for("", world.log.head(), LONG)

    assert runner.wait_for("", 1, 0.0) == world.log.head()


def test_everybody_who_waits_is_answered_when_it_stops(start):
    runner = start(MemoryLog())
    answers = []
    waiting = [
        threading.Thread(target=lambda: answers.append(runner.wait_for("", 10**9, LONG)))
        for _ in range(5)
    ]
    for thread in waiting:
        thread.start()

    runner.stop()

    for thread in waiting:
        thread.join(LONG)
    assert answers == [0] * 5


def test_it_stops_between_two_batches_of_a_long_way(engine, start):
    log = World().given([remember(f"Fact {number}") for number in range(1_200)]).log
    runner = start(log)
    runner.wait_for("", 1, LONG)

    runner.stop()

    assert runner.position() == min(positions(engine).values())
    follow(log, engine)
    assert len(rows(engine)) == 1_200


def test_a_runner_may_be_stopped_twice_and_before_it_started(engine):
    runner = InProcessRunner(MemoryLog(), engine)

    runner.stop()
    runner.stop()


def test_a_new_runner_goes_on_where_the_last_one_ended(engine, start):
    world = World().given([remember("One")])
    runner = start(world.log)
    runner.wait_for("", world.log.head(), LONG)
    runner.stop()
    world.given([remember("Other")])

    again = start(world.log)

    assert again.wait_for("", world.log.head(), LONG) == world.log.head()
    assert len(rows(engine)) == 2


def test_forgotten_text_leaves_the_files_when_nothing_more_happens(engine, start):
    world = World().given([remember("Rosebud")])
    runner = start(world.log, idle_seconds=0.01, truncate_after_seconds=0.05)
    world.given([forget(0, "application_delete")])

    runner.wait_for("", world.log.head(), LONG)
    with runner._progress:
        assert runner._progress.wait_for(lambda: runner._worked_at is None, LONG)

    views = Path(engine.url.database)
    assert {file.name for file in views.parent.iterdir()} >= {"views.db", "views.db-wal"}
    assert b"Rosebud" not in b"".join(file.read_bytes() for file in views.parent.iterdir())
