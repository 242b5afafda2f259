"""One event of a case as an event of the log.

A correction with the `door` `upsert` replaces all bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from domain.canonical import JsonObject
from domain.event_bases import Reason
from domain.events import (
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
    Patch,
    Remembered,
)
from domain.registry import Event

Said: TypeAlias = Mapping[str, Any]
_BOUNDS: Final = ("valid_from", "valid_until", "expires_at")


def event_of(event: Said, home: JsonObject, named: JsonObject) -> Event:
    """The event; `home` is what all events of a memory say, `named` what it names of others."""
    match event["type"]:
        case "assertion":
            return MemoryRemembered(**home, **_replaced(event))
        case "correction" if event.get("door") == "upsert":
            return MemoryRevised(**home, **named, **_replaced(event))
        case "correction":
            bounds = {name: event[name] for name in _BOUNDS if name in event}
            patch = Patch(content=_content(event), add_provenance=_sources(event))
            return MemoryUpdated(**home, **bounds, **named, payload=patch)
        case "expiry":
            return MemoryUpdated(**home, expires_at=event.get("expires_at"), payload=Patch())
        case "supersession":
            return MemorySuperseded(**home, **named, lifecycle="superseded")
        case _:
            return _tombstone(event, home, named)


def _tombstone(event: Said, home: JsonObject, named: JsonObject) -> MemoryForgotten:
    scope = event.get("scope", "lineage")
    about = named if scope == "event" else {"lifecycle": "tombstoned"}
    reason = Reason(reason=event.get("source", "none"))
    return MemoryForgotten(**home, mode="tombstone", scope=scope, **about, payload=reason)


def _replaced(event: Said) -> JsonObject:
    """All that a first version or an upsert says."""
    said = Remembered(
        kind="fact",
        schema_version="1",
        content=_content(event),
        tags=[],
        provenance=_sources(event),
    )
    return {name: event.get(name) for name in _BOUNDS} | {"lifecycle": "active", "payload": said}


def _content(event: Said) -> JsonObject:
    value = {
        "text": f"{event['value']}",
        "properties": {"slot": event["key"], "object": event["value"]},
    }
    return {"format": "text_and_properties", "value": value}


def _sources(event: Said) -> list[JsonObject]:
    return [{"source_id": event["source"], "locator": None, "observed_at": None}]
