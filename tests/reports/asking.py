"""Short words for the tests of the reports."""

from __future__ import annotations

import itertools

from domain.canonical import Json, JsonObject
from domain.context import Context
from ops.wiring import Memoranda
from tests.circumstances import context
from tests.inputs import BUDGET, envelope
from tests.laws.worlds import ask

_KEYS = itertools.count()


def body(operation: str, key: str | None = None, **said: Json) -> JsonObject:
    """An envelope under a key that is new unless it is given."""
    made: JsonObject = envelope(
        operation,
        envelope_changes={"idempotency_key": key or f"key-{next(_KEYS)}"},
        **said,
    )
    return made


def done(memoranda: Memoranda, operation: str, who: Context | None = None, **said: Json) -> Json:
    """The result of an operation that must succeed."""
    answer = ask(memoranda, who or context(), body(operation, **said))
    assert "error" not in answer, answer
    return answer["result"]["result"]


def refused(
    memoranda: Memoranda, operation: str, who: Context | None = None, **said: Json
) -> JsonObject:
    """The error of an operation that must be refused."""
    answer = ask(memoranda, who or context(), body(operation, **said))
    assert "error" in answer, answer
    error: JsonObject = answer["error"]
    return error


def memory(memoranda: Memoranda, who: Context | None = None, **said: Json) -> str:
    """The id of a new memory."""
    return str(done(memoranda, "remember", who, **said)["record"]["id"])


def updated(memoranda: Memoranda, name: str, patch: JsonObject, who: Context | None = None) -> Json:
    """The record after a patch."""
    target = {"kind": "memory", "id": name}
    return done(memoranda, "update", who, target=target, patch=patch)["record"]


def traced(memoranda: Memoranda, name: str, who: Context | None = None) -> Json:
    """The trace of a memory."""
    return done(memoranda, "trace", who, target={"kind": "memory", "id": name})


def found(
    memoranda: Memoranda, objective: str, who: Context | None = None, **said: Json
) -> list[str]:
    """The ids that a recall gives, in order."""
    limits = {**BUDGET, "timeout_ms": 60_000, "max_items": 100}
    result = done(memoranda, "recall", who, objective=objective, limits=limits, **said)
    return [item["record"]["id"] for item in result["items"]]
