"""The states that decisions are made on: folded from the log, kept while they are warm."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from domain.bundles.concepts import apply_concept
from domain.bundles.takeaways import apply_takeaway
from domain.bundles.windows import apply_window
from domain.claims.decisions import apply_decision
from domain.events import MemoryForgotten, PolicyDefined, PolicyRetired
from domain.guards import apply_guard
from domain.ids import (
    CLAIM,
    CONCEPT,
    DECISION,
    GUARD,
    MEMORY,
    PROPOSAL,
    RECEIPT,
    RELATIONSHIP,
    SYSTEM,
    WINDOW,
)
from domain.memory_events import apply_memory
from domain.memory_streams import memory_versions, tangles
from domain.proposals import apply_proposal
from domain.receipts import apply_receipt
from domain.recorded import RecordedEvent
from domain.relationship import apply_relationship
from domain.validation.policies import apply_policies
from domain.workspace_settings import apply_settings

Apply = Callable[[Any, RecordedEvent], Any]


def _apply_system(state: Any, event: RecordedEvent) -> Any:
    """Of what stands in system streams, each of which is about one thing."""
    return (
        apply_policies(state, event)
        if event.topic in _OF_POLICIES
        else apply_settings(state, event)
    )


_OF_POLICIES: Final = frozenset({PolicyDefined.TOPIC, PolicyRetired.TOPIC})

_APPLY: Final[dict[str, Apply]] = {
    MEMORY: apply_memory,
    RELATIONSHIP: apply_relationship,
    GUARD: apply_guard,
    PROPOSAL: apply_proposal,
    RECEIPT: apply_receipt,
    DECISION: apply_decision,
    CONCEPT: apply_concept,
    CLAIM: apply_takeaway,
    WINDOW: apply_window,
    SYSTEM: _apply_system,
}

CACHED_MAX: Final = 10_000
"""Streams whose state a process keeps. It bounds how many, not how large: long texts weigh more."""


class Aggregate(NamedTuple):
    """A stream as far as it is known: its state, and what the next event must continue."""

    workspace: str
    version: int
    hash: str
    state: Any


def fold(aggregate: Aggregate | None, events: Iterable[RecordedEvent]) -> Aggregate | None:
    """The aggregate after more events of its stream, in order."""
    for event in events:
        apply = _APPLY.get(event.stream[: event.stream.index("_") + 1])
        state = None if aggregate is None else aggregate.state
        aggregate = Aggregate(
            workspace=event.context.workspace,
            version=event.version,
            hash=event.hash,
            state=None if apply is None else apply(state, event),
        )
    return aggregate


def fold_whole(events: list[RecordedEvent]) -> Aggregate | None:
    """The aggregate of a whole stream, forgotten versions hidden from the start."""
    if not events or not events[-1].stream.startswith(MEMORY):
        return fold(None, events)
    last = events[-1]
    state = memory_versions(events)[-1]
    return Aggregate(last.context.workspace, last.version, last.hash, state)


def folded(aggregate: Aggregate | None, events: Sequence[RecordedEvent]) -> Aggregate | None:
    """`fold`; None where the events change the meaning of earlier ones: fold the whole stream."""
    if not events or not events[0].stream.startswith(MEMORY):
        return fold(aggregate, events)
    for event in events:
        state = None if aggregate is None else aggregate.state
        if _covers_a_version(event) or tangles(state, event):
            return None
        aggregate = fold(aggregate, [event])
    return aggregate


def _covers_a_version(event: RecordedEvent) -> bool:
    return any(isinstance(fact, MemoryForgotten) and fact.scope == "event" for fact in event.facts)


class Cache:
    """The most recently used aggregates. Used by who holds the engine's turn alone.

    A stale entry does no harm: loading asks for the events after its version, and the unique
    (stream, version) of the log refuses what was decided on an old one.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Aggregate] = OrderedDict()

    def get(self, stream: str) -> Aggregate | None:
        """What is known of a stream."""
        found = self._known.get(stream)
        if found is not None:
            self._known.move_to_end(stream)
        return found

    def keep(self, stream: str, aggregate: Aggregate) -> None:
        """Remember an aggregate, dropping the one that was unused for longest."""
        self._known[stream] = aggregate
        self._known.move_to_end(stream)
        if len(self._known) > CACHED_MAX:
            self._known.popitem(last=False)

    def drop(self, streams: Iterable[str]) -> None:
        """Forget what is known of some streams."""
        for stream in streams:
            self._known.pop(stream, None)
