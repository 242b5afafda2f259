from __future__ import annotations

import pytest

from projections.database import open_views
from projections.index_schema import METADATA
from projections.index_store import IndexStore, open_manifest
from tests.recall_index.builders import Site


@pytest.fixture
def sqlite_manifest(tmp_path):
    engine = open_manifest(tmp_path / "index.db")
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_manifest(postgres_module_url):
    engine = open_views(postgres_module_url)
    with IndexStore(engine).writing() as connection:
        for table in METADATA.sorted_tables:
            connection.execute(table.delete())
    yield engine
    engine.dispose()


@pytest.fixture
def site(tmp_path, sqlite_manifest):
    """A workspace's index, its manifest in a file."""
    return Site(tmp_path, IndexStore(sqlite_manifest))


@pytest.fixture(params=["sqlite_manifest", "postgres_manifest"])
def any_site(request, tmp_path):
    """The same, its manifest in either database."""
    return Site(tmp_path, IndexStore(request.getfixturevalue(request.param)))
