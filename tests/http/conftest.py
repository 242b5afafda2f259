"""A real store behind the real application; every test has its own."""

from __future__ import annotations

import os

import pytest
from starlette.testclient import TestClient

from ops.http.app import create_app
from ops.settings import Settings
from ops.wiring import open_memoranda
from tests.http.api import HOST_KEY, Api


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("MEMORANDA_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def store(tmp_path):
    memoranda = open_memoranda(tmp_path / "data")
    yield memoranda
    memoranda.close()


@pytest.fixture
def client_of(store, tmp_path):
    """A client of an application with other settings."""
    clients = []

    def make(**given):
        settings = Settings(**{"data": tmp_path / "data", "host_key": HOST_KEY, **given})
        client = TestClient(create_app(store, settings), base_url="http://127.0.0.1:8420")
        clients.append(client)
        return client.__enter__()

    yield make
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(client_of):
    return client_of()


@pytest.fixture
def api(client):
    return Api(client)
