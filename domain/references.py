"""What an event refers to: the rows of `event_ref` that are appended with it (design.md §3).

They are read off the structure alone, so that a verifier without keys, an import and a check of
an erased log find the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from domain.bundle_events import TakeawayAdded, TakeawayMoved
from domain.envelope import CorruptEventError, EventContext
from domain.events import (
    ClaimAssessed,
    CommandRecorded,
    MemoryForgotten,
    MemoryRemembered,
    MemorySuperseded,
    RelationshipRelated,
    ReviewApproved,
    ReviewRejected,
)
from domain.ids import CLAIM, DECISION, MEMORY, RECEIPT, RELATIONSHIP
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
ASSESSED: Final = "assessment"
"""Memory id → the assessments of what it claims."""
TAKEAWAY: Final = "takeaway"
"""Memory id → the takeaway that it is, or was, the memory of."""
REVIEWED: Final = "review"
"""Memory id → what reviewers said about what it claims."""


def event_refs(event: RecordedEvent) -> list[tuple[str, str]]:
    """(kind, ref) of the references of one event, each once, in a fixed order.

    Raises CorruptEventError where a fact that refers to something stands in a stream of another
    kind: such a row would lead its reader to the wrong place.
    """
    found: dict[tuple[str, str], None] = {}
    for fact in event.facts:
        referring = _REFERRING.get(type(fact))
        refs = () if referring is None else referring.refs(fact, event.context)
        if referring is not None and refs and not event.stream.startswith(referring.home):
            raise CorruptEventError(f"a {fact.TOPIC} stands in a stream of another kind")
        found.update(dict.fromkeys(refs))
    return list(found)


class _Referring(NamedTuple):
    """The prefix of the streams that hold such a fact, and its references."""

    home: str
    refs: Callable[[Any, EventContext], Sequence[tuple[str, str]]]


def _ends(fact: RelationshipRelated, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(ENDPOINT, fact.source_id), (ENDPOINT, fact.target_id)]


def _request(_: CommandRecorded, context: EventContext) -> Sequence[tuple[str, str]]:
    return [(CORRELATION, context.correlation)]


def _first_slot(fact: MemoryRemembered, _: EventContext) -> Sequence[tuple[str, str]]:
    return [] if fact.slot_ref is None else [(SLOT, fact.slot_ref)]


def _forgotten_slot(fact: MemoryForgotten, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(SLOT, fact.slot_ref)] if fact.slot_ref is not None and fact.scope == "key" else []


def _canonical(fact: MemorySuperseded, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(SUPERSEDES, fact.target_id)]


def _assessed(fact: ClaimAssessed, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(ASSESSED, fact.target_id)]


def _reviewed(fact: ReviewApproved | ReviewRejected, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(REVIEWED, fact.target_id)]


def _said(fact: TakeawayAdded | TakeawayMoved, _: EventContext) -> Sequence[tuple[str, str]]:
    return [(TAKEAWAY, fact.target_id)]


_REFERRING: Final[dict[type[Event], _Referring]] = {
    RelationshipRelated: _Referring(RELATIONSHIP, _ends),
    CommandRecorded: _Referring(RECEIPT, _request),
    MemoryRemembered: _Referring(MEMORY, _first_slot),
    MemoryForgotten: _Referring(MEMORY, _forgotten_slot),
    MemorySuperseded: _Referring(MEMORY, _canonical),
    ClaimAssessed: _Referring(DECISION, _assessed),
    ReviewApproved: _Referring(DECISION, _reviewed),
    ReviewRejected: _Referring(DECISION, _reviewed),
    TakeawayAdded: _Referring(CLAIM, _said),
    TakeawayMoved: _Referring(CLAIM, _said),
}
