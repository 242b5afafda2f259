"""Worker processes that are killed, beside a Redis that is flushed, crashes and comes back."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import zlib
from base64 import b64decode
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from redis import Redis

from ops.migrating import migrate
from tests.cli.processes import environment
from tests.projections.commands import forget, remember, update
from tests.projections.histories import World
from tests.projections.views import rows
from tests.services import fork_server
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer
from tests.workers.server_log import (
    LONG,
    MASTER_KEY,
    ServerLog,
    assert_each_once_and_in_order,
    make_witness,
    until,
    witnessed,
)
from tests.workers.witness import witness
from workers.doorbell import Doorbell, open_redis
from workers.sweeper import Sweeper
from workers.waiting import WorkersElsewhere

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)
WORKSPACES = ("acme", "other", "third")


def worker_environment(database_url, redis_url):
    settings = {
        "database_url": database_url, "redis_url": redis_url, "master_key": MASTER_KEY.hex(),
    }  # fmt: skip
    return environment(**settings) | {"PYTHONPATH": str(ROOT)}


class Process:
    """A worker in a process of its own; what it says is read line by line."""

    def __init__(self, command, env, folder):
        self.errors = folder / f"errors-{len(list(folder.iterdir()))}"
        with self.errors.open("wb") as errors:
            self.process = fork_server.Started(
                [sys.executable, "-m", *command],
                bufsize=0,  # so that what is not read yet can be waited for
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=env,
                cwd=ROOT,
            )

    def line(self):
        said = self.process.stdout.readline().decode()
        assert said, self.errors.read_text()
        return said

    def until_line(self, wanted):
        while not (said := self.line()).startswith(wanted):
            pass
        return said

    def says(self, wanted, seconds):
        """Whether it says a line that begins so; it is given up when it is silent for so long."""
        while select.select([self.process.stdout], [], [], seconds)[0]:
            if self.line().startswith(wanted):
                return True
        return False

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(LONG)


@contextmanager
def started(command, env, folder):
    process = Process(command, env, folder)
    try:
        yield process
    finally:
        process.end(signal.SIGKILL)


@pytest.fixture
def own_redis(service_folder):
    server = RedisServer(service_folder / "redis")
    server.start()
    yield server
    server.remove()


def facts(count, workspace="acme"):
    return [remember(f"Fact {number}", said={"workspace": workspace}) for number in range(count)]


def test_a_worker_that_is_killed_amid_a_batch_loses_and_doubles_nothing(
    world, log, views, postgres_url, redis_url, tmp_path
):
    # Given more events than a worker gets to
    world.given([*facts(60), *(update(number, add_tags=["later"]) for number in range(60))])
    make_witness(postgres_url)
    env = worker_environment(postgres_url, redis_url)
    # When workers are killed while they handle a batch
    for _ in range(3):
        with started(["tests.workers.witness", "slow"], env, tmp_path) as worker:
            worker.until_line("batch")
            assert worker.end(signal.SIGKILL) == -signal.SIGKILL
    assert witnessed(postgres_url) == []
    # Then another one handles all of it, once
    site = log.site(views, (witness(),))
    with started(["tests.workers.witness", "quick"], env, tmp_path) as worker:
        until(lambda: not site.laggards(), "the last worker")
        assert worker.end() == 0
    assert_each_once_and_in_order(postgres_url, log, witness())


def test_workers_side_by_side_are_killed_and_redis_is_flushed(
    world, log, views, postgres_url, redis_url, tmp_path
):
    make_witness(postgres_url)
    env = worker_environment(postgres_url, redis_url)
    site = log.site(views, (witness(),))
    doorbell = Doorbell(open_redis(redis_url))
    command = ["tests.workers.witness", "slow"]
    workers = [Process(command, env, tmp_path) for _ in range(2)]
    try:
        for worker in workers:
            worker.until_line("memoranda worker")
        for round_ in range(4):
            doomed, flushes = workers.pop(0), round_ % 2
            # The others may take all that there is: there is more until this one has something.
            while True:
                world.given([one for workspace in WORKSPACES for one in facts(8, workspace)])
                for part in log.heads():
                    doorbell.ring(witness(), part)
                if flushes:
                    with Redis.from_url(redis_url) as client:
                        client.flushall()
                if doomed.says("batch", 3):
                    break
            doomed.end(signal.SIGKILL)
            workers.append(Process(command, env, tmp_path))
        until(lambda: not site.laggards(), "the workers")
        assert [worker.process.poll() for worker in workers] == [None, None]
    finally:
        for worker in workers:
            worker.end()
        doorbell.close()
    assert_each_once_and_in_order(postgres_url, log, witness())


def test_redis_crashes_and_comes_back(world, log, views, postgres_url, own_redis, tmp_path):
    # Given a server process that wakes, and a worker
    doorbell = Doorbell(open_redis(own_redis.url))
    server = WorkersElsewhere.over(log.site(views), doorbell)
    server.start()
    env = worker_environment(postgres_url, own_redis.url)
    with started(["ops.cli", "worker"], env, tmp_path) as worker:
        try:
            worker.until_line("memoranda worker")

            def seen(count):
                world.given(facts(count))
                server.wake(log.head())
                return server.wait_for("acme", log.head(), LONG) >= log.head()

            assert seen(3)
            own_redis.crash()
            assert seen(3)
            until(lambda: doorbell.state.away, "somebody to notice")
            own_redis.start()
            assert seen(3)
            until(lambda: seen(1) and not doorbell.state.away, "the doorbell")
        finally:
            server.stop()
            doorbell.close()
        assert worker.end() == 0
    assert rows(views, lifecycle="active") != []
    assert not log.site(views).laggards()


def test_postgresql_crashes_under_a_worker_and_comes_back(service_folder, redis_url, tmp_path):
    # Given a worker that follows a database of this test's own
    database, world = PostgresServer(service_folder / "postgres"), World()
    try:
        database.start()
        migrate(database.url)
        make_witness(database.url)
        env = worker_environment(database.url, redis_url)
        with started(["tests.workers.witness", "slow"], env, tmp_path) as worker:
            worker.until_line("memoranda worker")
            with closing(ServerLog(database.url)) as world.log:
                world.given(facts(40))
            worker.until_line("batch")
            # When it crashes amid a batch
            database.crash()
            database.start()
            with closing(ServerLog(database.url)) as world.log:
                world.given(facts(3, "other"))
                until(lambda: len(witnessed(database.url)) >= 43, "the worker to go on")
                # Then the same process went on, and every event was handled once
                assert worker.process.poll() is None
                assert worker.end() == 0
                assert_each_once_and_in_order(database.url, world.log, witness())
        # And what happened is told in a word, not in tracebacks
        assert "OperationalError" in worker.errors.read_text()
        assert "Traceback" not in worker.errors.read_text()
    finally:
        database.remove()


def redis_content(url):
    """Everything that is in a Redis, with what is compressed in it."""
    with Redis.from_url(url) as client:
        readers = {
            b"hash": client.hgetall,
            b"list": lambda name: client.lrange(name, 0, -1),
            b"set": client.smembers,
            b"zset": lambda name: client.zrange(name, 0, -1),
            b"stream": client.xrange,
            b"string": client.get,
        }
        found = [(key, readers.get(client.type(key), str)(key)) for key in client.scan_iter()]
    return " ".join(text for value in _leaves(found) for text in _readable(value))


def _leaves(value):
    if isinstance(value, dict):
        value = [*value.items()]
    if isinstance(value, (list, tuple, set)):
        return [leaf for one in value for leaf in _leaves(one)]
    return [value if isinstance(value, bytes) else str(value).encode()]


def _readable(value):
    yield value.decode(errors="replace")
    for unpack in (zlib.decompress, lambda said: zlib.decompress(b64decode(said))):
        with suppress(ValueError, zlib.error):
            yield unpack(value).decode(errors="replace")


def test_no_content_reaches_redis_jobs_logs_or_tracebacks(
    world, log, views, postgres_url, redis_url, tmp_path
):
    # Given handlers that raise all that they were given, in whatever way
    make_witness(postgres_url)
    world.given([remember("Rosebud"), update(0, add_tags=["Rosebud"]), forget(0)])
    env = worker_environment(postgres_url, redis_url)
    with started(["tests.workers.witness", "raising"], env, tmp_path) as worker:
        until(lambda: len(witnessed(postgres_url)) == 3, "the one that works")
        until(lambda: _parked(postgres_url) == 3, "the stream to be parked")
        until(lambda: b"OperationalError" in worker.errors.read_bytes(), "a warning")
        until(lambda: "JobFailedError" in redis_content(redis_url), "a failed job")
        # Then it is nowhere but in the log
        said = redis_content(redis_url) + worker.errors.read_text()
        worker.end()
    assert "raising-operational" in said
    assert "Rosebud" not in said
    assert "Rosebud" not in repr(rows(views))
    with psycopg.connect(postgres_url) as connection:
        parked = connection.execute("SELECT * FROM memoranda_views.parked").fetchall()
        attempts = connection.execute("SELECT * FROM memoranda_views.attempt").fetchall()
    assert {row[7] for row in parked} == {"ValueError", ""}
    assert attempts == []
    assert "Rosebud" not in repr(parked)


def _parked(url):
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) FROM memoranda_views.parked").fetchone()[0]


# --- The command ---------------------------------------------------------------------------------


def test_the_command_starts_another_worker_where_one_dies_and_ends_when_told(
    world, log, views, postgres_url, redis_url, tmp_path
):
    env = worker_environment(postgres_url, redis_url)
    with started(["ops.cli", "worker"], env, tmp_path) as worker:
        first = int(worker.until_line("memoranda worker").split()[2])
        os.kill(first, signal.SIGKILL)
        second = int(worker.until_line("memoranda worker").split()[2])
        assert second != first
        world.given(facts(3))
        until(lambda: not log.site(views).laggards(), "the second worker")

        assert worker.end() == 0
        assert "killed by signal 9" in worker.errors.read_text()
    assert not _lives(second)


def test_a_worker_ends_with_its_supervisor(postgres_url, redis_url, tmp_path):
    env = worker_environment(postgres_url, redis_url)
    with started(["ops.cli", "worker"], env, tmp_path) as worker:
        child = int(worker.until_line("memoranda worker").split()[2])
        worker.process.kill()
        until(lambda: not _lives(child), "the worker to notice")


def _lives(pid):
    try:
        # Whoever adopted it may not have looked at it yet.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_burst_ends_when_nothing_is_queued(world, log, views, postgres_url, redis_url, tmp_path):
    world.given(facts(3))
    doorbell = Doorbell(open_redis(redis_url))
    Sweeper(log.site(views), doorbell).sweep()
    doorbell.close()

    env = worker_environment(postgres_url, redis_url)
    with started(["ops.cli", "worker", "--burst"], env, tmp_path) as worker:
        assert worker.process.wait(LONG) == 0

    assert not log.site(views).laggards()
    assert len(rows(views)) == 3


def test_a_worker_without_a_database_to_follow_is_refused(tmp_path):
    with started(["ops.cli", "worker"], environment(), tmp_path) as worker:
        assert worker.process.wait(LONG) == 78
        assert "MEMORANDA_DATABASE_URL is missing" in worker.errors.read_text()


def test_a_worker_refuses_a_database_that_is_not_migrated(empty_postgres_url, redis_url, tmp_path):
    env = worker_environment(empty_postgres_url, redis_url)
    with started(["ops.cli", "worker"], env, tmp_path) as worker:
        assert worker.process.wait(LONG) == 78
        assert "memoranda migrate" in worker.errors.read_text()


def test_a_worker_refuses_another_master_key(world, postgres_url, redis_url, tmp_path):
    world.given(facts(1))
    env = worker_environment(postgres_url, redis_url) | {"MEMORANDA_MASTER_KEY": "ab" * 32}
    with started(["ops.cli", "worker"], env, tmp_path) as worker:
        assert worker.process.wait(LONG) == 78
        assert "master" in worker.errors.read_text()
