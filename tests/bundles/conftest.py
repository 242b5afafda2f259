"""People who send windows, on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from ops.memoranda import Memoranda
from ops.settings import ServerMode
from ops.wiring import open_memoranda, open_server
from tests.bundles.scribes import Scribe
from tests.server_mode.conftest import MASTER_KEY


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


@pytest.fixture(scope="module")
def ends() -> dict[object, object]:
    """What each case of a module ended in."""
    return {}
