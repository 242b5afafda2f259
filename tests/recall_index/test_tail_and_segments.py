"""What is found does not depend on what is on the disk and what is still in memory."""

from __future__ import annotations

import random

import pytest

from tests.recall_index.builders import FAR, found, hits

WORDS = ["otter", "heron", "lake", "boat", "pump", "red", "sail", "keel"]


def same(site, *questions, positions=(None,)):
    """Whether an index with segments says what one says that has read the log alone."""
    on_disk, in_memory = site.index(), site.index(segments=False)
    assert on_disk.position == in_memory.position
    for question in questions:
        for position in positions:
            assert hits(on_disk, question, position) == hits(in_memory, question, position)
    return on_disk


def test_a_memory_is_found_before_and_after_it_is_flushed(site):
    memory = site.world.remember("a grey otter")
    before = hits(site.index(), "otter")

    site.indexer.flush("w")

    assert len(site.live()) == 1
    assert hits(site.index(), "otter") == before
    assert found(site.index(), "otter") == [memory]


def test_what_comes_after_a_segment_is_found_with_it_and_counted_with_it(site):
    for number in range(5):
        site.world.remember(f"otter number {number}")
    site.indexer.flush("w")
    site.world.remember("another otter")
    site.world.remember("a heron")

    index = same(site, "otter", "heron", "number another")

    assert index._base.rows == 5
    assert len(found(index, "otter")) == 6


def test_an_update_closes_the_version_that_a_segment_holds(site):
    memory = site.world.remember("first")
    site.indexer.flush("w")
    before = site.log.head()
    site.world.update(memory, content={"format": "text", "value": "second"})
    for _ in range(2):
        index = same(site, "first", "second", positions=(before, None))
        assert found(index, "first") == []
        assert found(index, "first", before) == [memory]
        assert found(index, "second") == [memory]
        site.indexer.flush("w")
    assert len(site.live()) == 2


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("flushed", [0, 1, 2])
def test_a_forgotten_memory_is_found_at_no_basis(site, mode, flushed):
    memory = site.world.remember("an otter")
    site.world.remember("another one")
    if flushed:
        site.indexer.flush("w")
    before = site.log.head()
    site.world.forget(memory, mode)
    if flushed == 2:
        site.indexer.flush("w")

    index = same(site, "otter", "another", positions=(before, None))

    assert found(index, "otter") == found(index, "otter", before) == []


def test_a_reader_that_was_there_before_moves_to_the_new_segments(site):
    reader = site.reader()
    index = reader.of("w")
    made = []
    for number in range(6):
        made.append(site.world.remember(f"otter {number}"))
        index.follow(site.log.head(), FAR)
        assert found(index, "otter") == made
        if number % 2:
            site.indexer.flush("w")
            index.follow(site.log.head(), FAR)
            assert index._fold.index.tail == 0
            assert found(index, "otter") == made
    site.world.update(made[0], content={"format": "text", "value": "a heron"})
    index.follow(site.log.head(), FAR)
    site.indexer.merge("w", site.live())
    index.follow(site.log.head(), FAR)

    assert found(index, "otter") == made[1:]
    assert hits(index, "heron") == hits(site.index(segments=False), "heron")


@pytest.mark.parametrize("seed", range(6))
def test_any_history_flushed_anywhere_says_what_the_log_says(site, seed):
    chance = random.Random(seed)
    reader = site.reader().of("w")
    made, gone, positions = [], set(), [0]
    for _ in range(60):
        step = chance.random()
        alive = [memory for memory in made if memory not in gone]
        text = " ".join(chance.choices(WORDS, k=4))
        if step < 0.45 or not alive:
            more = {"tags": chance.sample(WORDS, 2), "kind": chance.choice(["fact", "decision"])}
            made.append(site.world.remember(text, {"session": chance.choice("ab")}, **more))
        elif step < 0.65:
            content = {"format": "text", "value": text}
            site.world.update(chance.choice(alive), content=content)
        elif step < 0.75:
            memory = chance.choice(alive)
            mode = chance.choice(["tombstone", "application_delete"])
            if chance.random() < 0.4 and len(site.log.stream("w", memory)) > 1:
                site.world.forget(memory, mode, scope="event", version=2)
            else:
                site.world.forget(memory, mode)
                gone.add(memory)
        elif step < 0.85:
            site.indexer.flush("w")
        elif step < 0.93 and len(site.live()) > 1:
            at = chance.randrange(len(site.live()) - 1)
            assert site.indexer.merge("w", site.live()[at : at + chance.choice([1, 2])])
        else:
            assert site.indexer.purge("w")
        positions.append(site.log.head())
        reader.follow(site.log.head(), FAR)
    questions = [*WORDS, "otter lake pump", "fact decision"]
    at = chance.sample(positions, 4)

    same(site, *questions, positions=(*at, None))
    plain = site.index(segments=False)
    for question in questions:
        for position in (*at, None):
            assert hits(reader, question, position) == hits(plain, question, position)
            for filters in ({"kinds": frozenset({"fact"})}, {"session_id": "a"}):
                expected = hits(plain, question, position, **filters)
                assert hits(reader, question, position, **filters) == expected
            assert hits(reader, question, position, tags=frozenset({"otter"})) == hits(
                plain, question, position, tags=frozenset({"otter"})
            )
    assert site.indexer.clear("w", site.log.head())
    same(site, *questions, positions=(*at, None))
