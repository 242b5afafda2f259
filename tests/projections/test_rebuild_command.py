"""`memoranda rebuild` on the server mode's database, whose log is the real one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from projections.database import open_views, writing
from projections.schema import MEMORY_VERSION
from tests.projections.commands import relate, remember, update
from tests.projections.databases import Sqlite, using
from tests.projections.histories import World
from tests.projections.views import follow, tables
from tests.services import fork_server
from tests.workers.server_log import MASTER_KEY, ServerLog

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def database():
    """Each test has a migrated database of its own."""
    with using(Sqlite(parts=64)) as database:
        yield database


@pytest.fixture
def log(postgres_url):
    log = ServerLog(postgres_url)
    yield log
    log.close()


@pytest.fixture
def views(postgres_url):
    engine = open_views(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def rebuild(postgres_url):
    def run(*options):
        environment = {
            "MEMORANDA_DATABASE_URL": postgres_url,
            "MEMORANDA_REDIS_URL": "redis://127.0.0.1:1/0",
            "MEMORANDA_MASTER_KEY": MASTER_KEY.hex(),
        }
        return fork_server.finished(
            [sys.executable, "-m", "ops.cli", "rebuild", "--json", *options],
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_command_builds_beside_compares_and_flips(log, views, rebuild):
    world = World(log=log).given([remember("Tea"), remember("Cake"), relate(), update(0)])
    follow(world.log, views)
    before = tables(views)

    done = rebuild()

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"position": log.head()}
    assert tables(views) == before


def test_a_wrong_row_is_told_and_can_be_replaced(log, views, rebuild):
    world = World(log=log).given([remember("Tea")])
    follow(world.log, views)
    before = tables(views)
    with writing(views) as connection:
        connection.execute(MEMORY_VERSION.update().values(record="{}"))

    refused = rebuild()

    assert refused.returncode == 1
    assert "--without-comparing" in json.loads(refused.stderr)["error"]["message"]
    assert rebuild("--without-comparing").returncode == 0
    assert tables(views) == before
