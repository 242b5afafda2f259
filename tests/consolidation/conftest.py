"""A store of either mode."""

from __future__ import annotations

import pytest


@pytest.fixture
def store(either_store):
    return either_store
