"""A real store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.wiring import Memoranda, open_memoranda


@pytest.fixture
def memoranda(tmp_path: Path) -> Iterator[Memoranda]:
    opened = open_memoranda(tmp_path / "data")
    yield opened
    opened.close()
