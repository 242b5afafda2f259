"""Read models in a file, and a log, read models and a doorbell of the server mode."""

from __future__ import annotations

import pytest
from redis import Redis

from projections.catalogue import CATALOGUE
from projections.database import open_views
from tests.projections.histories import World
from tests.projections.views import new_views
from tests.workers.server_log import ServerLog
from workers.doorbell import Doorbell, open_redis
from workers.runner import InProcessRunner


@pytest.fixture
def engine():
    with new_views() as engine:
        yield engine


@pytest.fixture
def start(engine):
    started = []

    def start(log, catalogue=CATALOGUE, **settings):
        runner = InProcessRunner(log, engine, catalogue, **settings)
        runner.start()
        started.append(runner)
        return runner

    yield start
    for runner in started:
        runner.stop()


@pytest.fixture
def log(postgres_url):
    opened = ServerLog(postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def world(log):
    return World(log=log)


@pytest.fixture
def views(postgres_url):
    engine = open_views(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def redis(redis_url):
    with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def doorbell(redis_url):
    made = Doorbell(open_redis(redis_url))
    yield made
    made.close()
