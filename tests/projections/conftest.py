"""Read models of each test's own, in both databases."""

from __future__ import annotations

import pytest

from tests.projections.databases import database, new_views, views_in_postgres

__all__ = ["database", "views_in_postgres"]


@pytest.fixture
def engine():
    with new_views() as engine:
        yield engine
