"""Wrong types: never coerced, refused in the words of the contract, in process too."""

from __future__ import annotations

import math
from typing import Any

import pytest

from domain.canonical import Json
from domain.errors import Code, MemorandaError
from domain.requests import parse_request
from tests.builders import properties
from tests.inputs import envelope


def refusal(value: Json) -> MemorandaError:
    with pytest.raises(MemorandaError) as caught:
        parse_request(value).input.check()
    assert caught.value.code is Code.INVALID_REQUEST
    return caught.value


FIELDS_OF_NUMBERS = [
    ("remember", "confidence"),
    ("relate", "confidence"),
    ("recall", "min_confidence"),
]


@pytest.mark.parametrize(("operation", "field"), FIELDS_OF_NUMBERS)
@pytest.mark.parametrize("value", ["0.5", True, [0.5], {}, 10**399])
def test_a_number_is_never_made_of_something_else(operation: str, field: str, value: Json) -> None:
    assert refusal(envelope(operation, **{field: value})).field == field


@pytest.mark.parametrize(("operation", "field"), FIELDS_OF_NUMBERS)
@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, None])
def test_an_integer_is_a_number_too(operation: str, field: str, value: Json) -> None:
    parse_request(envelope(operation, **{field: value})).input.check()


@pytest.mark.parametrize("value", [None, [1], 5, "s", {"a": None}])
def test_properties_of_an_edge_may_be_any_json(value: Json) -> None:
    assert parse_request(envelope("relate", properties=value)).input.properties == value  # type: ignore[union-attr]


INTERNAL = (
    "dictionary",
    "instance",
    "discriminator",
    "extract",
    "Input",
    "tag ",
    "pydantic",
    "list",
)


@pytest.mark.parametrize(
    ("operation", "changes"),
    [
        ("remember", {"content": []}),
        ("remember", {"content": {"value": "x"}}),
        ("remember", {"content": {"format": "properties", "value": [1]}}),
        ("remember", {"provenance": None}),
        ("remember", {"provenance": ["s"]}),
        ("recall", {"limits": 5}),
        ("update", {"patch": []}),
        ("update", {"target": "x"}),
        ("consolidate", {"mode": "propose"}),
        ("consolidate", {"mode": {}}),
    ],
)
def test_a_refusal_speaks_the_words_of_the_contract(
    operation: str, changes: dict[str, Any]
) -> None:
    message = refusal(envelope(operation, **changes)).message
    assert not [word for word in INTERNAL if word in message], message


def test_a_refusal_of_the_whole_input_names_no_class() -> None:
    message = refusal(envelope("remember", envelope_changes={"input": "x"})).message
    assert not [word for word in INTERNAL if word in message], message


@pytest.mark.parametrize(
    ("changes", "beside"),
    [
        ({"content": properties(a=math.nan)}, {}),
        ({"content": properties(a=math.inf)}, {}),
        ({"content": properties(a={1, 2})}, {}),
        ({"content": properties(a=b"x")}, {}),
        ({"kind": "\ud800"}, {}),
        ({"tags": ["\ud800"]}, {}),
        ({"content": properties(**{"\ud800": 1})}, {}),
        ({}, {"idempotency_key": "\ud800"}),
    ],
)
def test_a_value_given_in_process_is_held_to_the_same_json(
    changes: dict[str, Any], beside: dict[str, Any]
) -> None:
    refusal(envelope("remember", envelope_changes=beside, **changes))


def test_nesting_in_process_is_bounded_too() -> None:
    deep: Json = 1
    for _ in range(5000):
        deep = [deep]
    assert refusal(envelope("relate", properties=deep)).reason == "TOO_DEEP"
