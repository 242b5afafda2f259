"""A fingerprint is the parsed request: what means the same is the same, all else differs."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest
from hypothesis import given

from domain.canonical import Json, parse_json
from domain.requests import parse_request
from tests.builders import properties, source
from tests.domain.strategies import json_values
from tests.inputs import BUILDERS, envelope

SECRET = b"s" * 32


def fingerprint(operation: str, **changes: Json) -> str:
    return parse_request(envelope(operation, **changes)).fingerprint(SECRET)


NULLS: dict[str, tuple[str, ...]] = {
    "remember": (
        "identity_key", "confidence", "valid_from", "valid_until", "expires_at", "visibility",
    ),
    "relate": ("identity_key", "confidence", "valid_from", "valid_until", "expires_at"),
    "update": ("expected_version",),
    "forget": ("expires_at", "version"),
    "consolidate": ("canonical_id",),
}  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "name"), [(op, name) for op, names in NULLS.items() for name in names]
)
def test_null_and_absent_are_the_same(operation: str, name: str) -> None:
    assert fingerprint(operation, **{name: None}) == fingerprint(operation)


@pytest.mark.parametrize(
    ("operation", "changes"),
    [
        ("remember", {"visibility": "workspace"}),
        ("forget", {"scope": "lineage"}),
        ("update", {"patch": {"add_tags": [], "add_provenance": [], "clear": []}}),
        ("update", {"patch": {"content": None, "lifecycle": None, "expires_at": None}}),
    ],
)
def test_a_default_that_is_spelled_out_is_the_same(operation: str, changes: dict[str, Any]) -> None:
    assert fingerprint(operation, **changes) == fingerprint(operation)


def test_null_within_a_reference_is_the_same_as_absent() -> None:
    bare = {"source_id": "s1"}
    assert fingerprint("remember", provenance=[bare]) == fingerprint(
        "remember", provenance=[source("s1")]
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": None}, {}),
        ({"a": []}, {}),
        ({"a": {}}, {"a": None}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": 0}, {"a": False}),
        ({"a": "e\u0301"}, {"a": "\u00e9"}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": ""}, {"a": " "}),
        ({"scope": "lineage"}, {}),
    ],
)
def test_inside_content_nothing_is_folded(one: dict[str, Json], other: dict[str, Json]) -> None:
    assert fingerprint("remember", content=properties(**one)) != fingerprint(
        "remember", content=properties(**other)
    )
    assert fingerprint("relate", properties=one) != fingerprint("relate", properties=other)


@pytest.mark.parametrize(
    ("operation", "one", "other"),
    [
        ("remember", {"tags": ["a", "b"]}, {"tags": ["b", "a"]}),
        ("remember", {"tags": ["a"]}, {"tags": ["a", "a"]}),
        ("remember", {"identity_key": ""}, {}),
        ("remember", {"confidence": 0}, {}),
        ("remember", {"visibility": "private"}, {}),
        (
            "remember",
            {"provenance": [source("1"), source("2")]},
            {"provenance": [source("2"), source("1")]},
        ),
        (
            "remember",
            {"valid_from": "2026-01-01T00:00:00Z"},
            {"valid_from": "2026-01-01T01:00:00+01:00"},
        ),
        ("update", {"patch": {"clear": ["confidence"]}}, {}),
        ("update", {"expected_version": 0}, {}),
        ("forget", {"mode": "application_delete"}, {}),
        ("consolidate", {"memory_ids": ["a", "b"]}, {"memory_ids": ["b", "a"]}),
        ("consolidate", {"preserve_disagreements": False}, {}),
    ],
)
def test_what_means_something_else_differs(
    operation: str, one: dict[str, Any], other: dict[str, Any]
) -> None:
    assert fingerprint(operation, **one) != fingerprint(operation, **other)


def test_a_number_of_the_contract_is_a_number_however_it_is_written() -> None:
    assert fingerprint("remember", confidence=1) == fingerprint("remember", confidence=1.0)


def test_no_two_operations_share_a_fingerprint() -> None:
    assert len({fingerprint(operation) for operation in BUILDERS}) == len(BUILDERS)


def test_the_key_is_no_part_of_it_and_the_secret_is() -> None:
    request = parse_request(envelope("remember"))
    other_key = parse_request(envelope("remember", envelope_changes={"idempotency_key": "z"}))
    assert request.fingerprint(SECRET) == other_key.fingerprint(SECRET)
    assert request.fingerprint(SECRET) != request.fingerprint(b"t" * 32)


def test_it_is_pinned() -> None:
    """Receipts hold it for ever: a request that was sent once must be known for ever."""
    body = envelope(
        "remember",
        identity_key="K",
        content=properties(a=[1, 1.0, None], b="é"),
        confidence=0.5,
        provenance=[source("s")],
        tags=["t"],
    )
    said = (
        '["remember",{"confidence":0.5,'
        '"content":{"format":"properties","value":{"a":[1,1.0,null],"b":"é"}},'
        '"identity_key":"K","kind":"observation","provenance":[{"source_id":"s"}],'
        '"schema_version":"1","tags":["t"]}]'
    )
    expected = hmac.new(SECRET, said.encode(), hashlib.sha256).hexdigest()
    assert parse_request(body).fingerprint(SECRET) == expected


@given(json_values)
def test_white_space_and_the_order_of_keys_do_not_matter(value: Json) -> None:
    body = envelope("relate", properties={"a": value, "b": value})
    spelled = json.dumps(body, indent=3, ensure_ascii=True).encode()
    again = parse_json(spelled)
    again["input"]["properties"] = dict(reversed(again["input"]["properties"].items()))
    assert parse_request(again).fingerprint(SECRET) == parse_request(body).fingerprint(SECRET)
