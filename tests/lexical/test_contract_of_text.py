"""Which words every index finds: all scripts, and text that other engines read as operators."""

from __future__ import annotations

import pytest

from tests.lexical.builders import document, found, search
from tests.lexical.scripts_table import SCRIPTS

OPERATORS = [
    "pve-01",
    "2031-05-01T10:00",
    "key:value",
    "src/main.py",
    "C++",
    '"unclosed',
    "AND",
    "*",
    "OR NOT",
    '* ( " - ~ : ) ^',
    "(unclosed",
    "[a TO z]",
    "text:*",
    "otter*",
    "/.*/",
    "~0.5",
    "a^2",
    "\\",
    "\0",
    "ot\0ter",
    "%s %(x)s {} ${x}",
    "'; DROP TABLE memories; --",
    "\ud800",
    "",
    " \t\n",
    "x" * 10_000,
    "word " * 2_000,
    '"' * 10_000,
]
UNRELATED = ("the bilge pump of a boat", "notes about harbours", "three and four")


@pytest.mark.parametrize("script", SCRIPTS)
def test_report_41_a_memory_is_found_in_every_script(index, script):
    for name, (memory, _, distractor) in SCRIPTS.items():
        index.add(document(name, memory))
        index.add(document(f"distractor of {name}", distractor))
    _, question, _ = SCRIPTS[script]

    hits = search(index, question, limit=2)

    assert hits[0].memory_id == script
    assert len(hits) == 1 or hits[0].score > hits[1].score


@pytest.mark.parametrize("question", OPERATORS)
def test_report_42_operators_are_text_and_match_no_memory_without_them(index, question):
    for number, text in enumerate(UNRELATED):
        index.add(document(f"m{number}", text))

    assert found(index, question) == (["m2"] if question == "AND" else [])


@pytest.mark.parametrize(
    "question", ["pve-01", "2031-05-01T10:00", "key:value", "src/main.py", "C++"]
)
def test_report_42_an_identifier_is_found_before_one_that_shares_a_part(index, question):
    index.add(document("m1", f"we saw {question} again"))
    for number, other in enumerate(
        ("pve-02", "2031-05-02T10:00", "key:valve", "src/mail.py", "C#")
    ):
        index.add(document(f"other-{number}", f"we saw {other} again"))

    assert found(index, question)[0] == "m1"


def test_report_67_a_word_with_its_letters_ranks_before_one_without_its_accents(index):
    index.add(document("m1", "feliz ano"))
    index.add(document("m2", "feliz año"))

    assert found(index, "año") == ["m2", "m1"]
    assert found(index, "ano") == ["m1", "m2"]
    assert found(index, "an\u0303o") == ["m2", "m1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("running", "run"),
        ("résumé", "resume"),
        ("Łódź", "Lodz"),
        ("ёлка", "елка"),
        ("हिन्दी", "हिंदी"),
        ("قُرْآن", "قران"),
        ("2026", "٢٠٢٦"),
        ("app.py", "src/app.py"),
        ("e-mail", "email"),
        ("wi-fi", "wifi"),
        ("getUserConfig", "get_user_config"),
        ("U.S.A.", "USA"),
        ("C++", "C"),
        (".NET", "net"),
        ("#4711", "4711"),
        ("postgresql", "PostgreSQL-17"),
        ("👍🏽", "👍"),
    ],
)
def test_the_exact_form_ranks_first_and_the_other_form_is_found_too(index, one, other):
    index.add(document("one", f"we saw {one} again"))
    index.add(document("other", f"we saw {other} again"))

    assert found(index, one) == ["one", "other"]
    assert found(index, other) == ["other", "one"]


def test_report_67_a_tamil_word_is_one_word(index):
    index.add(document("m1", "தமிழ் மொழி"))

    assert found(index, "தமிழ்") == ["m1"]
    assert found(index, "தம") == found(index, "ழ்") == []


def test_one_letter_words_and_common_words_are_found(index):
    index.add(document("m1", "C"))
    index.add(document("m2", "Rust"))
    index.add(document("m3", "the who"))
    index.add(document("m4", "who plays the drums"))

    assert found(index, "C") == ["m1"]
    assert found(index, "the who")[0] == "m3"
    assert found(index, "the drums") == ["m4"]


def test_a_question_of_ten_thousand_words_is_answered(index):
    index.add(document("m1", "word7 word8"))
    index.add(document("m2", "heron"))

    assert found(index, " ".join(f"word{number}" for number in range(10_000))) == ["m1"]
