from __future__ import annotations

import pytest

from tests.projections.databases import database, views_in_postgres
from tests.recall.asking import new_world

__all__ = ["database", "views_in_postgres"]


@pytest.fixture
def world():
    with new_world() as asker:
        yield asker
