from __future__ import annotations

import pytest

from projections.index_store import IndexStore, open_manifest
from tests.recall_index.builders import Site


@pytest.fixture
def site(tmp_path):
    engine = open_manifest(tmp_path / "index.db")
    yield Site(tmp_path, IndexStore(engine))
    engine.dispose()
