"""One builder for the input of each operation, as JSON; every field has a default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain.canonical import Json, JsonObject
from domain.contract import INPUTS, AnyInput
from tests.builders import text
from tests.circumstances import MEMORY, OTHER


def remember(**changes: Json) -> JsonObject:
    fields: JsonObject = {
        "kind": "observation",
        "schema_version": "1",
        "content": text(),
        "provenance": [],
        "tags": [],
    }
    return {**fields, **changes}


def relate(**changes: Json) -> JsonObject:
    fields: JsonObject = {
        "source_id": MEMORY,
        "target_id": OTHER,
        "kind": "supports",
        "properties": {},
        "provenance": [],
        "lifecycle": "active",
    }
    return {**fields, **changes}


BUDGET: Final[dict[str, int]] = {
    "max_items": 10,
    "max_depth": 2,
    "max_payload_bytes": 65536,
    "max_cost": 100,
    "timeout_ms": 60_000,
    "supernode_threshold": 20,
}


def recall(**changes: Json) -> JsonObject:
    return {"objective": "sky", "seed_ids": [], "limits": dict(BUDGET), **changes}


def update(**changes: Json) -> JsonObject:
    return {"target": {"kind": "memory", "id": MEMORY}, "patch": {}, **changes}


def forget(**changes: Json) -> JsonObject:
    return {"memory_id": MEMORY, "mode": "tombstone", "reason": "because", **changes}


def consolidate(**changes: Json) -> JsonObject:
    fields: JsonObject = {
        "mode": {"mode": "propose"},
        "memory_ids": [MEMORY, OTHER],
        "reason": "dup",
        "preserve_disagreements": True,
    }
    return {**fields, **changes}


def trace(**changes: Json) -> JsonObject:
    return {"target": {"kind": "memory", "id": MEMORY}, **changes}


BUILDERS: Final[dict[str, Callable[..., JsonObject]]] = {
    "remember": remember,
    "relate": relate,
    "recall": recall,
    "update": update,
    "forget": forget,
    "consolidate": consolidate,
    "trace": trace,
}


def parsed(operation: str, **changes: Json) -> Any:
    """An input of the contract, parsed but not checked."""
    model: type[AnyInput] = INPUTS[operation]
    return model.model_validate(BUILDERS[operation](**changes))


def envelope(
    operation: str, *, envelope_changes: JsonObject | None = None, **changes: Json
) -> Json:
    """A request body; changes go into the input, `envelope_changes` beside it."""
    body: JsonObject = {
        "contract_version": "v1",
        "idempotency_key": "k",
        "operation": operation,
        "input": BUILDERS[operation](**changes),
    }
    return {**body, **(envelope_changes or {})}
