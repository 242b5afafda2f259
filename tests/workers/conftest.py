"""A file of read models, and runners that are stopped at the end."""

from __future__ import annotations

import pytest

from projections.catalogue import CATALOGUE
from tests.projections.views import new_views
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
