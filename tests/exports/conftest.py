"""Stores to export from and to import into, and one history with its files."""

from __future__ import annotations

import contextlib

import pytest

from tests.backup.worlds import World
from tests.exports.history import exported, tell


@pytest.fixture
def new_world(request, tmp_path):
    """Makes empty worlds: `folder` or `postgresql`."""
    numbers = iter(range(100))
    with contextlib.ExitStack() as opened:

        def make(kind="folder"):
            folder = tmp_path / f"world-{next(numbers)}"
            if kind == "folder":
                return World(folder)
            url = opened.enter_context(request.getfixturevalue("databases").fresh(migrated=True))
            return World(folder, url, request.getfixturevalue("redis_url"))

        yield make


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """(world, history) that the tests of a module only read."""
    world = World(tmp_path_factory.mktemp("told") / "store")
    with world.open() as talk:
        history = tell(talk)
    return world, history


@pytest.fixture(scope="module")
def files(told, tmp_path_factory):
    """Its exports, by whether they are sanitized."""
    folder = tmp_path_factory.mktemp("files")
    for sanitized in (False, True):
        exported(told[0], folder / f"{sanitized}.jsonl", sanitized=sanitized)
    return {sanitized: folder / f"{sanitized}.jsonl" for sanitized in (False, True)}
