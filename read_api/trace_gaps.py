"""What is missing behind a record: the list `gaps` of a trace (spec/operations.md §4).

Gaps are judged without a clock, so that a trace of the same log is the same at any time: two
statements contradict each other where some instant lies in the validity of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from domain.canonical import JsonObject
from domain.consolidation import CONTRADICTS, SUPERSEDED_BY
from domain.events import MemoryForgotten
from domain.memory import MemoryState
from domain.relationship import RelationshipState
from domain.slots import value_of
from read_api.derivations import DERIVED_FROM
from read_api.histories import Histories, History

CORROBORATING: Final = frozenset({"supports", "corroborates", "confirms"})
"""Kinds of relationships whose source backs their target."""

SOURCES_TO_CORROBORATE: Final = 2
"""So many different sources of one memory are a corroboration in themselves."""


def memory_gaps(
    records: Histories, traced: History[MemoryState], edges: Sequence[RelationshipState]
) -> list[JsonObject]:
    """The gaps of a memory, in the order of the specification, then ours.

    Of a memory whose text is gone or forgotten only the originals behind it are told: all else
    would be read from what may not be shown any more.
    """
    memory = traced.last
    originals = [history.last.id for history in records.originals(memory.id)]
    superseded = _gap("superseded_originals", "memory_ids", originals)
    if memory.forgotten is not None or memory.erased:
        return superseded
    ends = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    others = {key: found.last for key, found in records.memories(ends - {memory.id}).items()}
    slot = [found.last for found in records.slot(memory.slot_ref) if found.last.id != memory.id]
    return [
        *source_gaps(records, memory),
        *_uncorroborated(memory, edges, others, slot),
        *_contradictions(memory, edges, others, slot),
        *superseded,
        *_needs_review(records, traced, edges),
    ]


def _needs_review(
    records: Histories, traced: History[MemoryState], edges: Iterable[RelationshipState]
) -> list[JsonObject]:
    """What the memory was made from and what was forgotten since: `read_api.derivations`."""
    memory = traced.last
    origins = {
        edge.target_id
        for edge in edges
        if edge.kind == DERIVED_FROM and edge.lifecycle == "active" and edge.source_id == memory.id
    }
    origins |= {
        edge.source_id
        for edge in edges
        if edge.kind == SUPERSEDED_BY and edge.target_id == memory.id
    }
    origins |= {reference["source_id"] for reference in memory.provenance}
    known = records.memories(sorted(origins - {memory.id}))
    since = traced.events[-1].position
    forgotten = [origin for origin, history in known.items() if _forgotten_at(history) > since]
    return _gap("needs_review", "memory_ids", forgotten)


def _forgotten_at(history: History[MemoryState]) -> int:
    """The position at which a memory, or a version of it, was forgotten last; 0 for never."""
    positions = [
        event.position
        for event in history.events
        for fact in event.facts
        if isinstance(fact, MemoryForgotten) and fact.mode != "expire"
    ]
    return max(positions, default=0)


def source_gaps(records: Histories, state: MemoryState | RelationshipState) -> list[JsonObject]:
    """No source at all, or sources that are memories here and forgotten."""
    if not state.provenance:
        return [{"gap": "no_source"}]
    named = dict.fromkeys(reference["source_id"] for reference in state.provenance)
    known = records.memories(named)
    forgotten = [key for key in named if key in known and known[key].last.forgotten is not None]
    return _gap("source_forgotten", "source_ids", forgotten)


def _gap(name: str, field: str, ids: Sequence[str]) -> list[JsonObject]:
    return [{"gap": name, field: list(ids)}] if ids else []


def _uncorroborated(
    memory: MemoryState,
    edges: Iterable[RelationshipState],
    others: dict[str, MemoryState],
    slot: Iterable[MemoryState],
) -> list[JsonObject]:
    sources = {reference["source_id"] for reference in memory.provenance}
    backed = any(
        edge.kind in CORROBORATING
        and edge.lifecycle == "active"
        and edge.target_id == memory.id
        and _stands(others.get(edge.source_id))
        for edge in edges
    )
    value = value_of(memory.content)
    agreed = any(_stands(other) and value_of(other.content) == value for other in slot)
    if backed or agreed or len(sources) >= SOURCES_TO_CORROBORATE:
        return []
    return [{"gap": "never_corroborated"}]


def _contradictions(
    memory: MemoryState,
    edges: Iterable[RelationshipState],
    others: dict[str, MemoryState],
    slot: Iterable[MemoryState],
) -> list[JsonObject]:
    if not _stands(memory):
        return []
    disputing = [
        edge.id
        for edge in edges
        if edge.kind == CONTRADICTS
        and edge.lifecycle == "active"
        and _stands(others.get(_other_end(edge, memory.id)))
    ]
    value = value_of(memory.content)
    differing = [
        other.id
        for other in slot
        if _stands(other) and value_of(other.content) != value and _overlap(memory, other)
    ]
    if not disputing and not differing:
        return []
    found = {"relationship_ids": disputing, "memory_ids": differing}
    return [{"gap": "unresolved_contradiction", **found}]


def _other_end(edge: RelationshipState, memory_id: str) -> str:
    return edge.target_id if edge.source_id == memory_id else edge.source_id


def _stands(state: MemoryState | None) -> bool:
    """Whether a memory still says something: not forgotten, not hidden, its text readable."""
    return (
        state is not None
        and state.forgotten is None
        and not state.erased
        and state.lifecycle == "active"
    )


def _overlap(one: MemoryState, other: MemoryState) -> bool:
    """Whether some instant lies in the validity of both."""
    start = max(one.bounds.from_us, other.bounds.from_us)
    ends = (one.bounds, other.bounds)
    return start < min(min(bounds.until_us, bounds.expires_us) for bounds in ends)
