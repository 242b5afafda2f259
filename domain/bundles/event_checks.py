"""What events of a window have to be like: few enough, small enough, with texts where texts are."""

from __future__ import annotations

from domain.bundles import limits as most
from domain.bundles.kinds import EVIDENCE_KINDS
from domain.canonical import JsonObject, canonical
from domain.errors import invalid


def check_events(events: list[JsonObject]) -> None:
    """How many, how large, and the types of what is read. Nothing is read of noise."""
    if len(events) > most.EVENTS_MAX:
        raise invalid(
            f"events has {len(events)} members: at most {most.EVENTS_MAX} a window, "
            "send the session in several windows",
            field="events",
        )
    size = len(canonical(events))
    if size > most.EVENTS_BYTES_MAX:
        raise invalid(
            f"events has {size} bytes of JSON: at most {most.EVENTS_BYTES_MAX} a window, "
            "send the session in several windows",
            field="events",
        )
    for index, event in enumerate(events):
        _check_event(event, f"events.{index}")


def _check_event(event: JsonObject, field: str) -> None:
    kind = event.get("kind", "")
    if not isinstance(kind, str):
        raise invalid(f"{field}.kind must be a string", field=f"{field}.kind")
    for name in ("actor", "text", "name") if kind in EVIDENCE_KINDS else ():
        if not isinstance(event.get(name), str | None):
            raise invalid(f"{field}.{name} must be a string", field=f"{field}.{name}")
