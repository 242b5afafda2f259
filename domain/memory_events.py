"""How each event changes a memory. `evolve_memory` never refuses."""

from __future__ import annotations

from typing import Final, NamedTuple, assert_never

from domain.decisions import appended
from domain.events import (
    MemoryEvent,
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
    Patch,
    RelationshipRelated,
    RelationshipRevised,
    RelationshipUpdated,
    Remembered,
)
from domain.instants import FOREVER, Micros, parse_instant
from domain.memory import ERASED_KIND, MemoryState
from domain.recorded import RecordedEvent
from domain.registry import Event
from domain.slots import slot_of
from domain.visibility import Bounds, Home


class Stamp(NamedTuple):
    """Version and recording time of the event that is folded."""

    version: int
    recorded_at: str
    recorded_us: Micros


def apply_memory(state: MemoryState | None, event: RecordedEvent) -> MemoryState:
    """The state after one stored event, all of its facts included."""
    stamp = Stamp(event.version, event.recorded_at, event.recorded_us)
    for fact in event.facts:
        state = evolve_memory(state, event.stream, fact, stamp)
    if state is None:
        raise ValueError(f"{event.name} holds no fact")
    return state


def evolve_memory(state: MemoryState | None, stream: str, fact: Event, stamp: Stamp) -> MemoryState:
    """The state after one fact. Total: every stored memory event has a meaning here."""
    if isinstance(fact, MemoryRemembered):
        return _remembered(stream, fact, stamp)
    if state is None:
        raise ValueError(f"{stream}@{stamp.version} comes before its first event")
    state = state._replace(
        version=stamp.version,
        recorded_at=stamp.recorded_at,
        recorded_us=stamp.recorded_us,
    )
    return _later(state, fact, stamp)  # type: ignore[arg-type]


def _later(state: MemoryState, fact: MemoryEvent, stamp: Stamp) -> MemoryState:
    match fact:
        case MemoryRevised():
            return _revised(state, fact, stamp)
        case MemoryUpdated():
            return _updated(state, fact, stamp)
        case MemoryForgotten():
            return _forgotten(state, fact, stamp)
        case MemorySuperseded():
            bounds = state.bounds.with_lifecycle(state.lifecycle, "superseded", stamp.recorded_us)
            return state._replace(lifecycle="superseded", bounds=bounds)
        case MemoryRemembered():
            raise ValueError(f"{state.id}@{stamp.version} is remembered twice")
        case _:
            assert_never(fact)


def first_bounds(
    fact: MemoryRemembered | MemoryRevised | RelationshipRelated | RelationshipRevised,
    stamp: Stamp,
) -> Bounds:
    """Bounds of a first version or an upsert: an absent start is its own recording time."""
    start = fact.valid_from
    return Bounds(
        valid_from=start,
        valid_until=fact.valid_until,
        expires_at=fact.expires_at,
        from_us=stamp.recorded_us if start is None else parse_instant(start, "valid_from"),
        expired_us=stamp.recorded_us if fact.lifecycle == "expired" else FOREVER,
    )


_ERASED: Final = Remembered(
    kind=ERASED_KIND, schema_version=ERASED_KIND, content={}, tags=[], provenance=[]
)


def _remembered(stream: str, fact: MemoryRemembered, stamp: Stamp) -> MemoryState:
    said = fact.payload or _ERASED
    content = None if fact.payload is None else said.content
    return MemoryState(
        id=stream,
        version=stamp.version,
        kind=said.kind,
        schema_version=said.schema_version,
        content=content,
        provenance=tuple(said.provenance),
        confidence=said.confidence,
        bounds=first_bounds(fact, stamp),
        recorded_at=stamp.recorded_at,
        recorded_us=stamp.recorded_us,
        lifecycle=fact.lifecycle,
        tags=tuple(said.tags),
        identity_key=said.identity_key,
        home=Home(fact.session, fact.visibility, fact.owner),
        slot=slot_of(content, said.identity_key),
        slot_ref=fact.slot_ref,
        root_us=stamp.recorded_us,
    )


def _revised(state: MemoryState, fact: MemoryRevised, stamp: Stamp) -> MemoryState:
    kept = state
    state = state._replace(bounds=first_bounds(fact, stamp), lifecycle=fact.lifecycle)
    if _is_late(kept, stamp):
        bounds = state.bounds._replace(
            expires_at=kept.bounds.expires_at, expired_us=kept.bounds.expired_us
        )
        expired = kept.lifecycle == "expired"
        state = state._replace(bounds=bounds, lifecycle="expired" if expired else fact.lifecycle)
    else:
        state = _retained(state, stamp)
    said = fact.payload
    if said is None:
        return state.without_text()
    return state._replace(
        kind=said.kind,
        schema_version=said.schema_version,
        content=said.content,
        tags=tuple(said.tags),
        provenance=appended(state.provenance, said.provenance),
        confidence=state.confidence if said.confidence is None else said.confidence,
        identity_key=said.identity_key,
    )


def moved(bounds: Bounds, fact: MemoryUpdated | RelationshipUpdated, now_us: Micros) -> Bounds:
    """Bounds after an update: what was not set is inherited, what was set to null opens.

    An opened `valid_from` acts as the recording time of the version that opened it.
    """
    changed = fact.model_fields_set
    start, from_us = bounds.valid_from, bounds.from_us
    if "valid_from" in changed:
        start = fact.valid_from
        from_us = now_us if start is None else parse_instant(start, "valid_from")
    return Bounds(
        valid_from=start,
        valid_until=fact.valid_until if "valid_until" in changed else bounds.valid_until,
        expires_at=fact.expires_at if "expires_at" in changed else bounds.expires_at,
        from_us=from_us,
        expired_us=bounds.expired_us,
    )


def _is_late(state: MemoryState, stamp: Stamp) -> bool:
    """Whether the retention bound was set by an event that was recorded later (policy.md §2.6).

    Of two that were recorded at once the larger id counts, here as in the resolver.
    """
    if state.retained is None:
        return False
    recorded_us, version = state.retained
    return (stamp.recorded_us, _name(state, stamp.version)) < (recorded_us, _name(state, version))


def _name(state: MemoryState, version: int) -> str:
    return f"{state.id}@{version}"


def _retained(state: MemoryState, stamp: Stamp) -> MemoryState:
    return state._replace(retained=(stamp.recorded_us, stamp.version))


def _updated(state: MemoryState, fact: MemoryUpdated, stamp: Stamp) -> MemoryState:
    patch = fact.payload
    lifecycle = fact.lifecycle or state.lifecycle
    bounds = moved(state.bounds, fact, state.recorded_us)
    if "expires_at" in fact.model_fields_set:
        if _is_late(state, stamp):
            bounds = bounds._replace(expires_at=state.bounds.expires_at)
        else:
            state = _retained(state, stamp)
    if fact.lifecycle is not None:
        bounds = bounds.with_lifecycle(state.lifecycle, lifecycle, state.recorded_us)
    state = state._replace(bounds=bounds, lifecycle=lifecycle)
    # An erased correction still retires what it corrected: the older text does not come back.
    return state._replace(content=None) if patch is None else _patched(state, patch)


def _patched(state: MemoryState, patch: Patch) -> MemoryState:
    changed = patch.model_fields_set
    new_tags = [tag for tag in dict.fromkeys(patch.add_tags or ()) if tag not in state.tags]
    return state._replace(
        content=patch.content if "content" in changed else state.content,
        confidence=patch.confidence if "confidence" in changed else state.confidence,
        tags=(*state.tags, *new_tags),
        provenance=appended(state.provenance, patch.add_provenance or []),
    )


def _forgotten(state: MemoryState, fact: MemoryForgotten, stamp: Stamp) -> MemoryState:
    if fact.mode == "expire":
        # It hides at once, also where a bound was recorded later.
        bounds = state.bounds.with_lifecycle(state.lifecycle, "expired", state.recorded_us)
        if not _is_late(state, stamp):
            bounds = bounds._replace(expires_at=fact.expires_at)
            state = _retained(state, stamp)
        return state._replace(lifecycle="expired", bounds=bounds)
    if fact.scope == "event":
        dead = {version for _, version in fact.targets or ()}
        return state._replace(dead_versions=state.dead_versions | dead)
    slot_forgotten = state.recorded_us if fact.scope == "key" else state.slot_forgotten_us
    destroyed = state.forgotten == "application_delete"
    return state._replace(
        lifecycle="tombstoned",
        forgotten="application_delete" if destroyed else fact.mode,
        slot_forgotten_us=slot_forgotten,
    )
