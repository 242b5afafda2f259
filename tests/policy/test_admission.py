"""What is refused at the door, beyond the cases of the specification (spec/policy.md §2.2)."""

from __future__ import annotations

from typing import Any

import pytest

from domain.errors import Code, MemorandaError
from domain.resolver.events import INHERITED, Expiry, Statement, Supersession, Tombstone
from domain.resolver.spelling import read_event
from domain.resolver.validation import admit
from tests.policy.builders import (
    KEY,
    SESSION,
    assertion,
    correction,
    expiry,
    supersession,
    tombstone,
)
from tests.policy.doors import ref

PLAIN: dict[str, Any] = {
    "id": "v2",
    "type": "assertion",
    "session": SESSION,
    "key": KEY,
    "value": "x",
    "source": "logbook",
    "recorded_at": "2031-01-01T00:00:00Z",
}


def refusal(**changes: Any) -> MemorandaError:
    said = {name: value for name, value in {**PLAIN, **changes}.items() if value is not ...}
    with pytest.raises(MemorandaError) as caught:
        read_event(said, 1, ref)
    return caught.value


@pytest.mark.parametrize("name", ["id", "session", "source", "recorded_at", "type", "key", "value"])
@pytest.mark.parametrize("absent", [..., None])
def test_what_every_statement_needs_is_named_where_it_is_missing(name: str, absent: Any) -> None:
    refused = refusal(**{name: absent})
    assert (refused.reason, refused.field) == ("FIELD_REQUIRED", name)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"type": "correction"}, "target"),
        ({"type": "tombstone"}, "target"),
        ({"type": "tombstone", "scope": "key", "key": None}, "key"),
        ({"type": "expiry"}, "target"),
        ({"type": "supersession", "canonical": "v1"}, "targets"),
        ({"type": "supersession", "canonical": "v1", "targets": []}, "targets"),
        ({"type": "supersession", "targets": ["v1"]}, "canonical"),
    ],
)
def test_what_a_type_needs_is_named_where_it_is_missing(changes: Any, field: str) -> None:
    refused = refusal(**changes)
    assert (refused.reason, refused.field) == ("FIELD_REQUIRED", field)


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"recorded_at": "2031-02-30T00:00:00Z"}, "TIMESTAMP_INVALID", "recorded_at"),
        ({"appended_at": "2031-01-01T00:00:00"}, "TIMESTAMP_NAIVE", "appended_at"),
        ({"expires_at": "2031-01-01"}, "TIMESTAMP_NAIVE", "expires_at"),
        ({"type": "tombstone", "target": "v1", "valid_until": "x"}, "TIMESTAMP_INVALID", None),
        ({"key": " oar"}, "KEY_FORMAT", "key"),
        ({"key": "oar\n"}, "KEY_FORMAT", "key"),
        ({"key": "\ud800"}, "KEY_FORMAT", "key"),
        ({"session": "a\x7fb"}, "SESSION_FORMAT", "session"),
        ({"type": "tombstone", "target": "v2"}, "SELF_TARGET", "target"),
        ({"type": "forget", "target": "v1"}, None, "type"),
        ({"type": "tombstone", "target": "v1", "scope": "slot"}, None, "scope"),
        ({"key": 5}, None, "key"),
        ({"type": "supersession", "canonical": "v1", "targets": [1]}, None, "targets"),
    ],
)
def test_what_is_spelled_wrong_is_named(changes: Any, reason: str | None, field: str) -> None:
    refused = refusal(**changes)
    assert (refused.code, refused.reason) == (Code.INVALID_REQUEST, reason)
    assert refused.field == (field or "valid_until")
    assert "oar" not in refused.message


def test_each_type_is_read_with_all_that_it_says() -> None:
    fixed = {"id": "v2", "session": SESSION, "position": 7, "appended_us": 2, "recorded_us": 1}
    times = {
        "recorded_at": "1970-01-01T00:00:00.000001Z",
        "appended_at": "1970-01-01T00:00:00.000002Z",
    }

    def read(**changes: Any) -> Any:
        return read_event({**PLAIN, **times, **changes}, 7, ref)

    corrected = read(type="correction", target="v1", valid_until=None)
    assert (corrected.valid_from, corrected.valid_until) == (INHERITED, None)
    assert read().valid_from is None
    assert isinstance(corrected, Statement)
    assert read(type="tombstone", target="v1") == Tombstone(**fixed, scope="lineage", target="v1")
    of_key = read(type="tombstone", scope="key")
    assert of_key == Tombstone(**fixed, scope="key", target=ref(KEY))
    bound = read(type="expiry", target="v1", expires_at="1970-01-01T00:00:00.000009Z")
    assert bound == Expiry(**fixed, target="v1", expires_us=9)
    assert read(type="supersession", targets=["a"], canonical="b") == Supersession(
        **fixed, targets=("a",), canonical="b"
    )


ROOT = assertion("v1", 1)


@pytest.mark.parametrize(
    ("history", "event", "code", "reason"),
    [
        ([ROOT], assertion("v1", 1, "other"), Code.IDEMPOTENCY_CONFLICT, "ID_CONFLICT"),
        ([assertion("v1", 1, 1)], assertion("v1", 1, True), None, "ID_CONFLICT"),
        ([ROOT], correction("v2", "v1", 2, key="k"), Code.INVALID_REQUEST, "KEY_MISMATCH"),
        (
            [ROOT, correction("i", "v1", 2, key="k")],
            correction("v2", "i", 3, key="k"),
            Code.INVALID_REQUEST,
            "KEY_MISMATCH",
        ),
        ([correction("o", "gone", 2)], correction("v2", "o", 3), None, "TARGET_NOT_FOUND"),
        ([], tombstone("t", "v1", 2), Code.NOT_FOUND, "TARGET_NOT_FOUND"),
        ([ROOT], tombstone("t", "v1", 2, session="other"), None, "TARGET_NOT_FOUND"),
        ([], expiry("e", "v1", 2, 3), None, "TARGET_NOT_FOUND"),
        ([ROOT], supersession("s", ["v1", "v9"], "v1", 3), None, "TARGET_NOT_FOUND"),
        ([ROOT], supersession("s", ["v1"], "v9", 3), None, "TARGET_NOT_FOUND"),
        (
            [ROOT, correction("v2", "v1", 2), tombstone("t", "v1", 3)],
            correction("v3", "v2", 4),
            Code.NOT_FOUND,
            "TARGET_DELETED",
        ),
        (
            [ROOT, tombstone("t", "v1", 3, "event")],
            correction("v3", "v1", 4),
            Code.NOT_FOUND,
            "TARGET_DELETED",
        ),
        (
            [ROOT, correction("v2", "v1", 2)],
            correction("v3", "v1", 4),
            Code.VERSION_CONFLICT,
            "STALE_TARGET",
        ),
    ],
)
def test_what_does_not_fit_the_history_is_refused(
    history: list[Any], event: Any, code: Code | None, reason: str
) -> None:
    with pytest.raises(MemorandaError) as caught:
        admit(history, event)
    assert caught.value.reason == reason
    assert code is None or caught.value.code == code


@pytest.mark.parametrize(
    ("history", "event"),
    [
        ([], ROOT),
        ([assertion("v1", 1, session="other")], ROOT),
        ([ROOT], correction("v2", "v1", 2)),
        ([ROOT, correction("i", "v1", 2, key="k")], correction("v2", "v1", 3)),
        (
            [ROOT, correction("v2", "v1", 2), tombstone("t", "v2", 3, "event")],
            correction("v3", "v1", 4),
        ),
        ([ROOT, tombstone("t", "v1", 2)], tombstone("u", "v1", 3)),
        ([], tombstone("t", KEY, 2, "key")),
        ([ROOT], expiry("e", "v1", 2, 3)),
        ([ROOT, assertion("v2", 2)], supersession("s", ["v1"], "v2", 3)),
    ],
)
def test_what_fits_the_history_is_new(history: list[Any], event: Any) -> None:
    assert admit(history, event) is True


def test_a_repeated_event_changes_nothing_wherever_it_arrives_again() -> None:
    again = assertion("v1", 1, position=9, appended=50)
    assert admit([ROOT, tombstone("t", "v1", 3)], again) is False
