"""A store of either mode, as tests that must hold in both ask for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from ops.memoranda import Memoranda
from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from tests.server_mode.conftest import MASTER_KEY


@pytest.fixture(params=["sqlite", "postgresql"])
def either_store(request: pytest.FixtureRequest, tmp_path) -> Iterator[Memoranda]:
    """A store in a folder, then one of a database and a queue."""
    if request.param == "sqlite":
        opened = open_memoranda(tmp_path / "data")
    else:
        urls = map(request.getfixturevalue, ("postgres_url", "redis_url"))
        opened = open_server(ServerMode(*urls, bytes.fromhex(MASTER_KEY)), tmp_path / "data")
    with closing(opened):
        yield opened
