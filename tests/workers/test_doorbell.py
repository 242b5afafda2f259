"""Redis as a doorbell: a wake is queued once, and whatever Redis does, nobody waits for it."""

from __future__ import annotations

import json
import zlib

import pytest

from projections.catalogue import CATALOGUE
from tests.services.redis_server import RedisServer
from tests.workers.black_hole import black_hole, nobody
from workers.doorbell import (
    REST_SECONDS,
    WAKE_SECONDS,
    Doorbell,
    Rung,
    label,
    open_redis,
    queue_of,
    wake_key,
)

RECORDS, EVIDENCE, BUNDLES = CATALOGUE


class Hands:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_wake_queues_one_job_for_a_projection_and_part(doorbell, redis):
    assert [doorbell.ring(RECORDS, 7) for _ in range(3)] == [
        Rung.QUEUED, Rung.WAITING, Rung.WAITING,
    ]  # fmt: skip
    assert doorbell.ring(RECORDS, 8) is Rung.QUEUED
    assert doorbell.ring(EVIDENCE, 7) is Rung.QUEUED

    jobs = queue_of(redis).jobs
    assert [(job.func_name, tuple(job.args)) for job in jobs] == [
        ("workers.jobs.catch_up", ("records/2", 7)),
        ("workers.jobs.catch_up", ("records/2", 8)),
        ("workers.jobs.catch_up", ("evidence/1", 7)),
    ]
    assert {(job.result_ttl, job.retries_left) for job in jobs} == {(0, 3)}
    assert 0 < redis.ttl(wake_key("records/2", 7)) <= WAKE_SECONDS


def test_what_is_appended_while_a_job_runs_wakes_another_one(doorbell):
    doorbell.ring(RECORDS, 7)
    doorbell.take(label(RECORDS), 7)

    assert doorbell.ring(RECORDS, 7) is Rung.QUEUED


def test_a_flushed_redis_is_rung_again(doorbell, redis):
    doorbell.ring(RECORDS, 7)
    redis.flushall()

    assert doorbell.ring(RECORDS, 7) is Rung.QUEUED
    assert len(queue_of(redis).jobs) == 1


def test_jobs_are_json_which_executes_nothing(doorbell, redis):
    doorbell.ring(RECORDS, 7)

    [job] = queue_of(redis).jobs
    data = redis.hget(job.key, "data")
    assert json.loads(zlib.decompress(data)) == [
        "workers.jobs.catch_up", None, ["records/2", 7], {},
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["refused", "hung"])
def test_a_redis_that_does_not_answer_is_told_and_raises_nothing(where):
    with black_hole() as hung:
        clock = Hands()
        doorbell = Doorbell(open_redis(hung if where == "hung" else nobody()), clock)
        assert not doorbell.state.away

        assert doorbell.ring(RECORDS, 7) is Rung.AWAY

        assert doorbell.state.away
        assert doorbell.state.errors == 1
        assert doorbell.state.last_error in {"ConnectionError", "TimeoutError"}
        # Then nobody tries again for a while
        assert doorbell.ring(RECORDS, 8) is Rung.AWAY
        assert doorbell.state.errors == 1
        clock.now += REST_SECONDS
        assert doorbell.ring(RECORDS, 8) is Rung.AWAY
        assert doorbell.state.errors == 2
        doorbell.take(label(RECORDS), 7)
        doorbell.close()


def test_a_redis_that_comes_back_is_used_again(service_folder):
    server = RedisServer(service_folder / "redis")
    server.start()
    clock = Hands()
    doorbell = Doorbell(open_redis(server.url), clock)
    try:
        assert doorbell.ring(RECORDS, 7) is Rung.QUEUED
        server.crash()
        assert doorbell.ring(RECORDS, 8) is Rung.AWAY
        server.start()
        clock.now += REST_SECONDS

        assert doorbell.ring(RECORDS, 8) is Rung.QUEUED

        assert not doorbell.state.away
        assert doorbell.state.errors == 1
    finally:
        doorbell.close()
        server.remove()


def test_a_job_that_cannot_be_queued_holds_nobody_up(redis_url, redis):
    # Given a Redis that takes the key, and has no room for a job
    doorbell = Doorbell(open_redis(redis_url), Hands())
    redis.set("rq:queue:memoranda", "no list")

    assert doorbell.ring(RECORDS, 7) is Rung.AWAY

    assert not redis.exists(wake_key("records/2", 7))
    doorbell.close()
