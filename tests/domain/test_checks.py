"""The second step: each wrong value is refused with its code, field, limit and remedy."""

from __future__ import annotations

from typing import Any

import pytest

from domain import limits
from domain.canonical import Json, canonical
from domain.errors import Code, MemorandaError
from tests.builders import properties, source, text
from tests.circumstances import MEMORY, OTHER, THIRD
from tests.inputs import BUDGET, parsed

KIB = 1024
BOTH = {"format": "text_and_properties"}
POINT = ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00")
KNOWN_TWICE = {"as_known_at": "2026-01-01T00:00:00Z", "as_known_position": 1}
APPLY = {"mode": "apply_approved", "proposal_id": "p", "approval_policy": "p"}


def both(said: str, value: Json) -> dict[str, Json]:
    return {**BOTH, "value": {"text": said, "properties": value}}


def big(size: int) -> dict[str, Json]:
    """Properties of exactly that many canonical bytes."""
    empty = len(canonical({"a": ""}))
    return {"a": "x" * (size - empty)}


def refusal(operation: str, changes: dict[str, Any]) -> MemorandaError:
    said = parsed(operation, **changes)
    with pytest.raises(MemorandaError) as caught:
        said.check()
    return caught.value


REMEMBER: list[tuple[dict[str, Any], str, str]] = [
    ({"identity_key": "k" * 1025}, "identity_key", "1024"),
    ({"identity_key": "€" * 342}, "identity_key", "1024"),
    ({"kind": " "}, "kind", "blank"),
    ({"kind": ""}, "kind", "blank"),
    ({"kind": "\t\n\u2003"}, "kind", "blank"),
    ({"kind": "k" * 1025}, "kind", "1024"),
    ({"schema_version": " "}, "schema_version", "blank"),
    ({"schema_version": "1" * 1025}, "schema_version", "1024"),
    ({"content": text(" ")}, "content.value", "blank"),
    ({"content": text("x" * (256 * KIB + 1))}, "content.value", "262144"),
    ({"content": text("€" * (256 * KIB // 3 + 1))}, "content.value", "262144"),
    ({"content": {"format": "properties", "value": big(256 * KIB + 1)}}, "content.value", "262144"),
    ({"content": both("", {})}, "content.value.text", "blank"),
    ({"content": both("x" * (256 * KIB + 1), {})}, "content.value.text", "262144"),
    ({"content": both("t", big(256 * KIB + 1))}, "content.value.properties", "262144"),
    ({"provenance": [source()] * 257}, "provenance", "256"),
    ({"provenance": [source(), source(" ")]}, "provenance.1.source_id", "blank"),
    ({"provenance": [source("s" * 1025)]}, "provenance.0.source_id", "1024"),
    ({"provenance": [source("s", "l" * 1025)]}, "provenance.0.locator", "1024"),
    ({"confidence": -0.1}, "confidence", "between 0 and 1"),
    ({"confidence": 1.01}, "confidence", "between 0 and 1"),
    ({"confidence": float("nan")}, "confidence", "between 0 and 1"),
    ({"tags": ["t"] * 257}, "tags", "256"),
    ({"tags": ["ok", "t" * 257]}, "tags.1", "256"),
]

RELATE: list[tuple[dict[str, Any], str, str]] = [
    ({"identity_key": "k" * 1025}, "identity_key", "1024"),
    ({"source_id": " "}, "source_id", "blank"),
    ({"source_id": "s" * 1025}, "source_id", "1024"),
    ({"target_id": ""}, "target_id", "blank"),
    ({"kind": " "}, "kind", "blank"),
    ({"properties": big(256 * KIB + 1)}, "properties", "262144"),
    ({"provenance": [source("")]}, "provenance.0.source_id", "blank"),
    ({"confidence": 2}, "confidence", "between 0 and 1"),
]

RECALL: list[tuple[dict[str, Any], str, str]] = [
    ({"objective": " "}, "objective", "blank"),
    ({"objective": "x" * (256 * KIB + 1)}, "objective", "262144"),
    ({"seed_ids": [MEMORY] * 1001}, "seed_ids", "1000"),
    (KNOWN_TWICE, "as_known_position", "one of them"),
    ({"session_id": "s" * 1025}, "session_id", "1024"),
    ({"repo": "s" * 1025}, "repo", "1024"),
    ({"prefer_repo": "s" * 1025}, "prefer_repo", "1024"),
    ({"slot": "s" * 1025}, "slot", "1024"),
    ({"kinds": ["k"] * 257}, "kinds", "256"),
    ({"tags": ["k"] * 257}, "tags", "256"),
    ({"epistemic_status": ["k"] * 257}, "epistemic_status", "256"),
    ({"min_confidence": 1.5}, "min_confidence", "between 0 and 1"),
]

UPDATE: list[tuple[dict[str, Any], str, str]] = [
    ({"content": text(" ")}, "patch.content.value", "blank"),
    ({"content": both("t", big(256 * KIB + 1))}, "patch.content.value.properties", "262144"),
    ({"confidence": -1}, "patch.confidence", "between 0 and 1"),
    ({"add_provenance": [source(" ")]}, "patch.add_provenance.0.source_id", "blank"),
    ({"add_provenance": [source()] * 257}, "patch.add_provenance", "256"),
    ({"add_tags": ["t" * 257]}, "patch.add_tags.0", "256"),
    ({"add_tags": ["t"] * 257}, "patch.add_tags", "256"),
    ({"confidence": 0.5, "clear": ["confidence"]}, "patch.clear", "one of them"),
    ({"expires_at": POINT[0], "clear": ["expires_at"]}, "patch.clear", "one of them"),
]

FORGET: list[tuple[dict[str, Any], str, str]] = [
    ({"mode": "expire"}, "expires_at", "required"),
    ({"reason": " "}, "reason", "blank"),
    ({"reason": "r" * (256 * KIB + 1)}, "reason", "262144"),
    ({"mode": "expire", "expires_at": POINT[0], "scope": "key"}, "scope", "tombstone"),
    ({"scope": "event"}, "version", "scope event"),
    ({"version": 1}, "version", "scope event"),
    ({"scope": "key", "version": 1}, "version", "scope event"),
]

CONSOLIDATE: list[tuple[dict[str, Any], str, str]] = [
    ({"mode": {**APPLY, "proposal_id": " "}}, "mode.proposal_id", "blank"),
    ({"mode": {**APPLY, "approval_policy": ""}}, "mode.approval_policy", "blank"),
    ({"mode": {**APPLY, "approval_policy": "p" * 1025}}, "mode.approval_policy", "1024"),
    ({"memory_ids": []}, "memory_ids", "2 to 100"),
    ({"memory_ids": [MEMORY]}, "memory_ids", "2 to 100"),
    ({"memory_ids": [MEMORY, MEMORY]}, "memory_ids", "two different"),
    ({"memory_ids": [MEMORY] * 100 + [OTHER]}, "memory_ids", "2 to 100"),
    ({"canonical_id": THIRD}, "canonical_id", "one of memory_ids"),
    ({"reason": " "}, "reason", "blank"),
    ({"reason": "r" * (256 * KIB + 1)}, "reason", "262144"),
]

TRACE: list[tuple[dict[str, Any], str, str]] = [
    ({"target": {"kind": "memory", "id": " "}}, "target.id", "blank"),
    ({"target": {"kind": "mutation", "id": "c" * 1025}}, "target.id", "1024"),
]

TABLE = [
    ("remember", REMEMBER),
    ("relate", RELATE),
    ("recall", RECALL),
    ("update", [({"patch": patch}, field, said) for patch, field, said in UPDATE]),
    ("forget", FORGET),
    ("consolidate", CONSOLIDATE),
    ("trace", TRACE),
]


@pytest.mark.parametrize(
    ("operation", "changes", "field", "said"),
    [(operation, *row) for operation, rows in TABLE for row in rows],
)
def test_a_wrong_value_is_refused_with_field_and_limit(
    operation: str, changes: dict[str, Any], field: str, said: str
) -> None:
    error = refusal(operation, changes)
    assert (error.code, error.field) == (Code.INVALID_REQUEST, field)
    assert said in error.message
    assert field.rsplit(".", maxsplit=1)[-1] in error.message
    assert len(error.message) < 300  # never the value itself


TIMESTAMPED = [
    ("remember", "valid_from", "{}"),
    ("remember", "valid_until", "{}"),
    ("remember", "expires_at", "{}"),
    ("relate", "valid_from", "{}"),
    ("relate", "valid_until", "{}"),
    ("relate", "expires_at", "{}"),
    ("recall", "as_of", "{}"),
    ("recall", "as_known_at", "{}"),
    ("update", "valid_from", "patch.{}"),
    ("update", "valid_until", "patch.{}"),
    ("update", "expires_at", "patch.{}"),
    ("forget", "expires_at", "{}"),
]


@pytest.mark.parametrize("name", BUDGET)
def test_a_budget_of_zero_is_refused_as_a_budget(name: str) -> None:
    error = refusal("recall", {"limits": {**BUDGET, name: 0}})
    assert (error.code, error.field) == (Code.INVALID_BUDGET, f"limits.{name}")


@pytest.mark.parametrize(("name", "most"), [(n, m) for n, m in limits.BUDGETS.items() if m])
def test_a_budget_ends_at_its_limit(name: str, most: int) -> None:
    parsed("recall", limits={**BUDGET, name: most}).check()
    error = refusal("recall", {"limits": {**BUDGET, name: most + 1}})
    assert (error.code, error.field) == (Code.INVALID_BUDGET, f"limits.{name}")
    assert str(most) in error.message


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"identity_key": ""}),
    ("remember", {"identity_key": "k" * 1024}),
    ("remember", {"tags": ["", " ", "t" * 256]}),
    ("remember", {"tags": ["t"] * 256}),
    ("remember", {"content": text("x" * (256 * KIB))}),
    ("remember", {"content": {"format": "properties", "value": big(256 * KIB)}}),
    ("remember", {"content": properties()}),
    ("remember", {"content": both("t", None)}),
    ("remember", {"provenance": [source("s", "")]}),
    ("remember", {"provenance": [source()] * 256}),
    ("remember", {"valid_from": "2030-01-01T00:00:00Z", "expires_at": "2020-01-01T00:00:00Z"}),
    ("remember", {"valid_until": "2020-01-01T00:00:00Z"}),
    ("remember", {"confidence": 0}),
    ("remember", {"confidence": 1}),
    ("relate", {"properties": None}),
    ("recall", {"seed_ids": [MEMORY] * 1000}),
    ("recall", {"limits": {**BUDGET, "supernode_threshold": 10**15}}),
    ("update", {"target": {"kind": "memory", "id": " "}}),
    ("update", {"patch": {"clear": ["confidence", "expires_at", "valid_from", "valid_until"]}}),
    ("update", {"expected_version": 0}),
    ("forget", {"expires_at": "2999-01-01T00:00:00Z"}),
    ("forget", {"scope": "event", "version": 1}),
    ("consolidate", {"memory_ids": [MEMORY] * 99 + [OTHER]}),
    ("consolidate", {"canonical_id": OTHER}),
]


@pytest.mark.parametrize(("operation", "changes"), GOOD)
def test_what_lies_on_a_limit_is_taken(operation: str, changes: dict[str, Any]) -> None:
    parsed(operation, **changes).check()


def test_the_earliest_field_is_refused_first() -> None:
    """All wrong at once; the first in the order of the specification is named, then the next."""
    wrong: list[tuple[str, Json]] = [
        ("identity_key", "k" * 1025),
        ("kind", " "),
        ("schema_version", " "),
        ("content", text(" ")),
        ("provenance", [source(" ")]),
        ("confidence", 2),
        ("valid_from", "x"),
        ("valid_until", "x"),
        ("expires_at", "x"),
        ("tags", ["t" * 257]),
    ]
    for at, (name, _) in enumerate(wrong):
        error = refusal("remember", dict(wrong[at:]))
        assert (error.field or "").split(".")[0] == name
