"""The index under test, in every make: one suite of behaviour for all of them."""

from __future__ import annotations

import pytest

from tests.lexical.adapters import ADAPTERS


@pytest.fixture(params=sorted(ADAPTERS))
def index(request):
    """An empty index of one workspace."""
    return ADAPTERS[request.param]()
