"""The instants and positions at which one thing ends and the next one begins."""

from __future__ import annotations

import pytest

from tests.recall.asking import edges, ids

BEGIN = "2040-01-01T00:00:00Z"
JUST_BEFORE = "2039-12-31T23:59:59.999999Z"


def at(instant: str) -> dict[str, str]:
    return {"as_of": instant}


@pytest.mark.parametrize("bound", ["valid_until", "expires_at"])
def test_an_edge_is_followed_until_the_instant_at_which_it_ends(world, bound):
    # Given
    a, b = world.remember("n1"), world.remember("n2")
    edge = world.relate(a, b, **{bound: BEGIN})
    # When it is asked for just before the end, and at it
    before = world.recall("zzzz", [a], more=at(JUST_BEFORE))
    after = world.recall("zzzz", [a], more=at(BEGIN))
    # Then
    assert (ids(before), edges(before)) == ([a, b], [edge])
    assert (ids(after), edges(after), after["usage"]["cost"]) == ([a], [], 0)


def test_an_edge_is_followed_from_the_instant_at_which_it_begins(world):
    a, b = world.remember("n1"), world.remember("n2")
    world.relate(a, b, valid_from=BEGIN)

    assert ids(world.recall("zzzz", [a], more=at(JUST_BEFORE))) == [a]
    assert ids(world.recall("zzzz", [a], more=at(BEGIN))) == [a, b]


@pytest.mark.parametrize("bound", ["valid_until", "expires_at"])
def test_a_memory_answers_until_the_instant_at_which_it_ends(world, bound):
    memory = world.remember("otter", **{bound: BEGIN})

    assert ids(world.recall("otter", more=at(JUST_BEFORE))) == [memory]
    assert ids(world.recall("otter", more=at(BEGIN))) == []


def test_facts_that_meet_at_an_instant_contest_each_other_at_none(world):
    ended = world.claim(slot="city", object="Rome", more={"valid_until": BEGIN})
    begun = world.claim(slot="city", object="Oslo", more={"valid_from": BEGIN})

    for instant, stands in ((JUST_BEFORE, ended), (BEGIN, begun)):
        (item,) = world.recall("Rome Oslo", more=at(instant))["items"]
        assert item["record"]["id"] == stands
        assert item["contested"] is False


def test_at_the_position_of_a_correction_an_edge_is_there_once_as_it_was_corrected(world):
    # Given an edge and, at a later position, its correction
    a, b = world.remember("n1"), world.remember("n2")
    edge = world.relate(a, b, confidence=0.5)
    world.update(edge, confidence=0.9)
    position = world.log.stream("w", edge)[1].position
    # When the log is known up to that position, and up to the one before
    then = world.recall("zzzz", [a], more={"as_known_position": position}, max_depth=1)
    before = world.recall("zzzz", [a], more={"as_known_position": position - 1}, max_depth=1)
    # Then
    assert [found["confidence"] for found in then["relationships"]] == [0.9]
    assert [found["confidence"] for found in before["relationships"]] == [0.5]
    assert (then["usage"]["cost"], before["usage"]["cost"]) == (1, 1)


def test_at_the_position_of_a_correction_a_memory_says_the_corrected_text(world):
    memory = world.remember("otter")
    world.update(memory, content={"format": "text", "value": "heron"})
    position = world.log.stream("w", memory)[1].position

    def known(objective: str, until: int) -> list[str]:
        return ids(world.recall(objective, more={"as_known_position": until}))

    assert (known("otter", position), known("heron", position)) == ([], [memory])
    assert (known("otter", position - 1), known("heron", position - 1)) == ([memory], [])
