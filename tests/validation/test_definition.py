"""Definitions are read strictly, and the same rules are the same bytes."""

from __future__ import annotations

import pytest

from domain.errors import Code, MemorandaError
from domain.validation.definition import check_policy_name, parse_definition
from domain.validation.shipped import SHIPPED

RULE = {"independent_supports": 1}

REFUSED = [
    ({}, "definition", "NO_RULE"),
    ({"contradictions_allowed": 0, "rivals_allowed": False}, "definition", "NO_RULE"),
    ({"independent_supports": 0}, "definition", "NO_RULE"),
    ({"min_confidence": 0.9}, "definition.min_confidence", "CONFIDENCE_ONLY"),
    (
        {"min_confidence": 0.9, "contradictions_allowed": 0, "withdrawn_allowed": False},
        "definition.min_confidence",
        "CONFIDENCE_ONLY",
    ),
    ({"trusted_only": True}, "definition.trusted_only", "NOTHING_TRUSTED"),
    (
        {"trusted_only": True, "sources": {"unrated": ["lab"]}},
        "definition.trusted_only",
        "NOTHING_TRUSTED",
    ),
    ([], "definition", None),
    (None, "definition", None),
    ({**RULE, "supports": 1}, "definition.supports", None),
    ({"independent_supports": "1"}, "definition.independent_supports", None),
    ({"independent_supports": True}, "definition.independent_supports", None),
    ({"independent_supports": 1.0}, "definition.independent_supports", None),
    ({"independent_supports": -1}, "definition.independent_supports", None),
    ({"independent_supports": 1001}, "definition.independent_supports", None),
    ({"independent_supports": None}, "definition.independent_supports", None),
    ({**RULE, "contradictions_allowed": -1}, "definition.contradictions_allowed", None),
    ({**RULE, "rivals_allowed": 1}, "definition.rivals_allowed", None),
    ({**RULE, "approvals": 101}, "definition.approvals", None),
    ({**RULE, "max_age_seconds": -1}, "definition.max_age_seconds", None),
    ({**RULE, "max_age_seconds": 10**15}, "definition.max_age_seconds", None),
    ({**RULE, "min_confidence": 1.1}, "definition.min_confidence", None),
    ({**RULE, "source_kinds": []}, "definition.source_kinds", None),
    ({**RULE, "source_kinds": "source"}, "definition.source_kinds", None),
    ({**RULE, "source_kinds": ["source", " "]}, "definition.source_kinds.1", None),
    ({**RULE, "source_kinds": ["k" * 1025]}, "definition.source_kinds.0", None),
    ({**RULE, "sources": {"default": "good"}}, "definition.sources.default", None),
    ({**RULE, "sources": {"distrusted": []}}, "definition.sources.distrusted", None),
    ({**RULE, "sources": {"trusted": ["a*b"]}}, "definition.sources.trusted.0", None),
    ({**RULE, "sources": {"trusted": ["**"]}}, "definition.sources.trusted.0", None),
    ({**RULE, "sources": {"quarantine": ["ok", ""]}}, "definition.sources.quarantine.1", None),
    ({**RULE, "sources": {"trusted": [1]}}, "definition.sources.trusted.0", None),
    ({**RULE, "sources": {"trusted": ["a"] * 1001}}, "definition.sources.trusted", None),
    ({**RULE, "contested_on": [["nonsense"]]}, "definition.contested_on.0.0", None),
    ({**RULE, "rejected_on": [[]]}, "definition.rejected_on.0", None),
    ({**RULE, "rejected_on": ["contradiction"]}, "definition.rejected_on.0", None),
    (
        {**RULE, "sources": {"trusted": [f"{n:04}" + "x" * 100 for n in range(1000)]}},
        "definition",
        None,
    ),
]


@pytest.mark.parametrize(("said", "field", "reason"), REFUSED)
def test_what_is_no_definition_is_refused_with_its_field(said, field, reason) -> None:
    with pytest.raises(MemorandaError) as refused:
        parse_definition(said)

    error = refused.value
    assert (error.code, error.field, error.reason) == (Code.INVALID_REQUEST, field, reason)
    assert error.message.startswith(error.field.partition(".")[0])


def test_a_refusal_tells_back_no_more_than_a_piece_of_a_long_name() -> None:
    with pytest.raises(MemorandaError) as refused:
        parse_definition({"x" * 10_000: 1})

    assert len(refused.value.message) < 300


@pytest.mark.parametrize(
    "text", ["NaN", "deep"], ids=["a number that is none", "nested too deeply"]
)
def test_what_json_cannot_say_is_no_definition(text) -> None:
    deep: object = []
    for _ in range(100):
        deep = [deep]
    said = {**RULE, "min_confidence": float("nan") if text == "NaN" else deep}

    with pytest.raises(MemorandaError):
        parse_definition(said)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({**RULE}, {**RULE, "approvals": 0, "sources": None}),
        ({**RULE, "min_confidence": 1}, {**RULE, "min_confidence": 1.0}),
        ({**RULE, "min_confidence": 0}, {**RULE, "min_confidence": -0.0}),
        ({**RULE, "source_kinds": ["a", "b"]}, {**RULE, "source_kinds": ["b", "a", "b"]}),
        (
            {**RULE, "sources": {"trusted": ["caf\u00e9", "b"]}},
            {**RULE, "sources": {"trusted": [" b", "cafe\u0301 "]}},
        ),
        (
            {**RULE, "rejected_on": [["contradiction", "no_support"], ["rival_claim"]]},
            {**RULE, "rejected_on": [["rival_claim"], ["no_support", "contradiction"]]},
        ),
    ],
)
def test_the_same_rules_said_otherwise_have_one_digest(one, other) -> None:
    assert parse_definition(one) == parse_definition(other)
    assert parse_definition(one).digest == parse_definition(other).digest


def test_every_rule_is_in_the_digest() -> None:
    """Given one more rule, whichever it is, then the definition is another one."""
    rules = [
        {"independent_supports": 2},
        {"contradictions_allowed": 1},
        {"contradictions_allowed": None},
        {"rivals_allowed": True},
        {"withdrawn_allowed": True},
        {"source_kinds": ["source"]},
        {"sources": {}},
        {"sources": {"default": "trusted"}},
        {"sources": {"quarantine": ["rumour"]}},
        {"sources": {"trusted": ["rumour"]}},
        {"require_locator": True},
        {"require_observed_at": True},
        {"require_current": True},
        {"max_age_seconds": 0},
        {"match_scope": True},
        {"group_by_host": True},
        {"approvals": 1},
        {"min_confidence": 0.0},
        {"contested_on": []},
        {"rejected_on": []},
    ]

    digests = {parse_definition({**RULE, **rule}).digest for rule in ({}, *rules)}

    assert len(digests) == len(rules) + 1


def test_a_definition_is_read_back_from_what_it_says() -> None:
    for definition in (
        *SHIPPED.values(),
        parse_definition({**RULE, "sources": {"trusted": ["b*", "a"]}, "max_age_seconds": 5}),
    ):
        assert parse_definition(definition.as_json()) == definition


@pytest.mark.parametrize("name", ["a/v1", "two-independent/v10", "9/v2", "a" * 97 + "/v1"])
def test_a_name_has_a_version(name) -> None:
    assert check_policy_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "a/v0",
        "a/v01",
        "A/v1",
        "-a/v1",
        "a/b/v1",
        "a/v1\n",
        "ä/v1",
        "a/v\u0661",
        "a" * 98 + "/v1",
    ],
)
def test_what_is_no_name_is_refused(name) -> None:
    with pytest.raises(MemorandaError) as refused:
        check_policy_name(name, "policy")

    error = refused.value
    assert (error.code, error.field, error.reason) == (
        Code.INVALID_REQUEST,
        "policy",
        "POLICY_NAME",
    )
