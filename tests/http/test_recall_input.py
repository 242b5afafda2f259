"""A question is text: whatever is in it is looked up as words, or separates them."""

from __future__ import annotations

import pytest

from domain.limits import BUDGETS
from tests.http.api import question

OTTER, HERON = "an otter in the river", "a heron at the lake"
FINDS_THE_OTTER = {
    "operators": "otter AND NOT heronx OR (",
    "a field name": "text:otter",
    "a boost and a slop": "otter^5 otter~2",
    "a quote that is not closed": '"otter',
    "a phrase that is not there": '"river otter"',
    "a required and a forbidden word": "+otter -river",
    "markup": "<b>otter</b> &amp; <script>",
    "SQL": "otter'; DROP TABLE memory; --",
    "NUL": "otter\0heronx",
    "controls and directions": "\u202eotter\u202c\x07\ufeff",
    "a hundred thousand characters": "otter " + "x" * 100_000,
    "a hundred thousand words": "otter " * 16_000,
}
FINDS_NOTHING = {
    "a wildcard": "ott* ?tter",
    "everything": "*",
    "a field of all": "*:*",
    "a regex": "/ott.*/",
    "a range": "[a TO z] {a TO z}",
    "punctuation": "!?…—¿¡()[]{}<>|\\^`~'\"",
    "emoji": "🦦🚀",
    "a joiner alone": "\u200d",
    "marks alone": "\u0301\u0323",
    "a format of strings": "%s {0} ${jndi:x}",
}


@pytest.fixture
def made(api):
    return [api.remember(text) for text in (OTTER, HERON)]


def found(answer):
    return [item["record"]["id"] for item in answer["items"]]


@pytest.mark.parametrize("said", FINDS_THE_OTTER)
def test_words_are_found_whatever_stands_around_them(api, made, said):
    answer = api.do("recall", question(FINDS_THE_OTTER[said]), None)

    assert found(answer) == made[:1]
    trace = api.do("trace", {"target": {"kind": "recall", "id": answer["recall_id"]}}, None)
    assert [one["record_id"] for one in trace["versions"]] == made[:1]


@pytest.mark.parametrize("said", FINDS_NOTHING)
def test_what_is_no_word_of_a_memory_finds_none_and_is_a_complete_answer(api, made, said):
    answer = api.do("recall", question(FINDS_NOTHING[said]), None)

    assert found(answer) == []
    assert answer["completeness"] == {"complete": True, "truncated": False, "outcomes": []}


def test_a_question_of_stop_words_alone_finds_who_has_them(api, made):
    assert found(api.do("recall", question("was it not at the"), None)) == made[::-1]
    assert found(api.do("recall", question("was it not"), None)) == []


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000"])
def test_a_blank_question_is_refused(api, made, blank):
    response = api.send("recall", question(blank), None)

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize("name", BUDGETS)
def test_each_limit_is_taken_at_both_its_ends_and_refused_beyond_them(api, made, name):
    most = BUDGETS[name]

    def ask(value):
        said = question("otter")
        return api.send("recall", {**said, "limits": {**said["limits"], name: value}}, None)

    for value in (1, 2**53 - 1 if most is None else most):
        assert ask(value).status_code == 200, value
    for value in (0, *([] if most is None else [most + 1])):
        assert refusal(ask(value), 422) == "INVALID_BUDGET", value
    for value in (-1, 1.5, "1", True, None):
        assert refusal(ask(value), 400) == "INVALID_REQUEST", value


def refusal(response, status):
    """The code of an error, which names a limit."""
    assert response.status_code == status, response.text
    return response.json()["error"]["code"]


def test_all_limits_at_once_at_either_end_are_answered(api, made):
    least = {**question("otter"), "limits": dict.fromkeys(BUDGETS, 1)}
    most = {**question("otter"), "limits": {name: one or 10**9 for name, one in BUDGETS.items()}}

    first, whole = api.do("recall", least, None), api.do("recall", most, None)

    assert found(first) == []  # nothing fits into one byte
    assert not first["completeness"]["complete"]
    assert found(whole) == made[:1]
    assert whole["completeness"]["complete"]
