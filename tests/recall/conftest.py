from __future__ import annotations

import pytest

from tests.recall.asking import new_world


@pytest.fixture
def world():
    with new_world() as asker:
        yield asker
