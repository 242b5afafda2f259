from __future__ import annotations

from contextlib import closing

import pytest

from ops.wiring import open_memoranda
from tests.claims.stories import Story


@pytest.fixture
def story(either_store):
    """A store of either mode."""
    return Story(either_store)


@pytest.fixture
def told(tmp_path):
    """A store in a folder."""
    with closing(open_memoranda(tmp_path / "data")) as opened:
        yield Story(opened)
