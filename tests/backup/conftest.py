"""Stores to back up, and empty ones to restore to."""

from __future__ import annotations

import contextlib

import pytest

from tests.backup.worlds import World


@pytest.fixture
def new_world(request, tmp_path):
    """Makes empty worlds: `folder` or `postgresql`."""
    numbers = iter(range(100))
    with contextlib.ExitStack() as opened:

        def make(kind, **more):
            folder = tmp_path / f"world-{next(numbers)}"
            if kind == "folder":
                return World(folder)
            databases = request.getfixturevalue("databases")
            url = opened.enter_context(databases.fresh(migrated=more.pop("migrated", True)))
            return World(folder, url, request.getfixturevalue("redis_url"), **more)

        yield make


@pytest.fixture(params=["folder", "postgresql"])
def kind(request):
    """Both kinds of stores."""
    return request.param
