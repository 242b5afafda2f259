"""The servers that tests run on are real, of the test alone, and gone at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psycopg
import pytest
import redis

from tests.services.keeper import ROOT
from tests.services.ports import wait_until
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer

RUN = """
import os, sys
from pathlib import Path
from tests.services import keeper
folder = Path(sys.argv[1])
print(keeper.ask("redis", folder, os.getpid()), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("test", ["one", "another"])
def test_a_test_has_a_database_to_itself(empty_postgres_url, test):
    with psycopg.connect(empty_postgres_url) as connection:
        connection.execute("CREATE TABLE mine (x int)")


@pytest.mark.parametrize("test", ["one", "another"])
def test_a_test_has_an_empty_redis(redis_url, test):
    with redis.Redis.from_url(redis_url) as client:
        assert client.dbsize() == 0
        client.set("left", "behind")


def test_postgresql_keeps_what_was_committed_over_a_crash(service_folder):
    server = PostgresServer(service_folder / "server")
    try:
        server.start()
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 1 AS x")
        server.crash()
        server.start()
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SELECT x FROM kept").fetchall() == [(1,)]
    finally:
        server.remove()


def test_redis_is_empty_after_a_crash(tmp_path):
    server = RedisServer(tmp_path / "redis")
    try:
        server.start()
        with redis.Redis.from_url(server.url) as client:
            client.set("a", "b")
        server.crash()
        server.start()
        with redis.Redis.from_url(server.url) as client:
            assert client.dbsize() == 0
    finally:
        server.remove()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_killed_leaves_no_server_behind(tmp_path, end):
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, tmp_path / "kept"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with run:
        assert run.stdout is not None
        assert run.stdout.readline().startswith("redis://")
        keeper = int((tmp_path / "kept" / "pid").read_text())
        run.send_signal(end)
        run.wait(10)

    wait_until(lambda: not _lives(keeper), "the keeper to end")
    assert not (tmp_path / "kept").exists()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
