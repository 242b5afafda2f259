"""States as rows, and rows as states: nothing is lost either way.

`state → columns → state` gives the same state, so that a fold can go on from a stored row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from domain.canonical import Json, JsonObject, canonical, parse_stored
from domain.memory import MemoryState
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState
from domain.slots import properties_of
from domain.visibility import Bounds, Home

Row: TypeAlias = dict[str, Any]
"""Values by column name."""

_OF_EITHER: Final = (
    *("record", "recorded_us", "from_us", "expired_us"),
    *("visibility", "owner", "session"),
)
MEMORY_STATE: Final = (
    *_OF_EITHER,
    *("slot", "slot_ref", "forgotten", "dead_versions", "slot_forgotten_us", "kept"),
    *("root_us", "retained_us", "retained_by", "tangle"),
)
"""The columns of `memory_version` that `memory_state` reads."""
EDGE_STATE: Final = (*_OF_EITHER, "erased")
"""The columns of `edge_version` that `edge_state` reads."""

_STATUS_NAMES: Final = ("epistemic_status", "status")
_KEPT: Final = (
    "kind",
    "schema_version",
    "provenance",
    "confidence",
    "tags",
    "identity_key",
    "slot",
)
"""What a version without content may hand on to the next one (`MemoryState.without_text`)."""


def epistemic_status(content: JsonObject | None) -> str | None:
    """`properties.epistemic_status`, else `properties.status`; None where neither is a string."""
    properties = properties_of(content)
    return next((said for name in _STATUS_NAMES if (said := _string(properties.get(name)))), None)


def repo(content: JsonObject | None) -> str | None:
    """`properties.repo`; None where it is no string."""
    return _string(properties_of(content).get("repo"))


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def memory_columns(state: MemoryState) -> Row:
    """The columns of `memory_version` that say the state of a memory at a version."""
    dead = sorted(state.dead_versions)
    tangle, retained = state.tangle, state.retained or (None, None)
    kept = None
    if (shown := state.as_shown()) is not state:
        kept = canonical({name: getattr(state, name) for name in _KEPT}).decode()
        state = shown
    return {
        "memory_id": state.id,
        "version": state.version,
        "record": canonical(state.as_record()).decode(),
        "kind": state.kind,
        "forgotten": state.forgotten,
        "erased": state.erased,
        "slot": state.slot,
        "slot_ref": state.slot_ref,
        "epistemic_status": epistemic_status(state.content),
        "repo": repo(state.content),
        "dead_versions": canonical(dead).decode() if dead else None,
        "slot_forgotten_us": state.slot_forgotten_us,
        "kept": kept,
        "root_us": state.root_us,
        "retained_us": retained[0],
        "retained_by": retained[1],
        "tangle": None if tangle is None else canonical(tangle).decode(),
        "stray_slot_ref": _stray(state),
        **_shared(state),
    }


def _stray(state: MemoryState) -> str | None:
    """The slot that a statement of a tangled stream names where it is not that of its memory."""
    if state.tangle is None or not state.tangle["says"]:
        return None
    named: str | None = state.tangle["said"]["slot_ref"]
    return None if named == state.slot_ref else named


def edge_columns(state: RelationshipState) -> Row:
    """The columns of `edge_version` that say the state of a relationship at a version."""
    return {
        "relationship_id": state.id,
        "version": state.version,
        "record": canonical(state.as_record()).decode(),
        "source_id": state.source_id,
        "target_id": state.target_id,
        "kind": state.kind,
        "erased": state.erased,
        **_shared(state),
    }


def _shared(state: MemoryState | RelationshipState) -> Row:
    return {
        "identity_key": state.identity_key,
        "lifecycle": state.lifecycle,
        "visibility": state.home.visibility,
        "owner": state.home.owner,
        "session": state.home.session,
        "from_us": state.bounds.from_us,
        "until_us": state.bounds.until_us,
        "expires_us": state.bounds.expires_us,
        "expired_us": state.bounds.expired_us,
        "recorded_us": state.recorded_us,
        "confidence": state.confidence,
    }


def memory_state(row: Mapping[str, Any]) -> MemoryState:
    """The state that a row of `memory_version` holds."""
    record = parse_stored(row["record"].encode())
    record["slot"] = row["slot"]
    if row["kept"]:
        record.update(json.loads(row["kept"]))
    return MemoryState(
        id=record["id"],
        version=record["version"],
        kind=record["kind"],
        schema_version=record["schema_version"],
        content=record["content"],
        provenance=tuple(record["provenance"]),
        confidence=record["confidence"],
        bounds=_bounds(record, row),
        recorded_at=record["recorded_at"],
        recorded_us=row["recorded_us"],
        lifecycle=record["lifecycle"],
        tags=tuple(record["tags"]),
        identity_key=record["identity_key"],
        home=_home(row),
        slot=record["slot"],
        slot_ref=row["slot_ref"],
        forgotten=row["forgotten"],
        dead_versions=frozenset(json.loads(row["dead_versions"]) if row["dead_versions"] else ()),
        slot_forgotten_us=row["slot_forgotten_us"],
        root_us=row["root_us"],
        retained=None if row["retained_us"] is None else (row["retained_us"], row["retained_by"]),
        tangle=None if row["tangle"] is None else json.loads(row["tangle"]),
    )


def edge_state(row: Mapping[str, Any]) -> RelationshipState:
    """The state that a row of `edge_version` holds."""
    record = parse_stored(row["record"].encode())
    return RelationshipState(
        id=record["id"],
        version=record["version"],
        source_id=record["source_id"],
        target_id=record["target_id"],
        kind=record["kind"],
        properties=record["properties"],
        provenance=tuple(record["provenance"]),
        confidence=record["confidence"],
        bounds=_bounds(record, row),
        recorded_at=record["recorded_at"],
        recorded_us=row["recorded_us"],
        lifecycle=record["lifecycle"],
        identity_key=record["identity_key"],
        home=_home(row),
        erased=row["erased"],
    )


def _bounds(record: JsonObject, row: Mapping[str, Any]) -> Bounds:
    return Bounds(
        valid_from=record["valid_from"],
        valid_until=record["valid_until"],
        expires_at=record["expires_at"],
        from_us=row["from_us"],
        expired_us=row["expired_us"],
    )


def _home(row: Mapping[str, Any]) -> Home:
    return Home(row["session"], row["visibility"], row["owner"])


def memory_event_columns(event: RecordedEvent, created_by: str) -> Row:
    """The columns of `memory_version` that say where a version comes from; no successor yet."""
    context = event.context
    return {
        **edge_event_columns(event, created_by),
        "topic": event.topic,
        "agent": context.agent,
        "event_session": context.session,
        "request": context.request,
    }


def edge_event_columns(event: RecordedEvent, created_by: str) -> Row:
    """The columns of `edge_version` that say where a version comes from; no successor yet."""
    return {
        "workspace": event.context.workspace,
        "position": event.position,
        "to_position": None,
        "actor": event.context.actor,
        "correlation": event.context.correlation,
        "created_by": created_by,
    }
