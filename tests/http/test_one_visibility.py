"""One visibility, whichever way is asked: every row of the table, in every state, is executed."""

from __future__ import annotations

import functools
import socket
import threading
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from starlette.testclient import TestClient

from domain.contract import INPUTS
from ops.http.app import api_document, create_app
from ops.settings import Settings
from ops.wiring import open_memoranda
from tests.cli_operations.test_every_command import registered
from tests.http import visibility_doors as doors
from tests.http.api import HOST_KEY, Api
from tests.http.operators import WHOLE, Operator
from tests.http.visibility_doors import MUTATIONS, by_command, masked, over_http, told
from tests.http.visibility_table import (
    AUDITS,
    COMMANDS,
    EXPECTED,
    ROUTES,
    RULED,
    SILENT_COMMANDS,
    SILENT_ROUTES,
)
from tests.http.visibility_worlds import HOLDERS, STRICT, World

ROWS = [row for rows in ROUTES.values() for row in rows]
PRINTED = [row for rows in COMMANDS.values() for row in rows]


class Place:
    """A store behind the application, in which worlds are made; `url` is where commands ask."""

    def __init__(self, store, client, url):
        self.api = Api(client)
        self.url = url
        self.operator = Operator(client, store, **WHOLE)
        self.key_of = functools.cache(self._key_of)
        self._store = store

    def strict(self, workspace):
        """Make sessions of a workspace strict."""
        wanted = {"session_isolation": "strict"}
        sent = {"Authorization": f"Bearer {self.key_of(workspace, 'kim', 'policy')}"}
        done = self.api.client.patch("/v1/settings", json=wanted, headers=sent)
        assert done.status_code == 200, done.text

    def _key_of(self, workspace, actor, *permissions):
        bound = {"workspace": workspace, "actor": actor, "permissions": permissions}
        return self._store.keys.create(name=actor, **bound)[0]

    def worlds(self, state, rows, there):
        """A world for each row: one for all that read, one for each that writes."""
        shared = World(self.api, state, there, self.strict)
        return {
            row: World(self.api, state, there, self.strict, brief=True)
            if row in MUTATIONS
            else shared
            for row in rows
        }


@contextmanager
def served(app):
    """The URL of an application that listens, for the time of a block."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="error"))
    at_work = threading.Thread(target=server.run, args=([listener],))
    at_work.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        at_work.join()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with ExitStack() as stack:
        data = tmp_path_factory.mktemp("visible") / "data"
        store = open_memoranda(data)
        stack.callback(store.close)
        app = create_app(store, Settings(data=data, host_key=HOST_KEY))
        client = stack.enter_context(TestClient(app, base_url="http://127.0.0.1:8420"))
        yield Place(store, client, stack.enter_context(served(app)))


class Column:
    """By state what is told, row by row."""

    def __init__(self, worlds, ask):
        self._worlds = worlds
        self._ask = ask
        self._never = functools.cache(self._without)

    def __call__(self, state):
        never = self._never(state if state == STRICT else "place")
        worlds = self._worlds(state, there=True)
        return {
            row: told(world, self._ask(world, row), never[row]) for row, world in worlds.items()
        }

    def _without(self, sort):
        """What each row answers where the memory never was, asked once for all states alike."""
        worlds = self._worlds(sort, there=False)
        return {row: masked(world, self._ask(world, row)) for row, world in worlds.items()}


@pytest.fixture(scope="module")
def asking(place):
    worlds = functools.partial(place.worlds, rows=ROWS)
    return Column(
        worlds, functools.partial(over_http, operator=place.operator, key_of=place.key_of)
    )


@pytest.fixture(scope="module")
def printing(place, tmp_path_factory):
    folder = tmp_path_factory.mktemp("printed")
    worlds = functools.partial(place.worlds, rows=PRINTED)
    return Column(worlds, functools.partial(by_command, server=place, folder=folder))


@pytest.mark.parametrize("state", EXPECTED)
def test_every_route_tells_of_a_memory_what_the_table_says(asking, state):
    assert asking(state) == EXPECTED[state]


@pytest.mark.parametrize("state", EXPECTED)
def test_every_command_tells_of_a_memory_what_the_table_says(printing, state):
    assert printing(state) == {row: EXPECTED[state][row] for row in PRINTED}


def test_every_route_has_a_row_or_a_reason():
    paths = api_document()["paths"]
    documented = {(method.upper(), path) for path, methods in paths.items() for method in methods}

    assert documented <= ROUTES.keys() | SILENT_ROUTES.keys()
    assert not ROUTES.keys() & SILENT_ROUTES.keys()
    assert {operation for operation, _ in doors.OPERATIONS.values()} == INPUTS.keys()
    assert sorted(ROWS) == sorted(EXPECTED[STRICT])


def test_every_command_has_a_row_or_a_reason():
    assert registered() == COMMANDS.keys() | SILENT_COMMANDS.keys()
    assert not COMMANDS.keys() & SILENT_COMMANDS.keys()
    assert {*PRINTED} == {*doors.COMMANDS, "import", "stats"}


def test_the_table_itself_hides_what_is_somebody_elses_and_what_was_forgotten():
    seen = {(state, row) for state in HOLDERS for row in ROWS if EXPECTED[state][row] != "absent"}
    read = {row for row in ROWS if EXPECTED["tombstone"][row] in {"text", "newer"}}

    assert seen == RULED
    assert read == AUDITS
    assert {"text", "newer"}.isdisjoint(EXPECTED["erased"].values())
