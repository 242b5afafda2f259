"""Jobs that ask a model: names alone, one for a window, and what becomes of those that fail."""

from __future__ import annotations

import pytest
from redis import Redis

from ops.worker_extraction import queues_for
from tests.workers.server_log import until
from workers import jobs
from workers.doorbell import EXTRACTION_QUEUE, Doorbell, Rung, extraction_key, open_redis, queue_of
from workers.jobs import Bench, JobFailedError
from workers.leases import LEASE_SECONDS, Lease

ONE = ("acme", "win_1")


@pytest.fixture
def redis(redis_url):
    with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def doorbell(redis_url):
    made = Doorbell(open_redis(redis_url))
    yield made
    made.close()


@pytest.fixture
def serve(doorbell):
    def serve(extract, *, stopping=False):
        jobs.serve(Bench(None, doorbell, lambda: stopping, extract=extract))

    yield serve
    jobs._Process.bench = None


def test_a_window_has_one_job_at_a_time_in_a_queue_of_its_own(doorbell, redis):
    rung = [doorbell.ring_for_extraction(*ONE, 90) for _ in range(2)]
    assert rung == [Rung.QUEUED, Rung.WAITING]
    assert doorbell.ring_for_extraction("acme", "win_2", 90) is Rung.QUEUED
    found = queue_of(redis, EXTRACTION_QUEUE).jobs
    assert [(job.func_name, tuple(job.args)) for job in found] == [
        ("workers.jobs.extract", ONE),
        ("workers.jobs.extract", ("acme", "win_2")),
    ]
    assert {job.timeout for job in found} == {90}
    assert queue_of(redis).jobs == []
    assert 3 < redis.ttl(extraction_key(*ONE)) <= 90


def test_when_its_job_is_done_a_window_may_wait_again(doorbell, serve):
    done = []
    doorbell.ring_for_extraction(*ONE, 90)
    serve(lambda *name: done.append(name))
    jobs.extract(*ONE)
    assert done == [ONE]
    assert doorbell.ring_for_extraction(*ONE, 90) is Rung.QUEUED


def test_a_job_that_fails_says_no_more_than_the_class_and_is_not_repeated_at_once(doorbell, serve):
    def fail(*_):
        raise ValueError("Rosebud")

    doorbell.ring_for_extraction(*ONE, 90)
    serve(fail)
    with pytest.raises(JobFailedError, match="ValueError") as failed:
        jobs.extract(*ONE)
    assert "Rosebud" not in str(failed.value)
    assert doorbell.ring_for_extraction(*ONE, 90) is Rung.WAITING


def test_what_a_worker_gives_up_when_it_stops_another_one_takes_at_once(doorbell, serve):
    def stopped(*_):
        raise TimeoutError

    doorbell.ring_for_extraction(*ONE, 90)
    serve(stopped, stopping=True)
    with pytest.raises(JobFailedError):
        jobs.extract(*ONE)
    assert doorbell.ring_for_extraction(*ONE, 90) is Rung.QUEUED


def test_a_window_is_held_for_a_lease_while_it_is_worked_on_and_else_as_before(
    doorbell, serve, redis
):
    key, held = extraction_key(*ONE), []

    def fail(*_):
        held.append(redis.pttl(key))
        raise ValueError

    doorbell.ring_for_extraction(*ONE, 9_000)
    serve(fail)
    with pytest.raises(JobFailedError):
        jobs.extract(*ONE)

    # Who dies at work holds the window for that long, and nobody after it
    assert 0 < held[0] <= LEASE_SECONDS * 1_000
    assert 8_000_000 < redis.pttl(key) <= 9_000_000


def test_a_lease_is_renewed_for_as_long_as_the_work_takes(redis):
    redis.set("memoranda:wake:one", "1", ex=9_000)
    with Lease(redis, "memoranda:wake:one", seconds=0.5):
        # Given a lease that is over, as far as Redis knows
        redis.delete("memoranda:wake:one")
        # Then it is taken again
        until(lambda: redis.exists("memoranda:wake:one"), "the renewal")
    assert 8_000_000 < redis.pttl("memoranda:wake:one") <= 9_000_000


def test_work_goes_on_where_redis_is_away(doorbell, serve):
    done = []
    away = Doorbell(open_redis("redis://127.0.0.1:1/0"))
    jobs.serve(Bench(None, away, extract=lambda *name: done.append(name)))
    jobs.extract(*ONE)
    away.close()
    assert done == [ONE]


def test_a_worker_without_a_model_says_so(serve):
    serve(None)
    with pytest.raises(JobFailedError, match="MEMORANDA_EXTRACTOR"):
        jobs.extract(*ONE)


def test_a_worker_takes_the_jobs_that_it_has_settings_for_unless_queues_are_named(model):
    assert queues_for([], None) == ["memoranda"]
    assert queues_for([], model) == ["memoranda", EXTRACTION_QUEUE]
    assert queues_for(["mine"], model) == ["mine"]
