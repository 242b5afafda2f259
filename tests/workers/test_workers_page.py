"""The commands of docs/how-to/workers.md do what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from domain.parts import part_of_workspace
from projections.schema import PARKED
from tests.projections.commands import remember
from tests.projections.histories import World
from tests.projections.views import rows
from tests.workers.failing import RECORDS, no_pause, poisoned
from tests.workers.test_worker_processes import worker_environment
from workers.catch_up import catch_up
from workers.doorbell import Doorbell, open_redis
from workers.sweeper import Sweeper

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "workers.md"
ACME = part_of_workspace("acme", 64)
pytestmark = pytest.mark.timeout(300)


def run(word, env):
    """Run the one block of the page in which a word stands."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    [script] = [block for block in blocks if word in block]
    shim = f'memoranda() {{ "{sys.executable}" -m ops.cli "$@"; }}\n'
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shim + script],
        env=env | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_burst_does_what_is_queued(log, views, postgres_url, redis_url):
    World(log=log).given([remember("Tea")])
    doorbell = Doorbell(open_redis(redis_url))
    Sweeper(log.site(views), doorbell).sweep()
    doorbell.close()

    done = run("--burst", worker_environment(postgres_url, redis_url))

    assert done.returncode == 0, done.stderr
    assert len(rows(views)) == 1


def test_a_parked_record_is_looked_at_and_released(log, views, postgres_url, redis_url):
    # Given a record that is parked for a fault of a program that was mended
    world = World(log=log).given([remember("Tea")])
    doomed = log.stream(*world.memories[0])[0].position
    catch_up(poisoned(RECORDS, [doomed]), ACME, log, views, pause=no_pause)
    assert len(rows(views, PARKED)) == 1

    done = run("parked", worker_environment(postgres_url, redis_url))

    assert done.returncode == 0, done.stderr
    assert f"parked by records since position {doomed}" in done.stdout
    assert "ValueError" in done.stdout
    assert "is shown again" in done.stdout
    assert rows(views, PARKED) == []
    assert len(rows(views)) == 1
