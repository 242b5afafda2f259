"""A real store to talk to."""

from __future__ import annotations

import pytest

from ops.wiring import open_memoranda
from tests.erasure.world import Talk


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def talk(data):
    memoranda = open_memoranda(data)
    yield Talk(memoranda)
    memoranda.close()
