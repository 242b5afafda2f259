"""Reports about finding, and about indexes beside a store, through whole recalls."""

from __future__ import annotations

import pytest

from projections.index_changes import reset
from projections.index_store import IndexStore
from tests.recall.asking import ids, new_world, outcomes
from tests.recall_index.builders import Site, found

OTTERS = "the otter of the river"


@pytest.fixture
def asked(tmp_path, sqlite_manifest):
    """A site whose world answers from segments."""
    with new_world() as world:
        site = Site(tmp_path, IndexStore(sqlite_manifest), world)
        world.memtables = site.reader()
        world.answers = world.recalling()
        yield site


def flushed(site):
    while site.indexer.flush("w"):
        pass
    assert site.builds.known("w").position == site.log.head()


@pytest.mark.parametrize("where", ["in memory", "in segments", "in one segment"])
def test_report_16_the_one_that_is_live_is_found_among_those_that_were_replaced(asked, where):
    site, world = asked, asked.world
    live = world.remember("what an otter does beside many other things of this long day")
    for number in range(200):
        gone = world.remember(f"{OTTERS} {number}")
        world.update(gone, lifecycle="superseded")
        if where != "in memory" and number % 50 == 0:
            flushed(site)
    if where == "in one segment":
        flushed(site)
        assert site.indexer.merge("w", site.live())

    for limit in (10, 1):
        answer = world.recall(OTTERS, max_items=limit)

        assert ids(answer) == [live]
        assert answer["completeness"]["complete"]


def test_report_32_what_is_not_seen_yet_is_told_and_never_taken_for_nothing(asked):
    site, world = asked, asked.world
    world.remember("a heron")
    flushed(site)
    world.recall("heron")
    world.follows = False
    memory = world.remember("an otter in the buffer")
    receipt = site.log.head()

    behind = world.recall("otter", more={"min_position": receipt}, timeout_ms=50)
    world.follows = True
    there = world.recall("otter", more={"min_position": receipt})

    assert ids(behind) == []
    assert outcomes(behind) == ["partial_page_in"]
    assert not behind["completeness"]["complete"]
    assert behind["basis"]["position"] < receipt <= there["basis"]["position"]
    assert ids(there) == [memory]
    assert there["completeness"]["complete"]


def test_report_66_an_index_holds_what_is_visible_after_every_commit_and_nothing_of_a_lost_one(
    asked,
):
    site, world = asked, asked.world
    visible = []
    for number in range(12):
        visible.append(world.remember(f"otter {number}"))
        if number % 3 == 2:
            world.forget(visible.pop(0))
        before = site.builds.known("w")
        if number % 2:
            # The maker dies before its commit: where its directory was to be there is a file.
            home = site.folder.workspace("w")
            home.rename(home.with_suffix(".aside"))
            home.touch()
            with pytest.raises(OSError, match="exists"):
                site.indexer.flush("w")
            home.unlink()
            home.with_suffix(".aside").rename(home)
            assert site.builds.known("w") == before

        flushed(site)

        assert site.builds.known("w").version > before.version
        assert sorted(found(site.index(), "otter")) == sorted(visible)
        assert sorted(ids(world.recall("otter", max_items=50))) == sorted(visible)


@pytest.mark.parametrize("seen", ["never", "in memory", "in a segment", "made anew"])
@pytest.mark.parametrize("modes", [("tombstone",), ("tombstone", "application_delete")])
def test_report_68_what_is_forgotten_again_or_was_never_there_is_absent_and_no_error(
    asked, seen, modes
):
    site, world = asked, asked.world
    kept = world.remember("an otter that stays")
    flushed(site)
    gone = world.remember("an otter that goes")
    if seen != "never":
        assert ids(world.recall("otter")) == [kept, gone]
    if seen in {"in a segment", "made anew"}:
        flushed(site)
    if seen == "made anew":
        with site.store.writing() as connection:
            reset(connection, "w")
        flushed(site)

    for mode in modes:
        world.forget(gone, mode)
        assert ids(world.recall("otter")) == [kept]
        flushed(site)
        site.indexer.purge("w")
        site.indexer.purge("w")

    assert ids(world.recall("otter")) == [kept]
    assert found(site.index(), "otter") == found(site.index(segments=False), "otter") == [kept]
