"""Index files that are not what was written are never used, and are made anew from the log."""

from __future__ import annotations

import shutil

import pytest

from read_api.memtables import Memtables
from tests.recall_index.builders import FAR, found, hits


def filled(site, segments=3, each=4):
    """Memories in several segments, and one behind them."""
    made = []
    for _ in range(segments):
        made += [site.world.remember(f"an otter, number {len(made)}") for _ in range(each)]
        site.indexer.flush("w")
    return [*made, site.world.remember("the last otter")]


def damage(path, how):
    if how == "removed":
        path.unlink()
    elif how == "emptied":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-7])
    elif how == "flipped":
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(bytes(data))


def files_of(site, at):
    return sorted(site.folder.segment("w", site.live()[at].name).iterdir())


@pytest.mark.parametrize("how", ["removed", "emptied", "cut", "flipped"])
def test_each_file_may_be_damaged_and_every_memory_is_still_found(site, how):
    made = filled(site)
    expected = hits(site.index(segments=False), "otter number")
    for number in range(len(files_of(site, 1))):
        damage(files_of(site, 1)[number], how)

        index = site.index()
        assert sorted(found(index, "otter")) == made
        assert hits(index, "otter number") == expected
        assert index._base.rows == 4

        assert "w" in site.rounds.due()
        site.rounds.work("w")
        index = site.index()
        assert index._base.rows == len(made)
        assert hits(index, "otter number") == expected
        assert site.indexer.check("w") == 0


def test_a_segment_that_breaks_while_it_is_open_is_read_from_the_log_instead(site, monkeypatch):
    made = filled(site)
    index = site.index()
    index._base.segments[1]._words._terms = None

    assert sorted(found(index, "number")) == made[:-1]
    assert sorted(found(index, "otter")) == made


def test_segments_of_another_store_are_not_opened(site, tmp_path):
    made = filled(site)
    mine = site.folder.segment("w", site.live()[0].name)
    other = site.folder.segment("w", site.live()[1].name)
    shutil.rmtree(mine)
    shutil.copytree(other, mine)

    index = site.index()

    assert index._base.rows == 0
    assert sorted(found(index, "otter")) == made


def test_a_folder_that_is_gone_is_made_again(site):
    made = filled(site)
    shutil.rmtree(site.folder.root)
    site.folder.open(site.folder.root)

    assert sorted(found(site.index(), "otter")) == made
    site.rounds.work("w")
    assert sorted(found(site.index(), "otter")) == made
    assert site.index()._base.rows == len(made)


def test_an_index_of_another_log_is_thrown_away(site):
    filled(site)
    other = type(site.world)()
    memory = other.remember("an otter of another log")
    site.world.log = other.log
    site.indexer = type(site.indexer)(other.log, site.builds)
    index = Memtables(other.log, segments=site.source()).of("w")

    index.follow(other.log.head(), FAR)
    assert found(index, "otter") == [memory]
    assert index._base.rows == 0

    site.indexer.flush("w")
    site.builds.sweep("w")
    assert found(site.index(), "otter") == [memory]
    assert len(site.directories()) == len(site.live()) == 1


def test_a_segment_that_was_merged_meanwhile_is_not_taken_for_a_damaged_one(site, caplog):
    for number in range(2):
        site.world.remember(f"otter {number}")
        site.indexer.flush("w")
    first, second = site.live()
    assert site.indexer.merge("w", [first, second])

    assert not site.indexer.repair("w", first)

    assert caplog.text == ""
    assert len(site.live()) == 1
