"""Which error wins: parse, permission, version, key, fields, missing key (spec §1)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.contract import INPUTS
from domain.errors import RETRYABLE, STATUS, Code, MemorandaError
from domain.requests import parse_request
from tests.circumstances import context
from tests.inputs import envelope

NEEDS = {
    "remember": "write",
    "relate": "write",
    "update": "write",
    "recall": "read",
    "trace": "trace",
    "forget": "forget",
    "consolidate": "consolidate",
}
APPLY = {"mode": {"mode": "apply_approved", "proposal_id": "p", "approval_policy": "p"}}

# In the order in which they win; each is a fault that can be put into one and the same request.
FAULTS: list[tuple[str, Code, str | None]] = [
    ("parse", Code.INVALID_REQUEST, "zz"),
    ("permission", Code.PERMISSION_DENIED, None),
    ("version", Code.INVALID_REQUEST, "contract_version"),
    ("key", Code.INVALID_REQUEST, "idempotency_key"),
    ("field", Code.INVALID_REQUEST, "kind"),
]


def verdict(faults: set[str]) -> MemorandaError:
    beside: dict[str, Any] = {}
    changes: dict[str, Any] = {}
    permissions = frozenset({"read"}) if "permission" in faults else frozenset({"write"})
    if "parse" in faults:
        changes["zz"] = 1
    if "version" in faults:
        beside["contract_version"] = "v2"
    if "key" in faults:
        beside["idempotency_key"] = " "
    if "missing key" in faults:
        beside["idempotency_key"] = None
    if "field" in faults:
        changes["kind"] = " "
    with pytest.raises(MemorandaError) as caught:
        parse_request(envelope("remember", envelope_changes=beside, **changes)).check(
            context(permissions=permissions)
        )
    return caught.value


@pytest.mark.parametrize("at", range(len(FAULTS)))
def test_of_all_faults_the_first_in_the_order_wins(at: int) -> None:
    error = verdict({name for name, _, _ in FAULTS[at:]})
    assert (error.code, error.field) == FAULTS[at][1:]


@pytest.mark.parametrize("name", [name for name, _, _ in FAULTS if name != "key"])
def test_a_missing_key_is_told_last(name: str) -> None:
    error = verdict({name, "missing key"})
    assert (error.code, error.field) == next(row[1:] for row in FAULTS if row[0] == name)


def test_a_missing_key_is_told_when_all_else_is_right() -> None:
    error = verdict({"missing key"})
    assert (error.code, error.field) == (Code.IDEMPOTENCY_KEY_REQUIRED, "idempotency_key")
    assert "repeat" in error.message


@pytest.mark.parametrize("operation", INPUTS)
def test_each_operation_needs_its_own_permission_and_no_other(operation: str) -> None:
    request = parse_request(envelope(operation))
    request.check(context(permissions=frozenset({NEEDS[operation]})))
    others = frozenset({"read", "write", "trace", "forget", "consolidate"}) - {NEEDS[operation]}
    with pytest.raises(MemorandaError) as caught:
        request.check(context(permissions=others | {"host", "operate", "policy", "review"}))
    assert caught.value.code is Code.PERMISSION_DENIED
    assert NEEDS[operation] in caught.value.message


@pytest.mark.parametrize("version", ["v2", "V1", "", "v1 ", "1"])
def test_only_the_version_v1_is_spoken(version: str) -> None:
    request = parse_request(envelope("recall", envelope_changes={"contract_version": version}))
    with pytest.raises(MemorandaError) as caught:
        request.check(context())
    assert (caught.value.code, caught.value.field) == (Code.INVALID_REQUEST, "contract_version")


@pytest.mark.parametrize("key", ["", " ", "\t\n", "\u2003", "a" * 257, "€" * 86])
def test_a_key_that_is_blank_or_too_long_is_refused(key: str) -> None:
    request = parse_request(envelope("remember", envelope_changes={"idempotency_key": key}))
    with pytest.raises(MemorandaError) as caught:
        request.check(context())
    assert (caught.value.code, caught.value.field) == (Code.INVALID_REQUEST, "idempotency_key")
    assert "256" in caught.value.message


@pytest.mark.parametrize("key", ["k", " k ", "a" * 256, "€" * 85, "\u0000"])
def test_a_key_is_taken_as_it_was_sent(key: str) -> None:
    request = parse_request(envelope("remember", envelope_changes={"idempotency_key": key}))
    request.check(context())
    assert request.idempotency_key == key


@pytest.mark.parametrize("operation", ["recall", "trace", "consolidate"])
@pytest.mark.parametrize("key", [None, " ", "a" * 257])
def test_what_changes_nothing_ignores_its_key(operation: str, key: str | None) -> None:
    request = parse_request(envelope(operation, envelope_changes={"idempotency_key": key}))
    request.check(context())
    assert not request.is_mutation


def test_applying_a_consolidation_is_a_mutation() -> None:
    request = parse_request(
        envelope("consolidate", envelope_changes={"idempotency_key": None}, **APPLY)
    )
    assert request.is_mutation
    with pytest.raises(MemorandaError) as caught:
        request.check(context())
    assert caught.value.code is Code.IDEMPOTENCY_KEY_REQUIRED


def test_every_code_has_a_status_and_says_whether_to_retry() -> None:
    assert set(STATUS) == set(Code)
    for code in Code:
        wire = MemorandaError(code, "said").as_wire()
        assert wire == {"code": code.value, "message": "said", "retryable": code in RETRYABLE}
    assert {STATUS[code] for code in RETRYABLE} == {429, 503}


def test_the_wire_form_of_an_error_has_only_what_is_known() -> None:
    error = MemorandaError(
        Code.VERSION_CONFLICT, "said", field="expected_version", reason="R", current_version=3
    )
    assert error.as_wire() == {
        "code": "VERSION_CONFLICT",
        "message": "said",
        "retryable": False,
        "field": "expected_version",
        "reason": "R",
        "current_version": 3,
    }
