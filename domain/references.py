"""What an event refers to: the rows of `event_ref` that are appended with it (design.md §3).

They are read off the structure alone, so that a verifier without keys, an import and a check of
an erased log find the same rows.
"""

from __future__ import annotations

from typing import Final

from domain.envelope import CorruptEventError, EventContext
from domain.events import (
    CommandRecorded,
    MemoryForgotten,
    MemoryRemembered,
    MemorySuperseded,
    RelationshipRelated,
)
from domain.ids import MEMORY, RECEIPT, RELATIONSHIP
from domain.recorded import RecordedEvent
from domain.registry import Event

ENDPOINT: Final = "endpoint"
"""Memory id → the relationships that end in it."""
CORRELATION: Final = "correlation"
"""Correlation id → the receipts of its commands."""
SLOT: Final = "slot"
"""slot_ref → the memories that were remembered in it, and those that forgot all of it."""
SUPERSEDES: Final = "supersedes"
"""Canonical memory id → the memories that were consolidated away behind it."""


def event_refs(event: RecordedEvent) -> list[tuple[str, str]]:
    """(kind, ref) of the references of one event, each once, in a fixed order.

    Raises CorruptEventError where a fact that refers to something stands in a stream of another
    kind: such a row would lead its reader to the wrong place.
    """
    found: dict[tuple[str, str], None] = {}
    for fact in event.facts:
        home, refs = _refs(fact, event.context)
        if refs and not event.stream.startswith(home):
            raise CorruptEventError(f"a {fact.TOPIC} stands in a stream of another kind")
        found.update(dict.fromkeys(refs))
    return list(found)


def _refs(fact: Event, context: EventContext) -> tuple[str, list[tuple[str, str]]]:
    """The prefix of the streams that hold such a fact, and its references."""
    match fact:
        case RelationshipRelated():
            return RELATIONSHIP, [(ENDPOINT, fact.source_id), (ENDPOINT, fact.target_id)]
        case CommandRecorded():
            return RECEIPT, [(CORRELATION, context.correlation)]
        case MemoryRemembered() if fact.slot_ref is not None:
            return MEMORY, [(SLOT, fact.slot_ref)]
        case MemoryForgotten() if fact.slot_ref is not None and fact.scope == "key":
            return MEMORY, [(SLOT, fact.slot_ref)]
        case MemorySuperseded():
            return MEMORY, [(SUPERSEDES, fact.target_id)]
        case _:
            return "", []
