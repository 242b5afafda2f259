"""What a memory rests on: the chain of what it was derived from, down to its roots.

A memory is derived from another one by an active relationship `derived_from`, or by citing it as a
source. A claim rests on what supports it as well, which finds support that goes round in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from domain.claims.known import Edge, KnownRecords, Memory, stands
from domain.claims.pieces import DERIVED_FROM, SUPPORTS
from domain.claims.statement import CLAIM_KINDS
from domain.ids import MEMORY, decode_id


class Limits(NamedTuple):
    """How far evidence is followed; what they cut is told as incomplete.

    `depth` are steps from a claim to the roots of its evidence, `nodes` the memories that one
    reading looks at, and as many others of the slot of a claim; `edges` the relationships of one
    memory.
    """

    depth: int = 16
    nodes: int = 50_000
    edges: int = 10_000


@dataclass(slots=True)
class Grounds:
    """Everything that some memories rest on, read level by level.

    `memories` are those of it that may be seen, `origins` what each was derived from and
    `supports` what supports it, as ids; `edges` are the relationships out of each that say so,
    `spoken` what speaks for and against each claim. `cut` are memories of which a limit left
    something unread.
    """

    limits: Limits = field(default_factory=Limits)
    memories: dict[str, Memory] = field(default_factory=dict)
    origins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    supports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    edges: dict[str, list[Edge]] = field(default_factory=dict)
    spoken: dict[str, Sequence[Edge]] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    _chains: dict[str, Sequence[str]] = field(default_factory=dict)

    def read(self, records: KnownRecords, first: Iterable[str], *, opposed: bool = False) -> None:
        """Read some memories and what these rest on, a level of all of them at once.

        With `opposed` what contradicts them, and what that rests on, is in these levels, too.
        """
        self._chains.clear()
        level = list(dict.fromkeys(first))
        for step in range(self.limits.depth):
            room = max(0, self.limits.nodes - len(self.memories))
            self.cut.update(level[room:])
            level = self._step(records, level[:room], opposed=opposed and step == 0)
            if not level:
                return
        self.cut.update(level)

    def _step(self, records: KnownRecords, level: Sequence[str], *, opposed: bool) -> list[str]:
        if not level:
            return []
        found = records.memories(level)
        self.memories.update(found)
        claims = [one for one in found if found[one][-1].state.kind in CLAIM_KINDS]
        derived, spoken = records.behind(found, claims, self.limits.edges)
        self.spoken.update(spoken)
        most = self.limits.edges
        self.cut.update(
            one for one in found for read in (derived, spoken) if len(read.get(one, ())) > most
        )
        ahead: dict[str, None] = {}
        for node, memory in found.items():
            self.edges[node] = [edge for edge in derived.get(node, ()) if _says(edge, DERIVED_FROM)]
            away = [edge[-1].state.target_id for edge in self.edges[node]]
            self.origins[node] = _others(node, [*away, *_cited(memory)])
            backing = [
                edge[-1].state.source_id
                for edge in spoken.get(node, ())
                if _says(edge, SUPPORTS) and edge[-1].state.target_id == node
            ]
            self.supports[node] = _others(node, backing)
            ahead.update(dict.fromkeys([*self.origins[node], *self.supports[node]]))
            if opposed:
                ahead.update((end, None) for edge in spoken.get(node, ()) for end in ends_of(edge))
        return [one for one in ahead if one not in self.memories and one not in self.cut]

    def chain(self, memory: str) -> Sequence[str]:
        """The memory and all that it was derived from, nearest first."""
        if not self.origins.get(memory):
            return [memory]
        known = self._chains.get(memory)
        if known is None:
            known = _closure(memory, lambda node: self.origins.get(node, ()))
            self._chains[memory] = known
        return known

    def roots(self, memory: str) -> list[str]:
        """Where its chain ends. A chain that goes round in a circle ends in its smallest id."""
        chain = self.chain(memory)
        if len(chain) == 1:
            return [memory]
        ends = [one for one in chain if not self._known_origins(one)]
        return ends or [min(chain)]

    def rests_on(self, memory: str, other: str) -> bool:
        """Whether the memory was derived from the other one or is supported by it, at any depth."""
        if not self.origins.get(memory) and not self.supports.get(memory):
            return False
        leads = _closure(
            memory, lambda node: (*self.origins.get(node, ()), *self.supports.get(node, ()))
        )
        return other in leads[1:]

    def _known_origins(self, memory: str) -> list[str]:
        return [one for one in self.origins.get(memory, ()) if one in self.memories]


def ends_of(edge: Edge) -> tuple[str, str]:
    """Where a relationship begins and ends; no version of it changes that."""
    return edge[-1].state.source_id, edge[-1].state.target_id


def _says(edge: Edge, kind: str) -> bool:
    return edge[-1].state.kind == kind and stands(edge[-1])


def _cited(memory: Memory) -> list[str]:
    sources = [reference["source_id"] for reference in memory[-1].state.provenance]
    return [source for source in sources if decode_id(source, MEMORY) is not None]


def _others(node: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in ids if one != node))


def _closure(start: str, leads: Callable[[str], Sequence[str]]) -> list[str]:
    found: dict[str, None] = {start: None}
    ahead = [start]
    while ahead:
        fresh = dict.fromkeys(one for node in ahead for one in leads(node) if one not in found)
        ahead = list(fresh)
        found.update(fresh)
    return list(found)
