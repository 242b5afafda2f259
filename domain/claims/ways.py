"""The ways from a claim down to its sources: one to each, and no longer than any other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from domain.claims.chains import Grounds
from domain.claims.known import stands, target
from domain.claims.pieces import DERIVED_FROM, SUPPORTS
from domain.event_bases import Target
from domain.ids import MEMORY, decode_id

CITES: Final = "cites"
"""A step from a memory to a source that its provenance names."""


class Step(NamedTuple):
    """A step down: along a relationship, or, where that is None, to what is cited."""

    kind: str
    relationship: Target | None
    to: str


class Way(NamedTuple):
    """The steps from a claim to a source: a memory that rests on nothing, or a name."""

    source: str
    steps: tuple[Step, ...]


def ways_down(grounds: Grounds, claim: str) -> list[Way]:
    """A shortest way to each source that the claim rests on, the nearest first.

    A claim rests on what it was derived from, what it cites, and what supports it, and on what
    these rest on. What may not be seen is no step. Evidence that goes round in a circle alone has
    no source.
    """
    found: dict[str, tuple[Step, ...]] = {claim: ()}
    ends: list[Way] = []
    ahead = [claim]
    while ahead:
        level, ahead = ahead, []
        for node in level:
            steps = list(_down(grounds, node))
            if not steps and node != claim:
                ends.append(Way(node, found[node]))
            for step in steps:
                if step.to not in found:
                    found[step.to] = (*found[node], step)
                    ahead.append(step.to)
    return ends


def _down(grounds: Grounds, node: str) -> Iterator[Step]:
    """What a memory rests on next: relationships by id, then what it cites."""
    memory = grounds.memories.get(node)
    if memory is None:
        return
    for edge in grounds.edges.get(node, ()):
        state = edge[-1].state
        if state.target_id in grounds.memories and state.target_id != node:
            yield Step(DERIVED_FROM, target(edge[-1]), state.target_id)
    for edge in grounds.spoken.get(node, ()):
        state = edge[-1].state
        backs = state.kind == SUPPORTS and state.target_id == node and stands(edge[-1])
        if backs and state.source_id in grounds.memories and state.source_id != node:
            yield Step(SUPPORTS, target(edge[-1]), state.source_id)
    for reference in memory[-1].state.provenance:
        source = reference["source_id"]
        is_memory = decode_id(source, MEMORY) is not None
        if source != node and (not is_memory or source in grounds.memories):
            yield Step(CITES, None, source)
