"""Paths of a trace: one per relationship (spec/operations.md §4, trace)."""

from __future__ import annotations

from collections.abc import Iterable

from domain.canonical import JsonObject
from domain.relationship import RelationshipState


def path_of(edge: RelationshipState) -> JsonObject:
    """Both ends, the relationship, and the sources that it was taken from, each once."""
    sources = (reference["source_id"] for reference in edge.provenance)
    return {
        "memory_ids": [edge.source_id, edge.target_id],
        "relationship_ids": [edge.id],
        "evidence_source_ids": list(dict.fromkeys(sources)),
    }


def paths_of(edges: Iterable[RelationshipState]) -> list[JsonObject]:
    """One path for each edge, by relationship id."""
    return [path_of(edge) for edge in sorted(edges, key=lambda edge: edge.id)]
