"""The adapters that the contract suite runs on, and a key store."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.sealing import Sealer
from domain.events import REGISTRY
from tests.services import fork_server
from tests.store.building import PostgresAdapter, SqliteAdapter

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", "postgres"])
def adapter(request, tmp_path):
    if request.param == "sqlite":
        made = SqliteAdapter(tmp_path / "data" / "log.db")
    else:
        made = PostgresAdapter(request.getfixturevalue("postgres_url"))
    yield made
    made.close()


@pytest.fixture
def log(adapter):
    return adapter.open()


@pytest.fixture
def keys(tmp_path):
    store = KeyStore.open(tmp_path / "data" / "keys.db", bytes(range(32)), SystemClock())
    yield store
    store.close()


@pytest.fixture
def sealer(keys):
    return Sealer(keys, REGISTRY)


@pytest.fixture
def start(adapter):
    """Start Python that has the store open as `log`, once its standard input says so."""
    with ExitStack() as running:

        def started(script: str) -> subprocess.Popen:
            return running.enter_context(
                fork_server.Started(
                    [sys.executable, "-c", adapter.opening_script() + script],
                    cwd=ROOT,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )

        yield started
