"""What was decided about claims, read from the log by its references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from domain.claims.decisions import DecisionState, apply_decision
from domain.ids import DECISION, decode_id
from domain.ports import LogReader
from domain.references import DECIDED
from domain.visibility import Viewer
from read_api.histories import STREAMS_AT_ONCE


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of a workspace up to a position that who looks may see."""

    log: LogReader
    workspace: str
    viewer: Viewer
    position: int

    def about(self, claim: str) -> list[DecisionState]:
        """What was decided about a claim, in the order of the log."""
        rows = self.log.references(self.workspace, DECIDED, claim)
        streams = [stream for stream, position in rows if position <= self.position]
        found: list[DecisionState] = []
        for start in range(0, len(streams), STREAMS_AT_ONCE):
            found += self._read(streams[start : start + STREAMS_AT_ONCE])
        return sorted(found, key=lambda one: one.position)

    def one(self, decision: str) -> DecisionState | None:
        """A decision by its id; None for whatever is none here for them."""
        if decode_id(decision, DECISION) is None:
            return None
        return next(iter(self._read([decision])), None)

    def _read(self, streams: Iterable[str]) -> list[DecisionState]:
        states = []
        for events in self.log.streams(self.workspace, list(streams)).values():
            state: DecisionState | None = None
            for event in events:
                state = apply_decision(state, event)
            if state is not None and state.home.visible_to(self.viewer):
                states.append(state)
        return [state for state in states if state.position <= self.position]
