"""Failures of other programs that follow a log, as tests of ours."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from dataclasses import replace

import pytest
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from ops.rebuild_postgres import rebuild_beside
from projections.catalogue import CATALOGUE
from projections.checkpoints import BusyError
from projections.database import reading
from projections.parked_streams import parked_counts
from tests.projections.commands import remember, update
from tests.workers.failing import poisoned, release
from tests.workers.server_log import (
    assert_each_once_and_in_order,
    make_witness,
    until,
    witnessed,
)
from tests.workers.test_worker_processes import started, worker_environment
from tests.workers.witness import witness
from workers import jobs
from workers.catch_up import catch_up
from workers.doorbell import Rung, queue_of
from workers.sweeper import Sweeper
from workers.waiting import WorkersElsewhere

pytestmark = pytest.mark.timeout(300)


def facts(count, workspace="acme"):
    return [remember(f"Fact {number}", said={"workspace": workspace}) for number in range(count)]


def work(redis, bench):
    """Do all queued jobs, as a worker does."""
    jobs.serve(bench)
    SimpleWorker([queue_of(redis)], connection=redis, serializer=JSONSerializer).work(
        burst=True, logging_level="ERROR"
    )


def test_report_49_a_wake_that_got_lost_is_made_good_without_a_further_append(
    world, log, views, doorbell, redis
):
    # given: an append of which nobody is told, as where a notification is lost
    server = WorkersElsewhere.over(log.site(views), doorbell)
    server.start()
    try:
        world.given(facts(1))
        # when: nothing more is appended, and the sweeper's timer goes off
        until(lambda: queue_of(redis).count > 0, "the sweeper to see it", 10)
    finally:
        server.stop()
    # then
    work(redis, jobs.Bench(log.site(views), doorbell))
    assert log.site(views).laggards() == []


def test_report_54_a_position_never_passes_an_event_that_others_left_behind(
    world, log, views, postgres_url
):
    # given: 12 lineages, the first of which has an event that always fails
    world.given([*facts(12), *(update(number, add_tags=["x"]) for number in range(12))])
    make_witness(postgres_url)
    culprit = log.stream(*world.memories[0])[0]
    counting = witness()
    failing = poisoned(counting, [culprit.position])
    (part,) = log.heads()

    # when: four workers follow it at once
    def follow():
        while any(one.part == part for one in log.site(views, (failing,)).laggards()):
            with suppress(BusyError, ValueError):
                catch_up(failing, part, log, views, 3, pause=lambda _: None)

    workers = [threading.Thread(target=follow) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    # then: the others went on, and what was left behind is visible
    handled = [stream for _, stream, _ in witnessed(postgres_url)]
    assert len(handled) == 22
    assert culprit.stream not in handled
    with reading(views) as connection:
        assert parked_counts(connection, (counting,)) == {"witness": (1, 2)}
    # and after the mending it is handled once
    release(world, "retry", world.memories[0], "witness")
    catch_up(counting, part, log, views)
    again = [version for _, stream, version in witnessed(postgres_url) if stream == culprit.stream]
    assert again == [1, 2]


def test_report_56_a_rebuild_folds_and_does_nothing_else(world, log, views, postgres_url, redis):
    # given
    world.given([*facts(5), *(update(number, add_tags=["x"]) for number in range(5))])
    for part in log.heads():
        for projection in CATALOGUE:
            catch_up(projection, part, log, views)
    head = log.head()
    # when
    rebuild_beside(log, postgres_url, lambda _position, _head: None)
    # then: no event, no job, no wake
    assert log.head() == head
    assert redis.dbsize() == 0
    assert log.site(views).laggards() == []


def test_report_61_nothing_depends_on_the_life_of_a_job(
    world, log, views, postgres_url, redis_url, redis, doorbell, tmp_path
):
    # given: a job that a worker has begun, and one that is queued
    world.given([*facts(40), *facts(40, "other")])
    make_witness(postgres_url)
    site = log.site(views, (witness(),))
    env = worker_environment(postgres_url, redis_url)
    for part in log.heads():
        assert doorbell.ring(witness(), part) is Rung.QUEUED
    # when: the worker is killed amid its batch, and Redis forgets everything
    with started(["tests.workers.witness", "slow"], env, tmp_path) as worker:
        worker.until_line("batch")
        worker.end(signal.SIGKILL)
    redis.flushall()
    # then: a sweep continues from the stored positions
    sweeper = Sweeper(site, doorbell)
    assert sweeper.sweep()
    work(redis, jobs.Bench(site, doorbell))
    assert site.laggards() == []
    assert_each_once_and_in_order(postgres_url, log, witness())


def test_report_62_a_hundred_wakes_are_one_run_that_starts_after_the_last(
    world, log, views, postgres_url, redis, doorbell
):
    # given: a run that has begun, and appends something while it is at it
    make_witness(postgres_url)
    world.given(facts(3))
    (part,) = log.heads()
    rung = []
    counting = witness()

    def ring_meanwhile(connection, events, reader):
        counting.apply(connection, events, reader)
        if events and not rung:
            world.given(facts(2))
            rung.extend(doorbell.ring(counting, part) for _ in range(100))

    doorbell.ring(counting, part)
    # when
    bench = jobs.Bench(log.site(views, (replace(counting, apply=ring_meanwhile),)), doorbell)
    work(redis, bench)
    # then: of a hundred wakes one was queued, and its run saw what was appended before
    assert rung.count(Rung.QUEUED) == 1
    assert rung.count(Rung.WAITING) == 99
    assert_each_once_and_in_order(postgres_url, log, counting)


def test_report_63_a_job_whose_data_is_gone_stops_no_worker(
    world, log, views, postgres_url, redis_url, redis, doorbell, tmp_path
):
    # given: two queued jobs, the first one's data deleted
    world.given([*facts(2), *facts(2, "other")])
    make_witness(postgres_url)
    for part in log.heads():
        doorbell.ring(witness(), part)
    first, second = queue_of(redis).job_ids
    redis.delete(f"rq:job:{first}")
    # when
    env = worker_environment(postgres_url, redis_url)
    site = log.site(views, (witness(),))
    with started(["tests.workers.witness", "quick"], env, tmp_path) as worker:
        until(lambda: not site.laggards(), "the worker")
        # then: it goes on, with the next job and with what a sweep wakes anew
        assert worker.process.poll() is None
        assert worker.end() == 0
    assert second not in queue_of(redis).job_ids
    assert_each_once_and_in_order(postgres_url, log, witness())
