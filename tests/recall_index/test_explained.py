"""What a score is made of is the same on disk and in memory, also when the index has moved on."""

from __future__ import annotations

import random
from functools import reduce
from operator import add

import pytest

from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.lookups import Question
from tests.recall_index.builders import FAR
from tests.recall_index.test_tail_and_segments import WORDS


def looked(index, text="otter lake pump"):
    basis = Basis(index.position, 2**60, "ann")
    look = index.look(basis, Question(query_terms(text), None, Filters()), FAR)
    assert not look.stopped
    return look


def sums(parts):
    """Added up one by one: `sum` compensates for rounding from Python 3.12 on."""
    return [reduce(add, (part.score for part in of_hit)) for of_hit in parts]


def grow(site, chance, count=12):
    for _ in range(count):
        text = " ".join(chance.choices(WORDS, k=4))
        site.world.remember(text, {"session": chance.choice("ab")})


@pytest.mark.parametrize("seed", range(4))
def test_parts_sum_to_the_score_whatever_is_on_disk(site, seed):
    chance = random.Random(seed)
    for flushed in (True, True, False):
        grow(site, chance)
        if flushed:
            site.indexer.flush("w")

    on_disk, in_memory = looked(site.index()), looked(site.index(segments=False))
    parts = on_disk.explain(on_disk.hits, FAR)

    assert len(site.live()) == 2
    assert sums(parts) == [hit.score for hit in on_disk.hits]
    assert parts == in_memory.explain(in_memory.hits, FAR)
    told = zip(on_disk.hits, parts, strict=True)
    assert any(part.memory_id != hit.memory_id for hit, of_hit in told for part in of_hit)


@pytest.mark.parametrize("merged", [False, True])
def test_a_look_is_explained_as_it_was_when_the_index_has_moved_on(site, merged):
    chance = random.Random(7)
    grow(site, chance)
    site.indexer.flush("w")
    grow(site, chance)
    index = site.index()
    look = looked(index)
    before = look.explain(look.hits, FAR)

    grow(site, chance)
    index.follow(site.log.head(), FAR)
    site.indexer.flush("w")
    if merged:
        assert site.indexer.merge("w", site.live())
    index.follow(site.log.head(), FAR)

    assert look.explain(look.hits, FAR) == before
    assert sums(before) == [hit.score for hit in look.hits]


@pytest.mark.parametrize("flushed", [False, True])
def test_what_was_forgotten_since_a_look_is_in_no_explanation(site, flushed):
    kept, gone = site.world.remember("an otter"), site.world.remember("the otter of the lake")
    if flushed:
        site.indexer.flush("w")
    index = site.index()
    look = looked(index)
    before = dict(
        zip((hit.memory_id for hit in look.hits), look.explain(look.hits, FAR), strict=True)
    )
    assert {part.memory_id for part in before[kept]} == {kept, gone}

    site.world.forget(gone, "application_delete")
    index.follow(site.log.head(), FAR)
    after = dict(
        zip((hit.memory_id for hit in look.hits), look.explain(look.hits, FAR), strict=True)
    )

    assert after[gone] == []
    assert {part.memory_id for part in after[kept]} == {kept}
    assert sums([after[kept]]) != [hit.score for hit in look.hits if hit.memory_id == kept]
