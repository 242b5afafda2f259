"""Laws of matching: what is never merged, and what always is one."""

from __future__ import annotations

import random
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domain.bundles.comparing import compare
from domain.bundles.matching import choose
from domain.bundles.thresholds import THRESHOLDS
from domain.bundles.word_forms import bases
from domain.bundles.word_lists import FUNCTION_WORDS
from domain.bundles.wording import Wording
from domain.canonical import canonical
from tests.bundles.labelled import WANTED, pairs
from tests.bundles.swapping import KINDS, mutant, respelled

DICE = st.integers(min_value=0, max_value=2**32).map(random.Random)
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
SENTENCE = "Log lines of the {} importer are written as plain text"
PLACES = (
    "The mail gateway of the office uses {} in every letter",
    "{} is what the gateway of the office always uses",
    "Ask {} before the schema of the harbour office changes",
    "Run make with {} first, then wait for the office",
    "配置网关使用 {} 发送邮件到港口办公室",
    "Der Dienst im Hafen nutzt {} für alle Briefe der Verwaltung",
)
TERMS = (
    *("8080", "8081", "three", "four", "30s", "30ms", "1.2.3", "v2", "50%", "50", "1000", "10,000"),
    *(
        "½",
        "Ⅳ",
        "x²",
        "x2",
        "三",
        "五",
        ">=3",
        "<=3",
        "C++",
        "C#",
        "C",
        "R",
        ".env",
        "$HOME",
        "@bob",
    ),
    *("MAX_POOL", "min_pool", "lint-api", "lintapi", "--force", "-f", "/etc/hosts", "bar[0]", "λ"),
    *(
        "a@b.test",
        "https://x.test/a",
        "http",
        "https",
        "#12",
        "OPS-14",
        "9f3c1ab",
        "utf-8",
        "utf-16",
    ),
    *(
        "`'a'`",
        '"b c"',
        "`ls -l`",
        "';'",
        "','",
        "Kelpie",
        "Selkie",
        "May",
        "US",
        "Monday",
        "weekly",
    ),
    *("None", "null", "true", "false", "us", "get", "put"),
)
SCOPE = "the whole repository"
DECIDED = {"matching/v1": "b42a15abcfd75483d4667c7ee5d849152429da27165dcb3fc4b7b730e6343530"}
"""A version → SHA-256 of what it decides of the labelled pairs, in canonical JSON."""
MERGED = {"restatement", "clear"}


@given(DICE)
def test_one_identifier_number_version_or_name_swapped_is_never_merged(dice: random.Random) -> None:
    accepted, swapped, kind = mutant(dice)
    said = Wording(*(respelled(dice, text) for text in swapped))

    assert kind in KINDS
    assert compare(said, accepted).verdict not in MERGED
    assert choose(said, [("a", accepted)]).chosen is None


@given(DICE)
def test_another_case_blank_or_normal_form_is_always_a_restatement(dice: random.Random) -> None:
    accepted = mutant(dice).accepted
    said = Wording(*(respelled(dice, text) for text in accepted))

    assert compare(said, accepted).verdict == "restatement"
    assert choose(said, [("a", accepted)]).chosen == "a"


@settings(max_examples=20)  # of as many pairs each as there are terms
@given(st.sampled_from(PLACES), st.permutations(TERMS))
def test_one_term_of_any_shape_swapped_for_another_is_never_merged(
    place: str, terms: list[str]
) -> None:
    for one, other in pairwise(terms):
        if one.casefold() != other.casefold():
            said, known = (Wording(place.format(term), SCOPE) for term in (one, other))
            assert compare(said, known).verdict not in MERGED, (one, other)


@given(WORDS, WORDS)
def test_one_word_swapped_for_another_is_never_merged(one: str, other: str) -> None:
    assume(bases(one).isdisjoint(bases(other)) and not FUNCTION_WORDS & {one, other})

    found = compare(Wording(SENTENCE.format(one), SCOPE), Wording(SENTENCE.format(other), SCOPE))

    assert found.verdict not in MERGED


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_a_comparison_of_any_texts_is_symmetric_and_bounded(
    rule: str, scope: str, other_rule: str, other_scope: str
) -> None:
    one, other = Wording(rule, scope), Wording(other_rule, other_scope)

    found = compare(one, other)

    assert found == compare(other, one)
    assert 0.0 <= found.score <= 1.0
    assert compare(one, one) == (1.0, "restatement", ())


@given(st.lists(st.sampled_from(["log", "logs", "Kelpie", "never", "in", "2", "on", "may"])))
def test_a_comparison_of_few_words_is_symmetric(words: list[str]) -> None:
    for cut in range(len(words) + 1):
        one = Wording(" ".join(words[:cut]) or "a", SCOPE)
        other = Wording(" ".join(words[cut:]) or "b", SCOPE)
        assert compare(one, other) == compare(other, one)


@pytest.mark.parametrize("label", WANTED)
def test_no_labelled_pair_is_merged_that_is_two_facts_or_lost_that_is_one(label: str) -> None:
    for pair in pairs("choosing") + pairs("held out"):
        if pair.label == label:
            found = compare(pair.said, pair.known)

            assert found == compare(pair.known, pair.said), pair
            assert (found.verdict == "restatement") == (label == "restatement"), pair
            if WANTED[label] not in MERGED:
                assert found.verdict not in MERGED, pair
            if label == "refinement":
                assert found.verdict in {"clear", "grey"}, pair


def test_the_least_scores_are_in_their_order() -> None:
    assert 0 < THRESHOLDS.grey < THRESHOLDS.clear < 1
    assert 0 < THRESHOLDS.margin < 1 - THRESHOLDS.grey
    assert len(pairs("choosing") + pairs("held out")) >= 120


def test_what_a_version_decides_is_what_it_decided() -> None:
    """Recorded windows are decided again: who changes a word list makes another version."""
    comparisons = [
        [pair.label, f"{found.score:.9f}", found.verdict, *found.differing]
        for pair in pairs("choosing") + pairs("held out")
        for found in [compare(pair.said, pair.known)]
    ]

    assert sha256(canonical(comparisons)).hexdigest() == DECIDED[THRESHOLDS.version]
