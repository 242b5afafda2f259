"""A memory: its state, and how each event changes it. `evolve` never refuses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias, assert_never

from domain.canonical import JsonObject, copied
from domain.decisions import appended
from domain.events import (
    Lifecycle,
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
from domain.recorded import RecordedEvent, hide_forgotten
from domain.registry import Event
from domain.slots import slot_of
from domain.visibility import Bounds, Home, Viewer, recallable

ERASED_KIND = "erased"
Forgotten: TypeAlias = Literal["tombstone", "application_delete"]


class Stamp(NamedTuple):
    """Version and recording time of the event that is folded."""

    version: int
    recorded_at: str
    recorded_us: Micros


class MemoryState(NamedTuple):
    """A memory at one version. `content` is None where its text was erased or forgotten.

    `slot` is the slot as text (None where there is none, or where version 1 was erased);
    `slot_ref` outlives the text. `forgotten` is set for good by a tombstone; where that was one of
    scope `key`, `slot_forgotten_us` is its recording time.
    """

    id: str
    version: int
    kind: str
    schema_version: str
    content: JsonObject | None
    provenance: tuple[JsonObject, ...]
    confidence: float | None
    bounds: Bounds
    recorded_at: str
    recorded_us: Micros
    lifecycle: Lifecycle
    tags: tuple[str, ...]
    identity_key: str | None
    home: Home
    slot: str | None
    slot_ref: str | None
    forgotten: Forgotten | None = None
    dead_versions: frozenset[int] = frozenset()
    slot_forgotten_us: Micros | None = None

    @property
    def erased(self) -> bool:
        """Whether the text is gone: forgotten with its key, or never readable here."""
        return self.content is None

    def addressable_by(self, viewer: Viewer) -> bool:
        """Not forgotten for good, and visible to who looks."""
        return self.forgotten is None and self.home.visible_to(viewer)

    def recallable(self, as_of_us: Micros) -> bool:
        """May be the answer to a recall at that instant (visibility apart)."""
        return (
            self.forgotten is None
            and self.content is not None
            and recallable(self.lifecycle, self.bounds, as_of_us)
        )

    def as_shown(self) -> MemoryState:
        """The state without what its record hides: an erased version shows no text at all."""
        if not self.erased:
            return self
        hidden = self.without_text()
        return self if hidden == self else hidden

    def as_record(self) -> JsonObject:
        """The record of spec/operations.md §4; `erased: true` where the text is gone."""
        shown = self.as_shown()
        if shown is not self:
            return shown.as_record()
        record: JsonObject = {
            "id": self.id,
            "identity_key": self.identity_key,
            "kind": self.kind,
            "schema_version": self.schema_version,
            "content": copied(self.content),
            "provenance": copied(list(self.provenance)),
            "confidence": self.confidence,
            "valid_from": self.bounds.valid_from,
            "valid_until": self.bounds.valid_until,
            "recorded_at": self.recorded_at,
            "expires_at": self.bounds.expires_at,
            "lifecycle": self.lifecycle,
            "version": self.version,
            "tags": list(self.tags),
        }
        if self.erased:
            record["erased"] = True
        return record

    def without_text(self) -> MemoryState:
        """The same version as it shows after a tombstone: structure only."""
        return self._replace(
            kind=ERASED_KIND,
            schema_version=ERASED_KIND,
            content=None,
            provenance=(),
            confidence=None,
            tags=(),
            identity_key=None,
            slot=None,
        )


def fold_memory(events: Iterable[RecordedEvent]) -> MemoryState | None:
    """The state after all events of one stream, in order; None for no events."""
    states = memory_versions(events)
    return states[-1] if states else None


def memory_versions(events: Iterable[RecordedEvent]) -> list[MemoryState]:
    """The state at each version of one stream, in order."""
    state: MemoryState | None = None
    states: list[MemoryState] = []
    for event in hide_forgotten(list(events)):
        state = apply_memory(state, event)
        states.append(state)
    return states


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
            return _updated(state, fact)
        case MemoryForgotten():
            return _forgotten(state, fact)
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


_ERASED = Remembered(
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
    )


def _revised(state: MemoryState, fact: MemoryRevised, stamp: Stamp) -> MemoryState:
    state = state._replace(bounds=first_bounds(fact, stamp), lifecycle=fact.lifecycle)
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


def _updated(state: MemoryState, fact: MemoryUpdated) -> MemoryState:
    patch = fact.payload
    lifecycle = fact.lifecycle or state.lifecycle
    bounds = moved(state.bounds, fact, state.recorded_us)
    state = state._replace(
        bounds=bounds.with_lifecycle(state.lifecycle, lifecycle, state.recorded_us),
        lifecycle=lifecycle,
    )
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


def _forgotten(state: MemoryState, fact: MemoryForgotten) -> MemoryState:
    if fact.mode == "expire":
        bounds = state.bounds.with_lifecycle(state.lifecycle, "expired", state.recorded_us)
        bounds = bounds._replace(expires_at=fact.expires_at)
        return state._replace(lifecycle="expired", bounds=bounds)
    if fact.scope == "event":
        dead = {version for _, version in fact.targets or ()}
        return state._replace(dead_versions=state.dead_versions | dead)
    slot_forgotten = state.recorded_us if fact.scope == "key" else state.slot_forgotten_us
    return state._replace(
        lifecycle="tombstoned",
        forgotten=fact.mode,
        slot_forgotten_us=slot_forgotten,
    )
