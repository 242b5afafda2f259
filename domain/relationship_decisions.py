"""What may happen to a relationship: commands in, facts out, or a refusal. Pure."""

from __future__ import annotations

from domain.canonical import Json, JsonObject
from domain.contract import Patch, RelateInput, plain
from domain.decisions import Decision, Fact, appended
from domain.errors import not_found
from domain.events import (
    EdgePatch,
    IdentityClaimed,
    Related,
    RelationshipRelated,
    RelationshipRevised,
    RelationshipUpdated,
)
from domain.ids import RELATIONSHIP
from domain.memory import MemoryState
from domain.memory_decisions import (
    addressable,
    bounded,
    changed_bounds,
    expect_version,
    refuse_empty_validity,
)
from domain.memory_events import moved
from domain.relationship import RelationshipState


def relate(
    d: Decision,
    said: RelateInput,
    ends: tuple[MemoryState | None, MemoryState | None],
    guard: str | None,
    existing: RelationshipState | None,
) -> list[Fact]:
    """A new edge, or a new version of `existing`, whose endpoints stay as stored."""
    viewer = d.context.viewer
    source = addressable(ends[0], viewer, "source_id")
    target = addressable(ends[1], viewer, "target_id")
    if existing is not None:
        return [Fact(existing.id, _revision(said, existing))]
    private = "private" in (source.home.visibility, target.home.visibility)
    edge = new_edge(d, source.id, target.id, private=private, payload=_payload(said))
    dated = edge.event.model_copy(
        update={
            "valid_from": said.valid_from,
            "valid_until": said.valid_until,
            "expires_at": said.expires_at,
            "lifecycle": said.lifecycle,
        }
    )
    claim = [Fact(guard, IdentityClaimed(target_id=edge.stream))] if guard is not None else []
    return [*claim, Fact(edge.stream, dated)]


def new_edge(d: Decision, source: str, target: str, *, private: bool, payload: Related) -> Fact:
    """Version 1 of an open, active edge; private where either end is."""
    related = RelationshipRelated(
        session=d.context.session,
        visibility="private" if private else "workspace",
        owner=d.context.actor,
        source_id=source,
        target_id=target,
        valid_from=None,
        valid_until=None,
        expires_at=None,
        lifecycle="active",
        payload=payload,
    )
    return Fact(d.new_id(RELATIONSHIP), related)


def _payload(said: RelateInput) -> Related:
    fields: JsonObject = {
        "kind": said.kind,
        "properties": said.properties,
        "provenance": plain(said.provenance),
        "identity_key": said.identity_key,
    }
    if said.confidence is not None:
        fields["confidence"] = said.confidence
    return Related(**fields)


def _revision(said: RelateInput, state: RelationshipState) -> RelationshipRevised:
    bounded(len(appended(state.provenance, plain(said.provenance))), "provenance")
    return RelationshipRevised(
        **_edge(state),
        valid_from=said.valid_from,
        valid_until=said.valid_until,
        expires_at=said.expires_at,
        lifecycle=said.lifecycle,
        payload=_payload(said),
    )


def _edge(state: RelationshipState) -> JsonObject:
    return {
        "session": state.home.session,
        "visibility": state.home.visibility,
        "owner": state.home.owner,
        "source_id": state.source_id,
        "target_id": state.target_id,
    }


def update(
    d: Decision, state: RelationshipState | None, patch: Patch, expected: int | None
) -> list[Fact]:
    """A new version; a content replaces `properties` whole, tags are ignored (§5, update)."""
    if state is None or not state.home.visible_to(d.context.viewer):
        raise not_found("the relationship", field="target.id")
    expect_version(state.version, expected)
    stored: dict[str, Json] = {}
    if patch.content is not None:
        stored["properties"] = patch.content.as_json()
    if patch.confidence is not None or "confidence" in patch.clear:
        stored["confidence"] = patch.confidence
    if patch.add_provenance:
        stored["add_provenance"] = plain(patch.add_provenance)
        merged = appended(state.provenance, stored["add_provenance"])
        bounded(len(merged), "patch.add_provenance")
    structure = changed_bounds(patch)
    if patch.lifecycle is not None:
        structure["lifecycle"] = patch.lifecycle
    event = RelationshipUpdated(**_edge(state), **structure, payload=EdgePatch(**stored))
    refuse_empty_validity(moved(state.bounds, event, d.now_us), patch)
    return [Fact(state.id, event)]
