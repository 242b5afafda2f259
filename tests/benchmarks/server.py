"""A durable PostgreSQL, a Redis and a Memoranda over them, for benchmarks of the server mode."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from ops.memoranda import Memoranda
from ops.migrating import migrate
from ops.settings import ServerMode
from ops.wiring import open_server
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer

MASTER_KEY: Final = bytes(range(32))
DURABLE: Final = ("fsync", "synchronous_commit", "full_page_writes")
# What the tests turn off for speed is on again; the rest is PostgreSQL's default.
_SETTINGS: Final = {"fsync": "on", "shared_buffers": "256MB", "max_wal_size": "4GB"}


@dataclass(frozen=True)
class Services:
    """Two running servers, and a folder for what else is needed."""

    folder: Path
    postgres: PostgresServer
    redis: RedisServer

    @property
    def mode(self) -> ServerMode:
        """How a Memoranda is opened over them."""
        return ServerMode(self.postgres.url, self.redis.url, MASTER_KEY)

    @contextmanager
    def memoranda(self, name: str = "api") -> Iterator[Memoranda]:
        """One process's Memoranda, in this process."""
        opened = open_server(self.mode, self.folder / name)
        try:
            yield opened
        finally:
            opened.close()

    @contextmanager
    def worker(self) -> Iterator[None]:
        """`memoranda worker` in a process of its own."""
        settings = {
            "MEMORANDA_DATABASE_URL": self.mode.database_url,
            "MEMORANDA_REDIS_URL": self.mode.redis_url,
            "MEMORANDA_MASTER_KEY": MASTER_KEY.hex(),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "ops.cli", "worker"],
            stdout=subprocess.PIPE,
            env=os.environ | settings,
        )
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.terminate()
            process.communicate(timeout=60)


@contextmanager
def services() -> Iterator[Services]:
    """Started on empty folders, durable; exit status 1 where they are not."""
    with tempfile.TemporaryDirectory(prefix="memoranda-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        postgres = PostgresServer(folder / "postgres", _SETTINGS)
        redis = RedisServer(folder / "redis")
        try:
            postgres.start()
            redis.start()
            refuse_what_is_not_durable(postgres.url)
            migrate(postgres.url)
            yield Services(folder, postgres, redis)
        finally:
            redis.remove()
            postgres.remove()


def refuse_what_is_not_durable(url: str) -> None:
    """Print the settings that a commit's durability rests on; figures without them mean nothing."""
    with psycopg.connect(url) as connection:
        found = {
            name: connection.execute(
                "SELECT setting FROM pg_settings WHERE name = %s", (name,)
            ).fetchone()
            for name in (*DURABLE, "server_version", "shared_buffers", "max_wal_size")
        }
    said = {name: None if value is None else value[0] for name, value in found.items()}
    print("PostgreSQL: " + ", ".join(f"{name}={value}" for name, value in said.items()))
    if any(said[name] != "on" for name in DURABLE):
        print("not durable: turn these settings on", file=sys.stderr)
        raise SystemExit(1)
