"""What is refused of an event of another store, whatever its hashes say (spec/policy.md §2.2).

Such a stream may hold what no command makes: forks, forgets before what they forget, targets that
are not there. The reading side gives each its meaning. What has none is refused here.
"""

from __future__ import annotations

from typing import Final

from domain import checks
from domain.canonical import JsonObject
from domain.envelope import Head
from domain.errors import invalid
from domain.events import (
    EdgePatch,
    MemoryRemembered,
    Patch,
    Related,
    Remembered,
)
from domain.instants import parse_instant
from domain.limits import SCOPE_BYTES_MAX
from domain.registry import Event, Payload
from domain.slots import properties_of, slot_of

_BOUNDS: Final = ("valid_from", "valid_until", "expires_at")


def refuse_foreign(head: Head, facts: tuple[Event, ...], workspace: str) -> None:
    """Raise INVALID_REQUEST for an event that no store of ours could have written.

    Names the field; the reason is that of spec/policy.md where it has one: SELF_TARGET,
    KEY_FORMAT, EMPTY_VALIDITY and the reasons of timestamps.
    """
    context = head.context
    if context.workspace != workspace:
        raise invalid("the event is of another workspace than the file says", field="workspace")
    for name in ("actor", "session"):
        checks.not_blank(getattr(context, name), f"ctx.{name}", SCOPE_BYTES_MAX)
    parse_instant(head.recorded_at, "recorded_at")
    if head.version < 1:
        raise invalid("version must be at least 1", field="version")
    if [head.stream, head.version] in (head.structure.get("targets") or ()):
        raise invalid(
            "targets names the event itself: it cannot correct itself",
            field="targets",
            reason="SELF_TARGET",
        )
    _check_bounds(head.structure)
    for fact in facts:
        if fact.payload is not None:
            _check_payload(fact.payload)
        _check_slot(fact)


def _check_bounds(said: JsonObject) -> None:
    for name in _BOUNDS:
        if said.get(name) is not None:
            parse_instant(said[name], name)
    checks.validity(said.get("valid_from"), said.get("valid_until"))


def _check_payload(said: Payload) -> None:
    match said:
        case Remembered():
            checks.not_blank(said.kind, "kind")
            checks.content(_shaped(said.content), "content")
            checks.tags(said.tags, "tags")
            checks.provenance(said.provenance, "provenance")
            checks.confidence(said.confidence, "confidence")
        case Patch():
            if said.content is not None:
                checks.content(_shaped(said.content), "content")
            checks.tags(said.add_tags or [], "add_tags")
            checks.provenance(said.add_provenance or [], "add_provenance")
            checks.confidence(said.confidence, "confidence")
        case Related():
            checks.not_blank(said.kind, "kind")
            checks.properties(said.properties, "properties")
            checks.provenance(said.provenance, "provenance")
            checks.confidence(said.confidence, "confidence")
        case EdgePatch():
            checks.properties(said.properties, "properties")
            checks.provenance(said.add_provenance or [], "add_provenance")
            checks.confidence(said.confidence, "confidence")
        case _:
            pass  # of ours alone: their shape is all that there is to them


def _shaped(content: JsonObject) -> JsonObject:
    """A content has its format and a value that fits it."""
    form, value = str(content.get("format")), content.get("value", "")
    fits = {
        "text": isinstance(value, str),
        "properties": True,
        "text_and_properties": isinstance(value, dict),
    }.get(form, False)
    if not fits or set(content) != {"format", "value"}:
        raise invalid("content has not the form of one", field="content")
    both = form != "text_and_properties" or (
        set(value) == {"text", "properties"} and isinstance(value["text"], str)
    )
    if not both:
        raise invalid("content.value has not the form of one", field="content.value")
    return content


def _check_slot(fact: Event) -> None:
    """A reference of a slot stands for a name that a slot can have."""
    if not isinstance(fact, MemoryRemembered) or fact.slot_ref is None or fact.payload is None:
        return
    said = properties_of(fact.payload.content).get("slot")
    if isinstance(said, str):
        checks.key(said, "slot")
    if slot_of(fact.payload.content, fact.payload.identity_key) is None:
        raise invalid("the event has a slot_ref and no slot", field="slot", reason="KEY_FORMAT")
