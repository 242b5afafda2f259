"""What an explanation may tell of a memory that was forgotten after the basis that is asked for."""

from __future__ import annotations

import pytest


def excluded(world, objective, position):
    """What the explanation lists, as the log was known at a position."""
    asked = {"explain": True, "as_known_position": position}
    return world.recall(objective, more=asked)["excluded"]


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_the_words_of_a_forgotten_memory_find_it_at_no_earlier_basis(world, mode):
    # Given a memory that was corrected, hidden and then forgotten
    memory = world.remember("otter")
    world.update(memory, content={"format": "text", "value": "heron"})
    world.update(memory, lifecycle="superseded")
    before = world.log.head()
    assert excluded(world, "heron otter", before)["items"] != []
    world.forget(memory, mode)
    # When it is looked for in what was known before
    found = excluded(world, "heron otter", before)
    # Then no word of it says that it was there
    assert found == {"counts": {}, "items": []}


def test_the_words_of_a_forgotten_memory_move_no_score_of_an_explanation(world):
    # Given two memories that are no answer, and what an explanation says of them
    for words in ("otter river", "river bank"):
        world.remember(words, expires_at="2000-01-01T00:00:00Z")
    before = excluded(world, "otter river", world.log.head())
    # When others come with the same words, and are forgotten
    for _ in range(3):
        world.forget(world.remember("otter otter river", expires_at="2000-01-01T00:00:00Z"))
    # Then nothing is said otherwise
    assert excluded(world, "otter river", world.log.head()) == before
