"""A real store to import into."""

from __future__ import annotations

import pytest

from ops.wiring import open_memoranda


@pytest.fixture
def store(tmp_path):
    memoranda = open_memoranda(tmp_path / "data")
    yield memoranda
    memoranda.close()
