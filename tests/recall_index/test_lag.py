"""How far behind the segments an index goes on: to a bound, where somebody makes segments."""

from __future__ import annotations

import pytest

from projections.index_schema import WORKSPACE
from projections.index_store import IndexStore
from projections.log_pages import EVENTS_AT_ONCE
from read_api.deadlines import Deadline
from read_api.workspace_index import LAG_EVENTS_MAX
from tests.recall.asking import ids, new_world, outcomes
from tests.recall_index.builders import FAR, Site, found


@pytest.fixture
def asked(tmp_path, sqlite_manifest):
    """A site whose world answers from segments, and a first of them."""
    with new_world() as world:
        site = Site(tmp_path, IndexStore(sqlite_manifest), world)
        world.memtables = site.reader()
        world.answers = world.recalling()
        world.remember("the first otter")
        site.indexer.flush("w")
        yield site


def test_what_is_behind_segments_by_too_much_is_told_and_found_with_the_next_one(asked):
    site, world = asked, asked.world
    first = ids(world.recall("otter"))
    for number in range(LAG_EVENTS_MAX + EVENTS_AT_ONCE):
        world.remember(f"heron {number}")
    last = world.remember("the last otter")
    head = site.log.head()
    world.wait_for("w", head, 60)

    seen, answer = -1, world.recall("otter", timeout_ms=1000)
    while seen < answer["basis"]["position"] < head:
        # Each reads something, while there is something that it may read.
        seen, answer = answer["basis"]["position"], world.recall("otter", timeout_ms=1000)

    assert ids(answer) == first
    assert outcomes(answer) == ["partial_page_in"]
    assert not answer["completeness"]["complete"]
    assert answer["basis"]["position"] < head
    tail = world.memtables.of("w")._fold.index.tail
    assert LAG_EVENTS_MAX <= tail < LAG_EVENTS_MAX + EVENTS_AT_ONCE
    while site.indexer.flush("w"):
        pass
    whole = world.recall("otter")
    assert ids(whole) == [*first, last]
    assert whole["basis"]["adapter"] == "segments+memtable/1"
    assert whole["completeness"]["complete"]


@pytest.mark.parametrize(
    ("change", "herons"),
    [({"format": 0}, LAG_EVENTS_MAX), ({"tip": "an event of another log"}, 9)],
    ids=["another program", "another log"],
)
def test_an_index_that_is_not_ours_bounds_nothing_and_is_made_anew(asked, change, herons):
    site, world = asked, asked.world
    for number in range(herons):
        world.remember(f"heron {number}")
    last = world.remember("the last otter")
    while site.indexer.flush("w"):
        pass
    with site.store.writing() as connection:
        connection.execute(WORKSPACE.update().values(**change))

    index = site.index()

    assert index.position == site.log.head()
    assert last in found(index, "otter")
    reached = index.version
    index.follow(site.log.head(), Deadline.after(60))
    assert index.version == reached == site.source().version("w")
    while site.rounds.work_off():
        pass
    index.follow(site.log.head(), FAR)
    assert index._base.rows == herons + 2
    assert last in found(index, "otter")
