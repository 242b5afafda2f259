"""Killed at any moment, a follower or a rebuild goes on where its last transaction ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ops.rebuild import building_path, rebuild
from projections.database import open_views
from tests.projections.commands import forget, relate, remember, update
from tests.projections.histories import World
from tests.projections.store_log import StoreLog
from tests.projections.views import follow, new_views, positions, tables
from tests.services import fork_server

ROOT = Path(__file__).parents[2]

FOLLOW = """
import sys
from pathlib import Path
from projections.catalogue import CATALOGUE
from projections.database import open_views
from tests.projections.store_log import StoreLog
from workers.catch_up import catch_up

folder = Path(sys.argv[1])
log, engine = StoreLog(folder), open_views(folder / "views.db")

def tell():
    print("batch", flush=True)
    return False

for projection in CATALOGUE:
    catch_up(projection, 0, log, engine, 3, tell)
"""
REBUILD = """
import sys
from pathlib import Path
from ops.rebuild import rebuild
from tests.projections.store_log import StoreLog

folder = Path(sys.argv[1])
rebuild(
    StoreLog(folder), folder / "views.db", lambda *_: print("batch", flush=True), batch=3
)
"""


@pytest.fixture
def world(tmp_path):
    log = StoreLog(tmp_path)
    commands = [remember(f"Fact {number}", tags=[str(number)]) for number in range(30)]
    commands += [update(number, add_tags=["later"]) for number in range(0, 30, 2)]
    commands += [relate(number, number + 1) for number in range(20)]
    yield World(log=log).given([*commands, forget(3, "application_delete")])
    log.close()


def killed_after(batches, script, folder):
    """Run a script and kill it when it has told of so many batches."""
    process = fork_server.Started(
        [sys.executable, "-c", script, str(folder)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with process:
        for _ in range(batches):
            assert process.stdout.readline() == b"batch\n"
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def test_a_follower_that_is_killed_loses_and_doubles_nothing(world, tmp_path):
    killed_after(3, FOLLOW, tmp_path)
    killed_after(5, FOLLOW, tmp_path)

    engine = open_views(tmp_path / "views.db")
    follow(world.log, engine)

    with new_views() as never_killed:
        follow(world.log, never_killed)
        assert tables(engine) == tables(never_killed)
        assert positions(engine) == positions(never_killed)
    engine.dispose()


def test_a_rebuild_that_is_killed_is_continued(world, tmp_path):
    path = tmp_path / "views.db"
    killed_after(4, REBUILD, tmp_path)
    assert building_path(path).exists()
    assert not path.exists()
    killed_after(4, REBUILD, tmp_path)
    told = []

    rebuild(world.log, path, lambda position, _: told.append(position))

    assert told[0] > 0
    assert not building_path(path).exists()
    engine = open_views(path)
    with new_views() as never_killed:
        follow(world.log, never_killed)
        assert tables(engine) == tables(never_killed)
    engine.dispose()
