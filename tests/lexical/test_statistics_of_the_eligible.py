"""Scores count what may be seen, and nothing else: examples in which every count would differ."""

from __future__ import annotations

import pytest

from tests.lexical.builders import document, search

HIDDEN = {
    "private": {"private_owner": "somebody"},
    "ended": {"valid_until_us": 1},
    "expired": {"expires_at_us": 1},
    "hidden": {"active": False},
    "unknown": {"from_position": 2_000_000},
}


def scores(index, question):
    return {hit.memory_id: hit.score for hit in search(index, question)}


@pytest.mark.parametrize("text", ["otter", "river", "bird", "otter river bird stone tree"])
@pytest.mark.parametrize("why", sorted(HIDDEN))
def test_no_number_of_hidden_memories_moves_a_score(index, why, text):
    """One of three has the rare word, so the counts have room to grow in both directions."""
    # Given
    index.add(document("m1", "otter river"))
    index.add(document("m2", "river bank"))
    index.add(document("m3", "river stone tree"))
    before = scores(index, "otter river")
    # When
    for number in range(3):
        index.add(document(f"hidden-{number}", text, **HIDDEN[why]))
    # Then
    assert scores(index, "otter river") == before
    assert before["m1"] > before["m2"] > 0


def test_the_words_of_an_earlier_version_move_no_score(index):
    index.add(document("m1", "otter river"))
    index.add(document("m2", "river bank", from_position=2))
    index.add(document("m3", "river stone", from_position=3))
    before = scores(index, "otter river")

    other = type(index)()
    other.add(document("m1", "otter otter stone", from_position=1))
    other.add(document("m1", "otter river", version=2, from_position=2))
    other.add(document("m2", "otter", from_position=3))
    other.add(document("m2", "river bank", version=2, from_position=4))
    other.add(document("m3", "river stone", from_position=5))

    assert scores(other, "otter river") == before
