"""What is found of imported streams does not depend on what is on the disk."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections.index_schema import METADATA
from projections.index_store import IndexStore
from projections.lexical.memtable import Memtable
from projections.recall_fold import RecallFold
from tests.policy.imported_histories import KEYS, forks, histories
from tests.policy.imported_world import Imported
from tests.recall_index.builders import Site, hits


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(histories() | forks(), st.data())
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


def event(name: str, kind: str, second: int, **said: Any) -> dict[str, Any]:
    at = f"2031-01-01T00:00:0{second}Z"
    return {"id": name, "type": kind, "session": "s", "source": "x", "recorded_at": at, **said}


FORK = [
    event("a", "assertion", 1, key="berth", value="heron"),
    event("b", "correction", 2, key="berth", value="otter", target="a"),
    event("c", "correction", 3, key="berth", value="eider", target="a")
    | {"valid_from": "2031-02-01T00:00:00Z"},
]


def folded(site: Site) -> Memtable:
    """All of the log, in memory."""
    index = Memtable()
    fold = RecallFold(site.log, "w", index)
    while fold.read_page(lambda: False):
        pass
    return index


def test_a_branch_answers_no_more_once_a_better_one_is_in_a_later_segment(site: Site) -> None:
    """Given a branch that answers when the preferred one has ended, in a segment."""
    ended = {"valid_until": "2031-02-01T00:00:00Z"}
    imported = Imported(
        site.world,
        [
            event("a", "assertion", 1, key="berth", value="heron"),
            event("b", "correction", 2, key="berth", value="otter", target="a"),
            event("c", "correction", 3, key="berth", value="eider", target="a") | ended,
            event("d", "correction", 4, key="berth", value="crane", target="a"),
        ],
    )
    imported.arrive(3)
    site.indexer.flush("w")
    assert hits(site.index(), "otter") != []

    imported.arrive()
    site.indexer.flush("w")

    found = {word: hits(site.index(), word) != [] for word in ("otter", "eider", "crane")}
    assert found == {"otter": False, "eider": False, "crane": True}


def test_a_forgotten_branch_is_found_at_no_basis(site: Site) -> None:
    imported = Imported(
        site.world,
        [
            event("a", "assertion", 1, key="berth", value="heron"),
            event("b", "correction", 2, key="berth", value="otter", target="a"),
            event("c", "correction", 3, key="berth", value="eider", target="a"),
            event("d", "tombstone", 4, scope="event", target="c"),
        ],
    )
    imported.arrive()

    index = site.index()

    assert hits(index, "otter") != []
    assert all(hits(index, "eider", at) == [] for at in (None, *imported.positions))


def test_a_forgotten_memory_takes_its_stand_ins_along(site: Site) -> None:
    imported = Imported(site.world, FORK)
    imported.arrive()
    index = folded(site)
    assert {"otter", "eider"} <= set(index.terms())

    index.purge(imported.streams.placed[0].stream)

    assert list(index.terms()) == []
    assert index.counts().memories == 1


def test_a_forgotten_stand_in_leaves_no_words(site: Site) -> None:
    Imported(site.world, [*FORK, event("d", "tombstone", 4, scope="event", target="b")]).arrive()

    assert "otter" not in set(folded(site).terms())
