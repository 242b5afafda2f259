"""What a fleet stands on: a PostgreSQL and a Redis of the run alone, and proxies that cut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services.cutting_proxy import CuttingProxy
from tests.services.databases import prepared
from tests.services.postgres_server import PostgresServer
from tests.services.redis_server import RedisServer
from tests.workers.server_log import make_witness


@dataclass(frozen=True)
class Grounds:
    """Servers, a migrated database with the table of the witness, and two ways to it."""

    postgres: PostgresServer
    redis: RedisServer
    database_url: str
    of_servers: CuttingProxy
    of_workers: CuttingProxy

    def cuts(self) -> int:
        """How many connections were cut after their commit."""
        return self.of_servers.cuts + self.of_workers.cuts


@contextmanager
def prepared_grounds(folder: Path) -> Iterator[Grounds]:
    """All of it, in a folder that its users may enter; nothing of it is left at the end."""
    folder.chmod(0o755)
    with ExitStack() as opened:
        postgres = PostgresServer(folder / "postgres")
        opened.callback(postgres.remove)
        postgres.start()
        redis = RedisServer(folder / "redis")
        opened.callback(redis.remove)
        redis.start()
        databases = prepared(postgres.url, folder)
        url = opened.enter_context(databases.fresh(migrated=True))
        make_witness(url)  # type: ignore[no-untyped-call]
        of_servers, of_workers = CuttingProxy(url), CuttingProxy(url)
        opened.callback(of_servers.close)
        opened.callback(of_workers.close)
        yield Grounds(postgres, redis, url, of_servers, of_workers)
