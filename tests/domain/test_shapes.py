"""The first step: an envelope and inputs of the right shape, or INVALID_REQUEST at a field."""

from __future__ import annotations

from typing import Any

import pytest

from domain.canonical import Json
from domain.contract import INPUTS
from domain.errors import Code, MemorandaError
from domain.requests import parse_request
from tests import inputs
from tests.builders import properties, source, text
from tests.inputs import envelope


def refusal(value: Json) -> MemorandaError:
    with pytest.raises(MemorandaError) as caught:
        parse_request(value).input.check()
    assert caught.value.code is Code.INVALID_REQUEST
    return caught.value


@pytest.mark.parametrize("operation", INPUTS)
def test_the_least_envelope_of_each_operation_is_taken(operation: str) -> None:
    request = parse_request(envelope(operation))
    assert (request.operation, request.idempotency_key) == (operation, "k")
    request.input.check()


@pytest.mark.parametrize("value", [None, True, 5, 1.5, "remember", [], [{}]])
def test_a_body_that_is_no_object_is_refused(value: Json) -> None:
    assert "envelope" in refusal(value).message


@pytest.mark.parametrize("name", ["workspace_id", "permissions", "actor_id", "Operation", ""])
def test_the_envelope_takes_no_other_member(name: str) -> None:
    error = refusal(envelope("remember", envelope_changes={name: "canary"}))
    assert error.field == name
    assert "canary" not in error.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("contract_version", None),
        ("contract_version", 1),
        ("operation", None),
        ("operation", 5),
        ("operation", "erase"),
        ("operation", "Remember"),
        ("operation", "remember "),
        ("idempotency_key", 5),
        ("idempotency_key", ["k"]),
        ("input", None),
        ("input", "x"),
        ("input", []),
    ],
)
def test_each_member_of_the_envelope_has_its_type(name: str, value: Json) -> None:
    assert refusal(envelope("remember", envelope_changes={name: value})).field == name


@pytest.mark.parametrize("name", ["contract_version", "operation", "input"])
def test_each_required_member_of_the_envelope_is_missed_by_name(name: str) -> None:
    body = envelope("remember")
    del body[name]
    error = refusal(body)
    assert error.field == name
    assert "required" in error.message


@pytest.mark.parametrize("key", [None, "absent"])
def test_a_key_may_be_absent_or_null_at_this_step(key: str | None) -> None:
    body = envelope("remember", envelope_changes={"idempotency_key": None})
    if key:
        del body["idempotency_key"]
    assert parse_request(body).idempotency_key is None


REQUIRED = {
    "remember": ("kind", "schema_version", "content", "provenance", "tags"),
    "relate": ("source_id", "target_id", "kind", "properties", "provenance", "lifecycle"),
    "recall": ("objective", "seed_ids", "limits"),
    "update": ("target", "patch"),
    "forget": ("memory_id", "mode", "reason"),
    "consolidate": ("mode", "memory_ids", "reason", "preserve_disagreements"),
    "trace": ("target",),
}


@pytest.mark.parametrize(
    ("operation", "name"), [(op, name) for op, names in REQUIRED.items() for name in names]
)
def test_each_required_field_is_missed_by_name(operation: str, name: str) -> None:
    body = envelope(operation)
    del body["input"][name]
    error = refusal(body)
    assert error.field == name
    assert error.message == f"{name} is required"


@pytest.mark.parametrize(
    ("operation", "name"),
    [(op, name) for op, names in REQUIRED.items() for name in names if name != "properties"],
)
def test_a_required_field_is_not_nullable(operation: str, name: str) -> None:
    assert refusal(envelope(operation, **{name: None})).field == name


@pytest.mark.parametrize("operation", INPUTS)
def test_each_input_names_the_field_that_it_does_not_know(operation: str) -> None:
    error = refusal(envelope(operation, zz="canary"))
    assert error.field == "zz"
    assert "remove it" in error.message
    assert "canary" not in error.message


@pytest.mark.parametrize(
    ("operation", "changes", "field"),
    [
        ("remember", {"content": {**text(), "x": 1}}, "content.x"),
        ("remember", {"content": {**properties(), "x": 1}}, "content.x"),
        ("remember", {"content": {"format": "text", "value": 5}}, "content.value"),
        ("remember", {"content": {"format": "text"}}, "content.value"),
        ("remember", {"content": {"format": "html", "value": "x"}}, "content"),
        ("remember", {"content": {"value": "x"}}, "content"),
        ("remember", {"content": []}, "content"),
        ("remember", {"content": {"format": "properties", "value": [1]}}, "content.value"),
        (
            "remember",
            {"content": {"format": "text_and_properties", "value": {"text": "t"}}},
            "content.value.properties",
        ),
        (
            "remember",
            {
                "content": {
                    "format": "text_and_properties",
                    "value": {"text": "t", "properties": 1, "x": 1},
                }
            },
            "content.value.x",
        ),
        ("remember", {"provenance": [source(), {**source(), "x": 1}]}, "provenance.1.x"),
        ("remember", {"provenance": [{"locator": "l"}]}, "provenance.0.source_id"),
        ("remember", {"provenance": ["s1"]}, "provenance.0"),
        ("remember", {"provenance": {}}, "provenance"),
        ("remember", {"tags": [1]}, "tags.0"),
        ("remember", {"visibility": "public"}, "visibility"),
        ("relate", {"lifecycle": "deleted"}, "lifecycle"),
        ("recall", {"limits": {**inputs.BUDGET, "x": 1}}, "limits.x"),
        ("recall", {"limits": {**inputs.BUDGET, "max_items": 1.0}}, "limits.max_items"),
        ("recall", {"limits": {**inputs.BUDGET, "max_items": -1}}, "limits.max_items"),
        ("recall", {"limits": {**inputs.BUDGET, "max_items": "1"}}, "limits.max_items"),
        ("recall", {"limits": {**inputs.BUDGET, "max_items": True}}, "limits.max_items"),
        ("recall", {"policy": "newest"}, "policy"),
        ("recall", {"as_known_position": -1}, "as_known_position"),
        ("recall", {"explain": 1}, "explain"),
        ("update", {"target": {"kind": "recall", "id": "x"}}, "target.kind"),
        ("update", {"target": {"kind": "memory", "id": "x", "y": 1}}, "target.y"),
        ("update", {"expected_version": -1}, "expected_version"),
        ("update", {"expected_version": 1.0}, "expected_version"),
        ("update", {"expected_version": "1"}, "expected_version"),
        ("update", {"patch": {"kind": "z"}}, "patch.kind"),
        ("update", {"patch": {"add_tags": None}}, "patch.add_tags"),
        ("update", {"patch": {"clear": ["content"]}}, "patch.clear.0"),
        ("update", {"patch": {"lifecycle": "gone"}}, "patch.lifecycle"),
        ("update", {"patch": {"content": {**text(), "x": 1}}}, "patch.content.x"),
        ("update", {"patch": {"content": {"format": "text", "value": 5}}}, "patch.content.value"),
        (
            "update",
            {
                "patch": {
                    "content": {
                        "format": "text_and_properties",
                        "value": {"text": 5, "properties": 1},
                    }
                }
            },
            "patch.content.value.text",
        ),
        ("forget", {"mode": "erase"}, "mode"),
        ("forget", {"scope": "all"}, "scope"),
        ("forget", {"scope": "event", "version": -1}, "version"),
        ("consolidate", {"mode": "propose"}, "mode"),
        ("consolidate", {"mode": {"mode": "apply"}}, "mode"),
        ("consolidate", {"mode": {"mode": "propose", "x": 1}}, "mode.x"),
        (
            "consolidate",
            {"mode": {"mode": "apply_approved", "approval_policy": "p"}},
            "mode.proposal_id",
        ),
        ("consolidate", {"memory_ids": [1, 2]}, "memory_ids.0"),
        ("consolidate", {"preserve_disagreements": 1}, "preserve_disagreements"),
        ("trace", {"target": {"kind": "proposal", "id": "x"}}, "target.kind"),
        ("trace", {"target": {"kind": "memory"}}, "target.id"),
    ],
)
def test_a_wrong_shape_is_named_by_its_path(
    operation: str, changes: dict[str, Any], field: str
) -> None:
    assert refusal(envelope(operation, **changes)).field == field
