"""PostgreSQL and Redis for tests: real ones, started when a test first asks, stopped at the end.

A run has one PostgreSQL, also when several processes share the tests, and one Redis a process.
`MEMORANDA_TEST_DATABASE_URL` and `MEMORANDA_TEST_REDIS_URL` name servers to be used instead; their
user must be allowed to make databases and roles, and their Redis database is emptied.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.services import fork_server

if TYPE_CHECKING:
    # Loaded by the first test that asks: most runs are of a few tests that ask for nothing.
    from tests.services.databases import Databases

DATABASE_URL: Final = "MEMORANDA_TEST_DATABASE_URL"
REDIS_URL: Final = "MEMORANDA_TEST_REDIS_URL"
_RUN: Final = "MEMORANDA_TEST_RUN"


def pytest_configure(config: pytest.Config) -> None:
    """The first process of the run is what its servers live as long as."""
    if not hasattr(config, "workerinput"):
        os.environ[_RUN] = str(os.getpid())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Nothing is left running when the run has ended."""
    fork_server.end()
    kinds = ["redis"] if hasattr(config, "workerinput") else ["redis", "postgres"]
    started = [folder for kind in kinds if (folder := _folder(kind, os.getpid())).exists()]
    for folder in started:
        from tests.services import keeper

        keeper.release(folder)


def _folder(kind: str, owner: int) -> Path:
    # Not pytest's own temporary folder, which only its user may enter: PostgreSQL runs as nobody.
    return Path(tempfile.gettempdir()) / f"memoranda-{kind}-{os.getuid()}-{owner}"


@pytest.fixture(scope="session")
def databases() -> Databases:
    """Where tests have their databases."""
    from tests.services import keeper
    from tests.services.databases import Databases, prepared

    given = os.environ.get(DATABASE_URL)
    if given:
        return Databases(given)
    owner = int(os.environ[_RUN])
    folder = _folder("postgres", owner)
    return prepared(keeper.ask("postgres", folder, owner), folder)


@pytest.fixture(scope="session")
def redis_server_url() -> str:
    """The address of a Redis of this process alone."""
    from tests.services import keeper

    given = os.environ.get(REDIS_URL)
    if given:
        return given
    return keeper.ask("redis", _folder("redis", os.getpid()), os.getpid())


@pytest.fixture
def service_folder() -> Iterator[Path]:
    """A folder for a `PostgresServer` of a test's own: its user may enter it."""
    folder = Path(tempfile.mkdtemp(prefix="memoranda-service-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def empty_postgres_url(databases: Databases) -> Iterator[str]:
    """A database of this test alone, without any schema of ours."""
    with databases.fresh(migrated=False) as url:
        yield url


@pytest.fixture
def postgres_url(databases: Databases) -> Iterator[str]:
    """A migrated database of this test alone."""
    with databases.fresh(migrated=True) as url:
        yield url


@pytest.fixture(scope="module")
def postgres_module_url(databases: Databases) -> Iterator[str]:
    """A migrated database of this test's module."""
    with databases.fresh(migrated=True) as url:
        yield url


@pytest.fixture
def redis_url(redis_server_url: str) -> str:
    """An empty Redis."""
    import redis

    with redis.Redis.from_url(redis_server_url) as client:
        client.flushdb()
    return redis_server_url
