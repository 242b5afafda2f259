"""Loaded by Schemathesis: what it is to hold answers to, and how its inventions get further.

A schema cannot say that a string is the id of something, a time, or a name that is not blank. So
in most of the cases that fit the schema such values become ones that can be used, and more than
the first refusal is tried. Cases that are meant to break the schema stay as they are.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from random import Random
from typing import Any, Final

import schemathesis
from schemathesis.core.failures import Failure
from schemathesis.core.parameters import ParameterLocation

from domain.limits import BUDGETS

IDS: Final = "MEMORANDA_FUZZ_IDS"
"""In the environment: a JSON object of ids of the store by kind."""
TIMES: Final = ("2020-01-01T00:00:00Z", "2030-06-30T12:00:00.25+02:00", "2019-02-28T23:59:59Z")
_TIMED: Final = (
    "valid_from", "valid_until", "expires_at", "observed_at", "as_of", "as_known_at",
    "recorded_before", "recorded_after",
)  # fmt: skip
_NAMED: Final = {
    "source_id": "memory", "target_id": "memory", "memory_id": "memory", "seed_ids": "memory",
    "memory_ids": "memory", "canonical_id": "memory", "id": "record", "slot": "slot",
    "identity_key": "key", "proposal_id": "proposal", "relationship_id": "relationship",
    "recall_id": "recall", "stream_id": "record", "job_id": "job", "permissions": "permission",
    "seed": "seed",
}  # fmt: skip
_HEADERS: Final = {
    "X-Session-Id": ("default", "s%C3%A9ance"),
    "X-Agent-Id": ("agent",),
    "X-Recorded-At": TIMES,
    "Idempotency-Key": (None,),
    "If-Match": (None, None, None, '"1"'),
}
_dice: Final = Random()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Put what can be used into cases that fit the schema."""
    if case.meta is None:
        return
    if not case.meta.is_negative_at(ParameterLocation.HEADER):
        _name_well(case.headers)
    known = json.loads(os.environ[IDS])
    if "key_id" in (case.path_parameters or ()):
        # Never the key that all of this is sent with.
        case.path_parameters["key_id"] = known["key_id"][0]
    for location, name in (
        (ParameterLocation.PATH, "path_parameters"),
        (ParameterLocation.QUERY, "query"),
        (ParameterLocation.BODY, "body"),
    ):
        said = getattr(case, name)
        fits = isinstance(said, dict | list) and not case.meta.is_negative_at(location)
        if fits and _mostly():
            setattr(case, name, _mended(said, known))


def _mostly() -> bool:
    return _dice.randrange(6) > 0


def _name_well(headers: Any) -> None:
    for name, values in _HEADERS.items():
        if name in headers and _mostly():
            value = _dice.choice(values)
            if value is None:
                del headers[name]
            else:
                headers[name] = value


def _mended(value: Any, known: dict[str, list[str]], name: str = "") -> Any:
    if isinstance(value, dict):
        made = {key: _mended(item, known, key) for key, item in value.items()}
        if "contract_version" in made and _mostly():
            made["idempotency_key"] = f"k{_dice.randrange(10**6)}"
        return made
    if isinstance(value, list):
        return [_mended(item, known, name) for item in value]
    return value if value is None else _usable(value, known, name)


def _usable(value: Any, known: dict[str, list[str]], name: str) -> Any:
    said: dict[str, Callable[[], Any]] = {
        **{timed: lambda: _dice.choice(TIMES) for timed in _TIMED},
        **{named: lambda kind=kind: _dice.choice(known[kind]) for named, kind in _NAMED.items()},
        **{budget: lambda: _dice.choice((1, 3, 1000)) for budget in BUDGETS},
        "confidence": lambda: _dice.choice((0, 0.5, 1)),
        "expected_version": lambda: _dice.choice((1, 2)),
        "min_position": lambda: 1,
    }
    if name in said:
        return said[name]()
    return value.strip() or "otter" if isinstance(value, str) else value


@schemathesis.serializer("application/x-ndjson")
def json_lines(_: Any, value: Any) -> bytes:
    """A text becomes some lines of an import, mostly with one that can be read."""
    text = value if isinstance(value, str) else json.dumps(value)
    said = {"identity_key": text[:20] or "k", "kind": "note", "schema_version": "1"}
    content = {"content": {"format": "text", "value": text or "x"}}
    given = {**said, **content, "provenance": [], "tags": []}
    line = {"contract_version": "v1", "operation": "remember", "input": given}
    lines = [json.dumps(line), text] if _mostly() else [text]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


class UnexplainedAnswerError(Failure):
    """An answer that the document does not list, or a failure of the server."""

    __slots__ = ()


@schemathesis.check
def every_answer_is_listed(ctx: Any, response: Any, case: Any) -> None:
    """The status is listed by name; of 5xx only 503 may come, and only as OVERLOADED."""
    status = str(response.status_code)
    other_method = case.method.upper() != case.operation.method.upper()
    if other_method and status == "405":
        return
    if status not in case.operation.definition.raw["responses"]:
        raise _unexplained(case, f"the document does not list {status}: {response.text}")
    if response.status_code >= 500:
        body = response.json()
        code = body.get("code") or body.get("error", {}).get("code")
        if (response.status_code, code) != (503, "OVERLOADED"):
            raise _unexplained(case, f"{status} {code}: {response.text}")


def _unexplained(case: Any, said: str) -> UnexplainedAnswerError:
    return UnexplainedAnswerError(
        operation=case.operation.label, title="Unexplained answer", message=said
    )
