"""Servers and workers in processes of their own, over one real PostgreSQL and one real Redis."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import pytest

from tests.cli.processes import HOST_KEY, START_SECONDS_MAX, environment, serving
from tests.services import fork_server

MASTER_KEY = "5c" * 32


@contextlib.contextmanager
def working(settings):
    """`memoranda worker` for the time of a block, once it says that it is ready."""
    process = fork_server.Started(
        [sys.executable, "-m", "ops.cli", "worker"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(**settings),
    )
    try:
        said = process.stdout.readline()
        assert "ready" in said, said
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=START_SECONDS_MAX)


@pytest.fixture
def settings(postgres_url, redis_url):
    """The settings of the server mode."""
    return {
        "database_url": postgres_url,
        "redis_url": redis_url,
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }


@pytest.fixture
def fleet(tmp_path, settings):
    """Starts so many servers and workers; gives the servers."""
    with contextlib.ExitStack() as running:

        def start(servers, workers):
            for _ in range(workers):
                running.enter_context(working(settings))
            return [
                running.enter_context(serving(tmp_path / f"data-{number}", **settings))
                for number in range(servers)
            ]

        yield start
