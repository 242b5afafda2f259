"""The follower thread where it cannot go on: it tries again, slows down, and says so."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from projections.catalogue import CATALOGUE
from projections.checkpoints import ViewsAheadError
from tests.projections.commands import relate, remember
from tests.projections.histories import World
from tests.projections.memory_log import MemoryLog
from tests.projections.views import follow, positions, rows
from workers.runner import InProcessRunner

LONG = 30.0
"""Seconds that no test takes: whoever waits is woken."""

RECORDS, EVIDENCE, BUNDLES = CATALOGUE


class Poison:
    """A projection that fails until it is mended."""

    def __init__(self, failures):
        self.left = failures
        self.tries = []
        self.threads = set()
        self.failed_once = threading.Event()

    def __call__(self, connection, events, log):
        self.threads.add(threading.current_thread().name)
        if self.left > 0:
            self.left -= 1
            self.tries.append(time.monotonic())
            self.failed_once.set()
            raise ValueError("no such luck")
        RECORDS.apply(connection, events, log)


def test_report_58_a_projection_that_fails_is_tried_again_by_one_loop_that_slows_down(
    engine, start
):
    # given
    world = World().given([remember("Tea")])
    poison = Poison(20)

    # when
    runner = start(
        world.log,
        (replace(RECORDS, apply=poison, poison="stop"), EVIDENCE),
        retry_seconds=(0.001, 0.02),
    )
    reached = runner.wait_for("", world.log.head(), LONG)

    # then
    assert reached == world.log.head()
    assert runner.failure is None
    assert len(poison.threads) == 1
    pauses = [after - before for before, after in zip(poison.tries, poison.tries[1:], strict=False)]
    assert len(poison.tries) == 20
    assert min(pauses[5:]) >= 0.02
    assert len(rows(engine)) == 1


def test_a_failure_is_visible_and_the_other_projection_goes_on(engine, start):
    world = World().given([remember("One"), remember("Other"), relate()])
    poison = Poison(10**9)

    runner = start(world.log, (replace(RECORDS, apply=poison, poison="stop"), EVIDENCE))
    assert runner.wait_for("", world.log.head(), 0.5) == 0

    assert runner.failure is not None
    assert runner.failure.projection == "records"
    assert isinstance(runner.failure.error, ValueError)
    assert runner.failure.tries >= 1
    assert positions(engine) == {"evidence": world.log.head()}


def test_wakes_do_not_hurry_a_failing_projection(start):
    world = World().given([remember("Tea")])
    poison = Poison(10**9)
    runner = start(world.log, (replace(RECORDS, apply=poison),), retry_seconds=(LONG, LONG))
    assert poison.failed_once.wait(LONG)

    for _ in range(100):
        runner.wake(world.log.head())
    runner.wait_for("", world.log.head(), 0.1)

    assert len(poison.tries) == 1


def test_a_failing_log_is_a_failure_like_any_other(start):
    class Unreachable(MemoryLog):
        broken = False

        def head(self):
            if self.broken:
                raise OSError("the disk is gone")
            return super().head()

    world = World(log=Unreachable())
    runner = start(world.log, retry_seconds=(0.01, 0.01))
    world.given([remember("Tea")])
    position = world.log.head()
    world.log.broken = True

    assert runner.wait_for("", position, 0.1) == 0
    assert isinstance(runner.failure.error, OSError)

    world.log.broken = False
    assert runner.wait_for("", position, LONG) == position
    assert runner.failure is None


def test_read_models_of_another_log_are_refused_at_the_start(engine):
    follow(World().given([remember("One"), remember("Other")]).log, engine)

    with pytest.raises(ViewsAheadError):
        InProcessRunner(MemoryLog(), engine).start()
