"""Every timestamp and interval of an input is checked, each with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import MemorandaError
from tests.inputs import parsed

EMPTY = ("2026-01-02T00:00:00Z", "2026-01-01T23:59:59Z")
POINT = ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00")


def refusal(operation: str, changes: dict[str, Any]) -> MemorandaError:
    said = parsed(operation, **changes)
    with pytest.raises(MemorandaError) as caught:
        said.check()
    return caught.value


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


@pytest.mark.parametrize(("operation", "name", "path"), TIMESTAMPED)
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("2026-01-01", "TIMESTAMP_NAIVE"),
        ("2026-01-01T00:00:00.1234567Z", "TIMESTAMP_PRECISION"),
        ("2026-02-30T00:00:00Z", "TIMESTAMP_INVALID"),
    ],
)
def test_every_timestamp_of_an_input_is_checked(
    operation: str, name: str, path: str, value: str, reason: str
) -> None:
    changes = {"patch": {name: value}} if operation == "update" else {name: value}
    error = refusal(operation, changes)
    assert (error.field, error.reason) == (path.format(name), reason)


@pytest.mark.parametrize("operation", ["remember", "relate", "update"])
def test_observed_at_of_a_reference_is_checked(operation: str) -> None:
    reference = {"source_id": "s", "observed_at": "yesterday"}
    changes: dict[str, Any] = {"provenance": [reference]}
    if operation == "update":
        changes = {"patch": {"add_provenance": [reference]}}
    error = refusal(operation, changes)
    assert (error.field or "").endswith("provenance.0.observed_at")
    assert error.reason == "TIMESTAMP_INVALID"


@pytest.mark.parametrize(("start", "end"), [EMPTY, POINT])
@pytest.mark.parametrize("operation", ["remember", "relate", "update"])
def test_an_interval_that_holds_no_instant_is_refused(operation: str, start: str, end: str) -> None:
    bounds = {"valid_from": start, "valid_until": end}
    error = refusal(operation, {"patch": bounds} if operation == "update" else bounds)
    assert error.reason == "EMPTY_VALIDITY"
    assert (error.field or "").endswith("valid_until")
