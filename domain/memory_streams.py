"""A memory from its whole stream, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable

from domain.event_bases import Target
from domain.events import (
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
)
from domain.memory import MemoryState
from domain.memory_events import apply_memory
from domain.recorded import RecordedEvent, hide_forgotten
from domain.registry import Event
from domain.tangled_versions import tangled_versions


def fold_memory(events: Iterable[RecordedEvent]) -> MemoryState | None:
    """The state after all events of one stream, in order; None for no events."""
    states = memory_versions(events)
    return states[-1] if states else None


def memory_versions(events: Iterable[RecordedEvent]) -> list[MemoryState]:
    """The state at each version of one stream, in order; never refuses what a stream may hold."""
    stored = list(events)
    state: MemoryState | None = None
    states: list[MemoryState] = []
    for event in hide_forgotten(stored):
        if tangles(state, event):
            return tangled_versions(stored)
        state = apply_memory(state, event)
        states.append(state)
    return states


def tangles(state: MemoryState | None, event: RecordedEvent) -> bool:
    """Whether a stream with this state is, or becomes by its next event, one of which a state has
    to be told from all of its events: it holds what no command makes.
    """
    if state is None:
        return not isinstance(event.facts[0], MemoryRemembered) or len(event.facts) > 1
    if state.tangle is not None:
        return True
    return any(_is_odd(state, event, fact) for fact in event.facts)


def _is_odd(state: MemoryState, event: RecordedEvent, fact: Event) -> bool:
    match fact:
        case MemoryRevised() | MemoryUpdated():
            before: list[Target] = [(event.stream, event.version - 1)]
            odd = (fact.targets or before) != before
        case MemoryForgotten(scope="event"):
            odd = any(_is_no_version(state, event, fact, one) for one in fact.targets or ())
        case MemoryForgotten(scope="key"):
            odd = event.recorded_us < state.recorded_us
        case MemorySuperseded():
            odd = fact.target_id == event.stream
        case MemoryForgotten():
            odd = False
        case _:
            return True
    odd = odd or (state.forgotten is not None and not _forgets_for_good(fact))
    return odd or fact.session != state.home.session or fact.slot_ref != state.slot_ref


def _is_no_version(
    state: MemoryState, event: RecordedEvent, fact: MemoryForgotten, target: Target
) -> bool:
    """Whether it is none that a command would forget: of another memory, to come, or gone."""
    stream, version = target
    gone = fact.mode == "tombstone" and version in state.dead_versions
    return stream != event.stream or version > event.version or gone


def _forgets_for_good(fact: Event) -> bool:
    """Also one version of what a tombstone hides, which may be destroyed after it."""
    return isinstance(fact, MemoryForgotten) and fact.mode != "expire"
