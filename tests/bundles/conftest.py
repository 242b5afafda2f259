"""People who send windows, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from ops.http.app import create_app
from ops.settings import Settings
from ops.wiring import open_memoranda
from tests.bundles.scribes import Scribe
from tests.http.api import HOST_KEY, Api

AS_ANA = {
    "Authorization": f"Bearer {HOST_KEY}",
    "X-Workspace-Id": "acme",
    "X-Actor-Id": "ana",
    "X-Session-Id": "s1",
    "X-Permissions": "read,write,trace,forget,consolidate",
}


@pytest.fixture
def scribe(either_store) -> Scribe:
    return Scribe(either_store)


@pytest.fixture
def stranger(either_store) -> Scribe:
    """Somebody else in the same workspace and repository."""
    return Scribe(either_store, actor="bob")


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
