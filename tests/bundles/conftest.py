"""People who send windows, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from ops.http.app import create_app
from ops.memoranda import Memoranda
from ops.settings import ServerMode, Settings
from ops.wiring import open_memoranda, open_server
from tests.bundles.scribes import Scribe
from tests.http.api import HOST_KEY, Api
from tests.server_mode.conftest import MASTER_KEY

AS_ANA = {
    "Authorization": f"Bearer {HOST_KEY}",
    "X-Workspace-Id": "acme",
    "X-Actor-Id": "ana",
    "X-Session-Id": "s1",
    "X-Permissions": "read,write,trace,forget,consolidate",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def bundle_store(request, tmp_path) -> Iterator[Memoranda]:
    """A store of either mode."""
    if request.param == "sqlite":
        opened = open_memoranda(tmp_path / "data")
    else:
        urls = map(request.getfixturevalue, ("postgres_url", "redis_url"))
        opened = open_server(ServerMode(*urls, bytes.fromhex(MASTER_KEY)), tmp_path / "data")
    with closing(opened):
        yield opened


@pytest.fixture
def scribe(bundle_store) -> Scribe:
    return Scribe(bundle_store)


@pytest.fixture
def stranger(bundle_store) -> Scribe:
    """Somebody else in the same workspace and repository."""
    return Scribe(bundle_store, actor="bob")


@pytest.fixture
def team(tmp_path) -> Iterator[Api]:
    """The application over a store in a folder, asked by a host."""
    with closing(open_memoranda(tmp_path / "data")) as store:
        settings = Settings(data=tmp_path / "data", host_key=HOST_KEY)
        application = create_app(store, settings)
        with TestClient(application, base_url="http://127.0.0.1:8420", headers=AS_ANA) as client:
            yield Api(client)


@pytest.fixture(scope="module")
def ends() -> dict[object, object]:
    """What each case of a module ended in."""
    return {}
