"""When two wordings are the same, and what is never folded."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.bundles.wording import Wording, caseless, spelled, wording_key

SCOPE = "the whole repository"
NORMAL_FORMS = ("NFC", "NFD")


def key(rule: str, scope: str = SCOPE) -> str:
    return wording_key(Wording(rule, scope))


def texts() -> st.SearchStrategy[str]:
    """Letters, marks, figures and blanks of all scripts."""
    return st.text(st.characters(categories=["L", "M", "N", "Z", "Po", "Pd"]), min_size=1)


@pytest.mark.parametrize(
    "other",
    [
        "bilge PUMPS run before every cast off",
        "  Bilge  pumps run\tbefore\nevery cast\u00a0off ",
        "Bilge pumps run before every cast off.",
        "Bilge pu\u00admps run before every cast off\ufeff",
        "\uff22ilge pumps run before every cast off",
    ],
)
def test_another_case_blank_form_or_full_stop_is_the_same_wording(other: str) -> None:
    assert key(other) == key("Bilge pumps run before every cast off")


def test_what_an_editor_makes_of_quotes_and_dashes_is_the_same() -> None:
    said = 'Don\'t use "smart" options - pass -x, pages 3-5...'

    typographic = (
        "Don\u2019t use \u201csmart\u201d options \u2014 pass \u2212x, pages 3\u20135\u2026"
    )

    assert key(typographic) == key(said)


def test_blanks_beside_chinese_and_japanese_letters_are_typography() -> None:
    assert key("使用 Redis 缓存会话") == key("使用Redis缓存会话。")
    assert key("테스트 를 실행") != key("테스트를 실행"), "Korean writes blanks between words"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the area is x\u00b2", "the area is x2"),
        ("port \u0668\u0660", "port 80"),  # Arabic-Indic figures
        ("step \u2460", "step 1"),
        ("\u00bd of it", "1/2 of it"),
        ("git add .", "git add"),
        ("go test ./...", "go test ./"),
        ("call save!", "call save"),
        ("is it flat?", "is it flat"),
        ("café", "cafe"),
        ("can not", "cannot"),
        ("tabs", "tab"),
    ],
)
def test_what_means_something_else_is_another_wording(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_rule_and_its_scope_are_told_apart() -> None:
    assert key("charts are flat in", "drawers") != key("charts are flat", "in drawers")
    assert key("charts", "a\nb") == key("charts", "a b")


def test_no_letter_of_unicode_is_told_apart_by_its_case_or_normal_form() -> None:
    different = []
    for char in map(chr, range(sys.maxunicode + 1)):
        if not "\ud800" <= char <= "\udfff":
            forms = {char.upper(), char.lower(), char.title(), char.casefold()}
            forms |= {unicodedata.normalize(form, char) for form in NORMAL_FORMS}
            if forms != {char}:
                different += [form for form in forms if key(f"a{form}b") != key(f"a{char}b")]
    assert different == []


@given(texts())
def test_any_text_in_another_case_blank_or_normal_form_is_the_same_wording(text: str) -> None:
    blanks = "\t ".join(f" {text}\n".split(" "))

    for other in (text.upper(), text.lower(), text.swapcase(), text.title(), blanks):
        assert key(other) == key(text)
    for form in NORMAL_FORMS:
        assert key(unicodedata.normalize(form, text)) == key(text)
        assert key(unicodedata.normalize(form, text.upper()), text) == key(text, text)


@given(texts())
def test_a_spelling_is_final(text: str) -> None:
    assert spelled(spelled(text)) == spelled(text)
    assert caseless(caseless(text)) == caseless(text)
