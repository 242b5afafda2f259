"""A relationship: its state, what may happen to it, and how each event changes it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, assert_never

from domain.canonical import Json, JsonObject, copied
from domain.decisions import appended
from domain.event_bases import Lifecycle
from domain.events import (
    Related,
    RelationshipEvent,
    RelationshipRelated,
    RelationshipRevised,
    RelationshipUpdated,
)
from domain.instants import Micros
from domain.memory import ERASED_KIND
from domain.memory_events import Stamp, first_bounds, moved
from domain.recorded import RecordedEvent
from domain.registry import Event
from domain.visibility import Bounds, Home, recallable


class RelationshipState(NamedTuple):
    """An edge at one version. `erased` means that its payload is gone."""

    id: str
    version: int
    source_id: str
    target_id: str
    kind: str
    properties: Json
    provenance: tuple[JsonObject, ...]
    confidence: float | None
    bounds: Bounds
    recorded_at: str
    recorded_us: Micros
    lifecycle: Lifecycle
    identity_key: str | None
    home: Home
    erased: bool = False

    def recallable(self, as_of_us: Micros) -> bool:
        """The edge itself may be followed at that instant (its ends apart)."""
        return not self.erased and recallable(self.lifecycle, self.bounds, as_of_us)

    def as_record(self) -> JsonObject:
        """The relationship of spec/operations.md §4."""
        record: JsonObject = {
            "id": self.id,
            "identity_key": self.identity_key,
            "source_id": self.source_id,
            "target_id": self.target_id,
            "kind": self.kind,
            "properties": copied(self.properties),
            "provenance": copied(list(self.provenance)),
            "confidence": self.confidence,
            "valid_from": self.bounds.valid_from,
            "valid_until": self.bounds.valid_until,
            "recorded_at": self.recorded_at,
            "expires_at": self.bounds.expires_at,
            "lifecycle": self.lifecycle,
            "version": self.version,
        }
        if self.erased:
            record["erased"] = True
        return record


def fold_relationship(events: Iterable[RecordedEvent]) -> RelationshipState | None:
    """The state after all events of one stream, in order; None for no events."""
    states = relationship_versions(events)
    return states[-1] if states else None


def relationship_versions(events: Iterable[RecordedEvent]) -> list[RelationshipState]:
    """The state at each version of one stream, in order."""
    state: RelationshipState | None = None
    states: list[RelationshipState] = []
    for event in events:
        state = apply_relationship(state, event)
        states.append(state)
    return states


def apply_relationship(state: RelationshipState | None, event: RecordedEvent) -> RelationshipState:
    """The state after one stored event, all of its facts included."""
    stamp = Stamp(event.version, event.recorded_at, event.recorded_us)
    for fact in event.facts:
        state = evolve_relationship(state, event.stream, fact, stamp)
    if state is None:
        raise ValueError(f"{event.name} holds no fact")
    return state


def evolve_relationship(
    state: RelationshipState | None, stream: str, fact: Event, stamp: Stamp
) -> RelationshipState:
    """The state after one fact; never refuses."""
    if isinstance(fact, RelationshipRelated):
        return _related(stream, fact, stamp)
    if state is None:
        raise ValueError(f"{stream}@{stamp.version} comes before its first event")
    state = state._replace(
        version=stamp.version,
        recorded_at=stamp.recorded_at,
        recorded_us=stamp.recorded_us,
    )
    return _later(state, fact, stamp)  # type: ignore[arg-type]


def _later(state: RelationshipState, fact: RelationshipEvent, stamp: Stamp) -> RelationshipState:
    match fact:
        case RelationshipRevised():
            return _revised(state, fact, stamp)
        case RelationshipUpdated():
            return _updated(state, fact)
        case RelationshipRelated():
            raise ValueError(f"{state.id}@{stamp.version} is related twice")
        case _:
            assert_never(fact)


_ERASED = Related(kind=ERASED_KIND, properties=None, provenance=[])


def _related(stream: str, fact: RelationshipRelated, stamp: Stamp) -> RelationshipState:
    said = fact.payload or _ERASED
    return RelationshipState(
        id=stream,
        version=stamp.version,
        source_id=fact.source_id,
        target_id=fact.target_id,
        kind=said.kind,
        properties=said.properties,
        provenance=tuple(said.provenance),
        confidence=said.confidence,
        bounds=first_bounds(fact, stamp),
        recorded_at=stamp.recorded_at,
        recorded_us=stamp.recorded_us,
        lifecycle=fact.lifecycle,
        identity_key=said.identity_key,
        home=Home(fact.session, fact.visibility, fact.owner),
        erased=fact.payload is None,
    )


def _revised(
    state: RelationshipState, fact: RelationshipRevised, stamp: Stamp
) -> RelationshipState:
    said = fact.payload or _ERASED
    return state._replace(
        kind=said.kind,
        properties=said.properties,
        provenance=appended(state.provenance, said.provenance),
        confidence=state.confidence if said.confidence is None else said.confidence,
        bounds=first_bounds(fact, stamp),
        lifecycle=fact.lifecycle,
        identity_key=said.identity_key,
        erased=fact.payload is None,
    )


def _updated(state: RelationshipState, fact: RelationshipUpdated) -> RelationshipState:
    lifecycle = fact.lifecycle or state.lifecycle
    bounds = moved(state.bounds, fact, state.recorded_us)
    state = state._replace(
        bounds=bounds.with_lifecycle(state.lifecycle, lifecycle, state.recorded_us),
        lifecycle=lifecycle,
    )
    patch = fact.payload
    if patch is None:
        return state._replace(erased=True)
    changed = patch.model_fields_set
    return state._replace(
        properties=patch.properties if "properties" in changed else state.properties,
        confidence=patch.confidence if "confidence" in changed else state.confidence,
        provenance=appended(state.provenance, patch.add_provenance or []),
    )
