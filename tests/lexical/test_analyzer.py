# ruff: noqa: RUF001  letters that look like Latin ones are what some of these tests are about
"""The analyzer: which terms a text is found by, and which a question asks for."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.lexical import scripts
from projections.lexical.analyzer import PIECES_AT_ONCE, analyze, query_terms
from projections.lexical.parameters import (
    PIECE_CHARS_MAX,
    QUERY_CHARS_MAX,
    QUERY_TERMS_MAX,
    SLICE_CHARS,
)

ANYTHING = st.text(st.integers(0, 0x10FFFF).map(chr), max_size=60)
WRITING = st.text(
    st.sampled_from(
        "abcXYZ019 ._-/:@#+&'’~%=?\\\0\n()*é\u0301ñßıİ東京のสวัสดี்தமிழ🚀\u200d\u200c👩💻🏽"
    )
    | st.integers(0, 0x10FFFF).map(chr),
    max_size=40,
)

TERMS = {
    "PostgreSQL-17": "postgresql-17 postgresql 17 postgresql17",
    "src/app.py": "src/app.py app.py src app py",
    "CVE-2026-1234": "cve-2026-1234 cve 2026 1234",
    "get_user_config": "get_user_config get user config getuserconfig",
    "HTTPServerError": "httpservererror http server error",
    "getUserConfig": "getuserconfig get user config",
    "https://docs.example.com/atlas": "docs.example.com docs.example.com/atlas example.com atlas",
    "anna.kowalski@example.com": "anna.kowalski@example.com anna.kowalski kowalski example.com",
    "2026-03-14T10:00:00Z": "2026-03-14t10:00:00z 2026-03-14 2026 14",
    "10.12.0.45:8080": "10.12.0.45:8080 10.12.0.45 8080",
    "v1.2.3-rc1": "v1.2.3-rc1 1.2.3 rc1",
    "key=value": "key=value key",
    "#4711": "#4711 4711",
    ".NET C++ C# R&D": ".net net c++ c c# r&d",
    "--no-cache": "no-cache no cach",
    "SD500": "sd500 sd 500",
    "wi-fi": "wi-fi wifi wi fi",
    "O'Brien's": "o'brien obrien brien",
    "l’École": "l'école école ecol",
    "Anna's": "anna",
    "don't": "don't dont",
    "running": "running run",
    "naïve": "naïve naiv",
    "Straße": "strasse strass",
    "İstanbul ılık": "istanbul ilik ılık",
    "Łódź": "łódź lodz",
    "ё й": "ё е й",
    "हिन्दी हिंदी": "हिन्दी हिंदी",
    "555-867-5309": "555-867-5309 5558675309 867",
    "٢٠٢٦ ۲۰۲۶": "2026 ٢٠٢٦",
    "قُرْآن": "قُرْآن قران",
    "東京都": "東京 京都 東 京 都",
    "สวัสดี": "สวั วัส สดี",
    "👩🏽‍💻": "👩🏽‍💻 👩 💻",
    "€50": "€ 50",
    "co\u00adoperate": "cooperate",
}


@pytest.mark.parametrize("text", TERMS)
def test_a_text_is_found_by_its_exact_form_and_its_parts(text):
    assert set(TERMS[text].split()) <= set(analyze(text))


@pytest.mark.parametrize("text", TERMS)
def test_no_form_of_a_word_counts_more_than_the_word_as_written(text):
    word = analyze(text.split()[0])

    assert max(word.values()) == next(iter(word.values())) == 1


@given(ANYTHING | WRITING)
def test_no_text_raises_and_a_question_asks_only_for_what_the_same_text_is_found_by(text):
    terms = analyze(text)

    assert {term.text for term in query_terms(text)} <= set(terms)
    assert all(0 < term.weight <= 1 for term in query_terms(text))
    assert all(frequency > 0 for frequency in terms.values())


@given(WRITING)
def test_composed_and_decomposed_text_has_the_same_terms(text):
    assert analyze(unicodedata.normalize("NFC", text)) == analyze(
        unicodedata.normalize("NFD", text)
    )


@given(WRITING)
def test_terms_hold_no_space_and_nothing_invisible(text):
    for term in analyze(text):
        assert not any(character.isspace() or character == "\0" for character in term)
        assert "\u200c" not in term


@given(st.text(st.integers(0, 127).map(chr), max_size=60))
def test_the_quick_pattern_for_ascii_cuts_as_the_whole_one_does(text):
    quick = [(m.lastgroup, m.group()) for m in scripts._ASCII_PIECE.finditer(text)]

    assert quick == [(m.lastgroup, m.group()) for m in scripts._PIECE.finditer(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("ÉCOLE", "école"), ("STRASSE", "straße"), ("ΌΔΟΣ", "όδος"), ("ＡＢＣ", "abc"), ("ﬁn", "FIN")],
)
def test_upper_and_lower_case_are_one_word(one, other):
    assert analyze(one) == analyze(other)


def test_words_that_repeat_count_each_time_and_forms_of_one_word_once():
    assert analyze("otter otter otter") == {"otter": 3}
    assert analyze("a/a") == {"a/a": 1, "a": 0.5}


def test_the_inflection_asked_for_ranks_first_and_its_stem_carries_the_weight():
    assert dict(query_terms("running")) == {"running": 0.25, "run": 1}
    assert analyze("running") == {"running": 1, "run": 0.75}


def test_common_words_are_left_out_unless_there_are_no_others():
    assert [term.text for term in query_terms("where is the otter")] == ["otter"]
    assert [term.text for term in query_terms("Who is it?")] == ["who", "is", "it"]
    assert [term.text for term in query_terms("I don't, you shouldn't: heron")] == ["heron"]


def test_a_common_word_in_capitals_is_a_name_and_an_operator_is_not():
    assert [term.text for term in query_terms("Vitamin A")] == ["vitamin", "a"]
    assert [term.text for term in query_terms("the IT budget of the WHO")] == [
        "it",
        "budget",
        "who",
    ]
    assert [term.text for term in query_terms("fox AND hen NOT wolf OR cat")] == [
        *("fox", "hen", "wolf", "cat")
    ]
    assert [term.text for term in query_terms("WHERE IS THE OTTER")] == ["otter"]


def test_one_letter_of_a_run_without_spaces_is_found_by_a_question_of_that_letter():
    assert dict(query_terms("水")) == {"水": 1}
    assert "水" not in dict(query_terms("水曜日"))
    assert analyze("水曜日")["水"] == 0.25


def test_a_question_asks_for_its_first_thousand_terms_at_most():
    asked = query_terms(" ".join(f"w{'x' * (n % 7)}q{n}" for n in range(10_000)))

    assert len(asked) <= QUERY_TERMS_MAX
    assert asked[0].text == "wq0"
    assert len(query_terms("東京" + "".join(map(chr, range(0x4E00, 0x9000))))) == QUERY_TERMS_MAX


def test_a_question_is_read_up_to_its_bound():
    assert query_terms(" " * QUERY_CHARS_MAX + "heron") == []
    assert query_terms("otter " * 50_000)[0].text == "otter"


def test_text_without_spaces_is_cut_at_its_punctuation_and_loses_nothing():
    long = ".".join(f"part{number}" for number in range(500))

    terms = analyze(long)

    assert {f"part{number}" for number in range(500)} <= set(terms)
    assert max(map(len, analyze("x" * 100_000))) == PIECE_CHARS_MAX


def test_marks_beyond_any_language_cost_nothing_and_change_nothing():
    flood = "e" + "\u0301\u0323" * 50_000

    assert set(analyze(f"{flood} heron")) >= {"heron"}
    assert len(analyze(flood)) <= 2


def test_an_emoji_of_very_many_is_bounded():
    assert max(map(len, analyze("👩\u200d" * 10_000))) < 40


@given(
    part=st.text(
        st.sampled_from("aB.#+-'é\u0301\u0316\u00b4 \n\u200d👩東ท\u3000") | st.characters()
    )
)
def test_a_long_text_has_the_pieces_of_its_parts(part):
    often = 2 * SLICE_CHARS // (len(part) + 1) + 2

    assert list(scripts.pieces(f"{part} " * often)) == [*scripts.pieces(part)] * often


def test_who_is_out_of_time_is_not_made_to_wait_for_the_rest_of_a_long_question():
    words = [f"word{number}" for number in range(10 * PIECES_AT_ONCE)]
    looks = iter(range(100))

    terms = query_terms(" ".join(words), lambda: next(looks) == 2)

    assert {term.text for term in terms} >= set(words[: 3 * PIECES_AT_ONCE])
    assert not {term.text for term in terms} & set(words[3 * PIECES_AT_ONCE :])


def test_who_has_time_gets_all_terms():
    text = " ".join(f"word{number}" for number in range(10 * PIECES_AT_ONCE))

    assert query_terms(text, lambda: False) == query_terms(text)
