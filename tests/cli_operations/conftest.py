"""One server for all tests of a process, with a key for each workspace that they use."""

from __future__ import annotations

import shutil

import pytest

from domain.context import CONTRACT_PERMISSIONS
from ops.wiring import open_memoranda
from tests.cli.processes import serving
from tests.cli_operations.running import Local, Remote

WORKSPACES = ("parity", "views", "doors")
ACTOR = "ana"


@pytest.fixture(scope="session")
def keys_and_data(tmp_path_factory):
    """Keys by workspace, and one that may do nothing but write; made before the server starts."""
    data = tmp_path_factory.mktemp("served") / "data"
    memoranda = open_memoranda(data)
    keys = {
        workspace: memoranda.keys.create(
            name=workspace,
            workspace=workspace,
            actor=ACTOR,
            agent=None,
            permissions=sorted(CONTRACT_PERMISSIONS),
            expires_at=None,
        )[0]
        for workspace in WORKSPACES
    }
    keys["writer"], _ = memoranda.keys.create(
        name="writer",
        workspace="doors",
        actor=ACTOR,
        agent=None,
        permissions=["write"],
        expires_at=None,
    )
    keys["importer"], _ = memoranda.keys.create(
        name="importer",
        workspace="imports",
        actor=ACTOR,
        agent=None,
        permissions=["operate", *sorted(CONTRACT_PERMISSIONS)],
        expires_at=None,
    )
    memoranda.close()
    return keys, data


@pytest.fixture(scope="session")
def server(keys_and_data):
    """A running `memoranda serve`, with `url` and `keys`."""
    keys, data = keys_and_data
    with serving(data) as running:
        running.url = f"http://{running.host}:{running.port}"
        running.keys = keys
        yield running


@pytest.fixture
def data(tmp_path):
    """A data folder that is not there yet."""
    return tmp_path / "data"


@pytest.fixture
def local(data):
    """Commands on a data folder of the test's own."""
    return Local(data)


@pytest.fixture
def remote(server):
    """Commands on the server, in a workspace that tests share."""
    return Remote(server.url, server.keys["doors"])


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    data = tmp_path_factory.mktemp("healthy") / "data"
    local = Local(data)
    made = local("remember", "as healthy as can be", "--json").result["record"]["id"]
    local("update", made, "--confidence", "0.5")
    local("recall", "healthy")
    return data


@pytest.fixture
def healthy(template, data):
    """A store with three events of a memory; the test may do to it what it wants."""
    shutil.copytree(template, data)
    return data
