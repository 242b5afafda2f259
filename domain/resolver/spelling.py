"""Reading one event of the policy from JSON: refused, never repaired (spec/policy.md §2.2).

The members are those of the specification's scenarios: `id`, `type`, `session`, `source`,
`recorded_at`, `appended_at` (as `recorded_at` where it is absent), and by type `key`, `value`,
`target`, `targets`, `canonical`, `scope`, `valid_from`, `valid_until`, `expires_at`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypedDict

from domain import checks
from domain.canonical import JsonObject
from domain.errors import MemorandaError, invalid
from domain.instants import Micros, optional_instant, parse_instant
from domain.resolver.events import (
    INHERITED,
    Bound,
    Expiry,
    Payload,
    PolicyEvent,
    Statement,
    Supersession,
    Tombstone,
)

SlotRefs = Callable[[str], str]
"""The reference of a key: one for all Unicode spellings of it."""


class _Common(TypedDict):
    id: str
    session: str
    position: int
    appended_us: Micros
    recorded_us: Micros


def read_event(said: JsonObject, position: int, slot_ref: SlotRefs) -> PolicyEvent:
    """The event that a JSON object spells, at its place in the log.

    Raises INVALID_REQUEST with the field and one of the reasons FIELD_REQUIRED, TIMESTAMP_NAIVE,
    TIMESTAMP_PRECISION, TIMESTAMP_INVALID, EMPTY_VALIDITY, SESSION_FORMAT, KEY_FORMAT and
    SELF_TARGET; without one where `type`, `scope` or the type of a value is wrong.
    """
    kind = _text(said, "type")
    reader = _READERS.get(kind)
    if reader is None:
        raise invalid(f"type must be one of {', '.join(_READERS)}", field="type")
    _text(said, "source")
    recorded_us = parse_instant(_text(said, "recorded_at"), "recorded_at")
    appended_us = _instant(said, "appended_at")
    common = _Common(
        id=_text(said, "id"),
        session=checks.session(_text(said, "session"), "session"),
        position=position,
        appended_us=recorded_us if appended_us is None else appended_us,
        recorded_us=recorded_us,
    )
    return reader(said, common, slot_ref)


def _statement(said: JsonObject, common: _Common, slot_ref: SlotRefs) -> Statement:
    target = _target(said) if said["type"] == "correction" else None
    key = checks.key(_text(said, "key"), "key")
    if said.get("value") is None:
        raise _required("value")
    checks.validity(_optional(said, "valid_from"), _optional(said, "valid_until"))
    return Statement(
        **common,
        slot_ref=slot_ref(key),
        target=target,
        valid_from=_bound(said, "valid_from", target),
        valid_until=_bound(said, "valid_until", target),
        expires_at=_bound(said, "expires_at", target),
        payload=Payload(key, said["value"], said["source"]),
    )


def _tombstone(said: JsonObject, common: _Common, slot_ref: SlotRefs) -> Tombstone:
    scope = said.get("scope", "lineage")
    for name in ("valid_from", "valid_until"):  # they limit nothing, but are timestamps
        _instant(said, name)
    match scope:
        case "key":
            key = checks.key(_text(said, "key"), "key")
            return Tombstone(**common, scope=scope, target=slot_ref(key))
        case "lineage" | "event":
            return Tombstone(**common, scope=scope, target=_target(said))
        case _:
            raise invalid("scope must be one of lineage, event, key", field="scope")


def _expiry(said: JsonObject, common: _Common, _: SlotRefs) -> Expiry:
    return Expiry(**common, target=_target(said), expires_us=_instant(said, "expires_at"))


def _supersession(said: JsonObject, common: _Common, _: SlotRefs) -> Supersession:
    targets = said.get("targets")
    if not isinstance(targets, list) or not targets:
        raise _required("targets")
    if not all(isinstance(target, str) for target in targets):
        raise _no_text("targets")
    return Supersession(**common, targets=tuple(targets), canonical=_text(said, "canonical"))


_READERS: Final[dict[str, Callable[[JsonObject, _Common, SlotRefs], PolicyEvent]]] = {
    "assertion": _statement,
    "correction": _statement,
    "tombstone": _tombstone,
    "expiry": _expiry,
    "supersession": _supersession,
}


def _target(said: JsonObject) -> str:
    target = _text(said, "target")
    if target == said["id"]:
        raise invalid(
            "target names the event itself: name the earlier one",
            field="target",
            reason="SELF_TARGET",
        )
    return target


def _bound(said: JsonObject, name: str, target: str | None) -> Bound:
    """Absent and null differ for corrections: absent inherits, null opens."""
    if target is not None and name not in said:
        return INHERITED
    return _instant(said, name)


def _instant(said: JsonObject, name: str) -> Micros | None:
    return optional_instant(_optional(said, name), name)


def _text(said: JsonObject, name: str) -> str:
    text = _optional(said, name)
    if not text:
        raise _required(name)
    return text


def _optional(said: JsonObject, name: str) -> str | None:
    text = said.get(name)
    if text is not None and not isinstance(text, str):
        raise _no_text(name)
    return text


def _required(name: str) -> MemorandaError:
    return invalid(f"{name} is required: give it", field=name, reason="FIELD_REQUIRED")


def _no_text(name: str) -> MemorandaError:
    return invalid(f"{name} must be text", field=name)
