"""A store of either mode."""

from __future__ import annotations

from contextlib import closing

import pytest

from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from tests.server_mode.conftest import MASTER_KEY


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    if request.param == "sqlite":
        opened = open_memoranda(tmp_path / "data")
    else:
        urls = map(request.getfixturevalue, ("postgres_url", "redis_url"))
        opened = open_server(ServerMode(*urls, bytes.fromhex(MASTER_KEY)), tmp_path / "data")
    with closing(opened):
        yield opened
