"""Records as they were known at a position, folded from the log: no read model is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from domain.claims.chains import ends_of
from domain.claims.decisions import approvals
from domain.claims.known import Edge, Memory, Told, holds
from domain.claims.pieces import CONTRADICTS, DERIVED_FROM, SUPPORTS, Approval
from domain.instants import Micros
from domain.memory import MemoryState
from domain.relationship import RelationshipState
from read_api.decisions import Decisions
from read_api.histories import Histories, History


@dataclass(frozen=True, slots=True)
class KnownInLog:
    """`domain.claims.known.KnownRecords` over the log, up to the position of the decisions."""

    histories: Histories
    decisions: Decisions

    def memories(self, ids: Iterable[str]) -> Mapping[str, Memory]:
        found = self.histories.memories(ids)
        return {key: told for key, one in found.items() if (told := self._memory(one))}

    def behind(
        self, nodes: Iterable[str], claims: Collection[str], most: int
    ) -> tuple[Mapping[str, Sequence[Edge]], Mapping[str, Sequence[Edge]]]:
        return self._touching(nodes, most, is_origin), self._touching(claims, most, speaks)

    def contradicted(self, ids: Iterable[str], as_of_us: Micros) -> Collection[str]:
        return {one for one in ids if any(self._against(one, as_of_us))}

    def slots(self, refs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        return {
            ref: [one.last.id for one in self.histories.slot(ref) if self._memory(one)]
            for ref in refs
        }

    def reviews(self, claim: Memory) -> Sequence[Approval]:
        return approvals(claim, self.decisions.reviews(claim[-1].state.id))

    def _touching(
        self, nodes: Iterable[str], most: int, wanted: Callable[[RelationshipState, str], bool]
    ) -> Mapping[str, Sequence[Edge]]:
        found: dict[str, Sequence[Edge]] = {}
        for node in nodes:
            edges = [edge for one in self.histories.edges(node) if (edge := self._edge(one))]
            of_them = [edge for edge in edges if any(wanted(one.state, node) for one in edge)]
            if of_them:
                found[node] = of_them[: most + 1]
        return found

    def _against(self, node: str, as_of_us: Micros) -> Iterator[bool]:
        for one in self.histories.edges(node):
            edge = self._edge(one)
            if not edge or edge[-1].state.kind != CONTRADICTS or not holds(edge[-1], as_of_us):
                continue
            ends = set(ends_of(edge)) - {node}
            yield any(holds(memory[-1], as_of_us) for memory in self.memories(ends).values())

    def _edge(self, history: History[RelationshipState]) -> Edge:
        return [
            Told(state, event.position, event.context.actor)
            for event, state in zip(history.events, history.states, strict=True)
            if event.position <= self.decisions.position
        ]

    def _memory(self, history: History[MemoryState]) -> Memory:
        """Forgotten for good is forgotten at every basis (spec/policy.md §2.5)."""
        gone = history.last.forgotten
        return [
            Told(
                state if gone is None else state.without_text()._replace(forgotten=gone),
                event.position,
                event.context.actor,
            )
            for event, state in zip(history.events, history.states, strict=True)
            if event.position <= self.decisions.position
        ]


def is_origin(edge: RelationshipState, node: str) -> bool:
    """Whether it says what the node was derived from."""
    return edge.kind == DERIVED_FROM and edge.source_id == node


def speaks(edge: RelationshipState, node: str) -> bool:
    """Whether it supports the node, or contradicts it in either direction."""
    return edge.kind == CONTRADICTS or (edge.kind == SUPPORTS and edge.target_id == node)
