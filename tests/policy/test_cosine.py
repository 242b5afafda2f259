"""The ranker `cosine/1` (spec/policy.md §2.9)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical.cosine import Cosine, words

RANK = Cosine().scores


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The bilge-pump's FILTER", ["the", "bilge", "pump", "s", "filter"]),
        ("pump.filter_size", ["pump", "filter", "size"]),
        ("C C++ C# .NET", ["c", "c++", "c#", ".net"]),
        ("To be or not to be", ["to", "be", "or", "not", "to", "be"]),
        ("\u0b95\u0bbf \u0b95", ["\u0b95\u0bbf", "\u0b95"]),
        ("cafe\u0301 cafe", ["caf\u00e9", "cafe"]),
        ("しりとり", ["しり", "りと", "とり"]),
        ("雨", ["雨"]),
        ("\u0e40\u0e23\u0e37\u0e2d", ["\u0e40\u0e23\u0e37", "\u0e23\u0e37\u0e2d"]),
        ("\U0001f980 crab", ["\U0001f980", "crab"]),
        ('* ( " - ~ : ) ^', []),
        ("", []),
    ],
)
def test_a_text_is_cut_into_words_marks_and_all(text: str, found: list[str]) -> None:
    assert list(words(text)) == found


def test_a_mark_makes_another_word() -> None:
    assert RANK("\u0b95\u0bbf", ["\u0b95", "\u0b95\u0bbf"]) == [0.0, pytest.approx(1.0)]


def test_what_covers_more_of_the_question_comes_first() -> None:
    most, some, none = RANK("bilge pump filter", ["bilge pump filter", "bilge pump", "stove"])
    assert most > some > none == 0.0


def test_a_rare_word_counts_more_than_one_that_all_have() -> None:
    rare, common, both = RANK("rye bread", ["rye", "bread x", "bread y"])
    assert rare > common == both > 0


def test_a_word_that_every_text_has_still_counts() -> None:
    assert RANK("bread", ["bread", "bread"]) == [pytest.approx(1.0), pytest.approx(1.0)]


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=5), st.randoms())
def test_scores_lie_between_0_and_1_and_depend_on_no_order(
    question: str, texts: list[str], dice: Any
) -> None:
    order = list(range(len(texts)))
    dice.shuffle(order)
    scores = RANK(question, texts)
    assert all(0 <= score <= 1.000001 for score in scores)
    assert RANK(question, [texts[n] for n in order]) == [scores[n] for n in order]
