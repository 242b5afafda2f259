"""Real stores in real files: one for a module where examples keep apart by workspace."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.wiring import Memoranda, open_memoranda


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    memoranda = open_memoranda(tmp_path_factory.mktemp("store") / "data")
    yield memoranda
    memoranda.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Memoranda]:
    memoranda = open_memoranda(tmp_path / "data")
    yield memoranda
    memoranda.close()


_COUNT = itertools.count()


def new_workspace() -> str:
    """A name that no other example has."""
    return f"w{next(_COUNT)}"
