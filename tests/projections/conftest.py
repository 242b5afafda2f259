"""A file of read models of each test's own."""

from __future__ import annotations

import pytest

from tests.projections.views import new_views


@pytest.fixture
def engine():
    with new_views() as engine:
        yield engine
