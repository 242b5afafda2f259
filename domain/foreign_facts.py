"""What is refused of an event of another store, whatever its hashes say (spec/policy.md §2.2).

Such a stream may hold what no command makes: forks, forgets before what they forget, targets that
are not there. The reading side gives each its meaning. What has none is refused here.
"""

from __future__ import annotations

from typing import Final

from domain import checks
from domain.canonical import JsonObject, canonical
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

_OPTIONAL: Final = frozenset({"agent", "trace"})
_BOUNDS: Final = ("valid_from", "valid_until", "expires_at")


def refuse_foreign(head: Head, facts: tuple[Event, ...], workspace: str) -> None:
    """Raise INVALID_REQUEST for an event that no store of ours could have written.

    Names the field; the reason is that of spec/policy.md where it has one: SELF_TARGET,
    KEY_FORMAT, EMPTY_VALIDITY and the reasons of timestamps.
    """
    _check_head(head)
    _check_structure(head, facts)
    context = head.context
    if context.workspace != workspace:
        raise invalid("the event is of another workspace than the file says", field="workspace")
    for name in ("actor", "session"):
        checks.not_blank(getattr(context, name), f"ctx.{name}", SCOPE_BYTES_MAX)
    parse_instant(head.recorded_at, "recorded_at")
    targets = head.structure.get("targets") or ()
    if any(version < 1 for _, version in targets):
        raise invalid("targets names a version below 1", field="targets")
    if [head.stream, head.version] in targets:
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


def _check_head(head: Head) -> None:
    """Members have their types: what merely equals one, as true does 1, is another JSON value."""
    for name in ("v", "version"):
        said = getattr(head, name)
        if type(said) is not int or said < 1:
            raise invalid(f"{name} must be an integer of at least 1", field=name)
    for name, value in head.context.as_json().items():
        _check_name(value, f"ctx.{name}", optional=name in _OPTIONAL)
    for name in ("key", "commitment", "prev"):
        _check_name(getattr(head, name), name, optional=True)


def _check_name(value: object, field: str, *, optional: bool) -> None:
    """PostgreSQL has no text with NUL."""
    if value is None and optional:
        return
    if not isinstance(value, str) or "\0" in value:
        raise invalid(f"{field} must be a text without the character U+0000", field=field)


def _check_structure(head: Head, facts: tuple[Event, ...]) -> None:
    """What is read is what stands there: nothing was taken for what it resembles."""
    [*_, fact] = facts
    if head.v == fact.V and canonical(fact.structure()) != canonical(head.structure):
        raise invalid("s has members of other types than those of its topic", field="s")
    for name in ("session", "owner"):
        if name in head.structure:
            _check_name(head.structure[name], name, optional=False)


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
