"""What is found of imported streams does not depend on what is on the disk."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.index_schema import METADATA
from projections.index_store import IndexStore
from tests.policy.imported_histories import KEYS, histories
from tests.policy.imported_world import Imported
from tests.recall_index.builders import Site, hits


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(histories(), st.data())
def test_segments_say_of_imported_streams_what_the_log_says(
    sqlite_manifest: Any, tmp_path_factory: Any, history: list[dict[str, Any]], data: Any
) -> None:
    store = IndexStore(sqlite_manifest)
    with store.writing() as connection:
        for table in METADATA.sorted_tables:
            connection.execute(table.delete())
    site = Site(tmp_path_factory.mktemp("index"), store)
    imported = Imported(site.world, history)
    heads = []
    while len(imported.positions) < len(imported.streams.placed):
        imported.arrive(data.draw(st.integers(1, 4)))
        heads.append(site.log.head())
        if data.draw(st.booleans()):
            site.indexer.flush("w")

    on_disk, in_memory = site.index(), site.index(segments=False)
    for position in (None, *heads):
        for word in (*KEYS, "x", "y", "z"):
            assert hits(on_disk, word, position) == hits(in_memory, word, position)
