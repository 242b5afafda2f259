"""The figures of the quality benchmark, by hand."""

from __future__ import annotations

import math

import pytest

from tests.benchmarks.bench_recall_quality import Answered
from tests.benchmarks.quality_data import Asked, locomo

TWO = Asked("?", frozenset({"a", "b"}), "all")


def test_figures_of_an_answer_with_one_of_two_at_rank_3():
    answered = Answered(TWO, ["x", "y", "a", "z"])

    assert (answered.recall(2), answered.recall(3)) == (0, 0.5)
    assert (answered.hit(2), answered.hit(3)) == (0, 1)
    assert answered.reciprocal_rank() == pytest.approx(1 / 3)
    assert answered.gain(10) == pytest.approx((1 / 2) / (1 + 1 / math.log2(3)))


def test_figures_of_a_whole_answer_and_of_none():
    assert Answered(TWO, ["b", "a"]).gain(10) == Answered(TWO, ["b", "a"]).recall(2) == 1
    assert Answered(TWO, []).gain(10) == Answered(TWO, []).reciprocal_rank() == 0


def test_without_locomo_there_is_nothing_to_measure(tmp_path):
    assert locomo(tmp_path) is None
