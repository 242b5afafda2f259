"""Which known takeaway a said one is about."""

from __future__ import annotations

from itertools import permutations

from domain.bundles.matching import Choice, choose
from domain.bundles.thresholds import THRESHOLDS
from domain.bundles.wording import Wording

SCOPE = "the whole repository"
FLAT = "Slow queries are logged with their plan"
LONGER = "Slow queries are logged with their plan and the caller"
OTHER = "Slow queries are dropped with their plan"


def chosen(said: str, **known: str) -> Choice:
    """The choice, which is the same in whatever order the known ones are found."""
    orders = permutations((name, Wording(rule, SCOPE)) for name, rule in known.items())
    choices = {choose(Wording(said, SCOPE), list(order)) for order in orders}
    assert len(choices) == 1
    return choices.pop()


def test_a_restatement_comes_before_a_clear_match() -> None:
    found = chosen(FLAT.upper(), a=LONGER, b=FLAT)

    assert found[:2] == ("restatement", "b")
    assert [(name, one.verdict) for name, one in found.compared] == [
        ("b", "restatement"),
        ("a", "clear"),
    ]


def test_of_two_that_are_restated_the_one_with_the_least_id_is() -> None:
    assert chosen(FLAT, b=FLAT, a=FLAT)[:2] == ("restatement", "a")


def test_the_only_clear_match_is_chosen() -> None:
    assert chosen(LONGER, a=FLAT, b="Tug crews eat at noon")[:2] == ("clear", "a")


def test_of_several_clear_matches_none_is_chosen() -> None:
    found = chosen(LONGER, a=FLAT, b="Slow queries are always logged with their plan")

    assert found[:2] == ("ambiguous", None)
    assert [name for name, _ in found.compared] == ["a", "b"]


def test_a_better_clear_match_is_not_chosen_before_another_one() -> None:
    always = "Slow queries are always logged with their plan and the caller"

    found = chosen(LONGER, a=FLAT, b=always)

    assert found[:2] == ("ambiguous", None)
    assert found.compared[0][1].score - found.compared[1][1].score > THRESHOLDS.margin


def test_a_grey_one_alone_is_a_question() -> None:
    assert chosen(OTHER, a=FLAT)[:2] == ("ambiguous", None)


def test_a_rival_within_the_margin_makes_a_clear_match_a_question() -> None:
    near = "Slow queries are logged with their plan and their caller, never dropped"

    assert chosen(LONGER, a=FLAT, b=near)[:2] == ("ambiguous", None)


def test_a_rival_beyond_the_margin_does_not() -> None:
    far = "Slow queries are kept with their plan"

    assert chosen("Slow queries are always logged with their plan", a=FLAT, b=far).chosen == "a"


def test_a_fact_of_another_number_is_no_rival() -> None:
    known = {"a": "The API listens on port 8080", "b": "The API listens on port 8081"}

    assert chosen("The API always listens on port 8081", **known)[:2] == ("clear", "b")


def test_without_anything_alike_there_is_none() -> None:
    assert chosen(FLAT) == ("none", None, ())
    assert chosen(FLAT, a="Tug crews eat at noon")[:2] == ("none", None)


def test_report_27_what_is_only_the_most_similar_is_not_meant() -> None:
    found = chosen("The API listens on port 8081", a="The API listens on port 8080", b=FLAT)

    assert found[:2] == ("none", None)
    assert found.compared[0][0] == "a"
