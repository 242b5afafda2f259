"""What somebody saw who decided about a proposal: its members, and the relationships among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

from domain.consolidation import contradicting
from domain.event_bases import Target
from domain.instants import Micros
from domain.memory import MemoryState
from domain.relationship import RelationshipState
from read_api.histories import Histories, History, State

TURN_US: Final = 10_000_000
"""How long a decision takes from its first look to its append, at most, in microseconds.

Another process may append meanwhile, to streams that the decision does not touch: then it has a
position before the decision, and was not seen.
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """Records as they were known before a position, which was appended at that time.

    Of what came so late that it may not have been seen, what agrees with the record is taken.
    """

    histories: Histories
    before: int
    appended_us: Micros

    def members(self, targets: Iterable[Target]) -> list[MemoryState]:
        """Memories as they were seen, by preference at these versions; text that went is gone."""
        wanted = dict(targets)
        found = self.histories.memories(wanted)
        seen = [self._member(found[key], wanted[key]) for key in wanted if key in found]
        return [state for state in seen if state is not None]

    def edges(self, members: Collection[str], told: Collection[str]) -> list[RelationshipState]:
        """Relationships among members; `told` are those by which members were said to disagree."""
        ids = set(members)
        seen = [self._edge(one, ids, told) for one in self.histories.among(members)]
        return [state for state in seen if state is not None]

    def _member(self, history: History[MemoryState], version: int) -> MemoryState | None:
        def named(state: MemoryState | None) -> bool:
            return state is not None and state.version == version

        state = self._of(history, named)
        gone = history.last.forgotten is not None
        return state.without_text() if gone and state is not None else state

    def _edge(
        self, history: History[RelationshipState], ids: set[str], told: Collection[str]
    ) -> RelationshipState | None:
        def as_told(state: RelationshipState | None) -> bool:
            speaks = state is not None and contradicting(state, ids)
            return speaks is (history.last.id in told)

        return self._of(history, as_told)

    def _of(self, history: History[State], agrees: Callable[[State | None], bool]) -> State | None:
        known = sum(event.position < self.before for event in history.events)
        for version in range(known, -1, -1):
            state = history.at(version) if version else None
            if agrees(state):
                return state
            if version and not self._late(history.events[version - 1].appended_us):
                break
        return history.at(known) if known else None

    def _late(self, appended_us: Micros) -> bool:
        return self.appended_us - appended_us <= TURN_US
