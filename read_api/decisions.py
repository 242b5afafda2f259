"""What was decided about claims, read from the log by its references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.claims.decisions import DecisionState, apply_decision
from domain.ids import DECISION, decode_id
from domain.ports import LogReader
from domain.references import ASSESSED, REVIEWED
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
        streams = [*self._streams(ASSESSED, claim), *self._streams(REVIEWED, claim)]
        return sorted(self._read(streams), key=lambda one: one.position)

    def reviews(self, claim: str) -> list[DecisionState]:
        """What reviewers said about a claim, in the order of the log."""
        return sorted(self._read(self._streams(REVIEWED, claim)), key=lambda one: one.position)

    def reviewed_since(self, claim: str, position: int) -> bool:
        """Whether a reviewer said anything about a claim behind a position; nothing is read."""
        rows = self.log.references(self.workspace, REVIEWED, claim)
        return any(position < at <= self.position for _, at in rows)

    def newest_assessments(self, claim: str) -> Iterator[DecisionState]:
        """The assessments of a claim, the newest first, read one by one."""
        for stream in reversed(self._streams(ASSESSED, claim)):
            yield from self._read([stream])

    def _streams(self, kind: str, claim: str) -> list[str]:
        rows = self.log.references(self.workspace, kind, claim)
        return [stream for stream, position in rows if position <= self.position]

    def one(self, decision: str) -> DecisionState | None:
        """A decision by its id; None for whatever is none here for them."""
        if decode_id(decision, DECISION) is None:
            return None
        return next(iter(self._read([decision])), None)

    def _read(self, streams: Sequence[str]) -> list[DecisionState]:
        states: list[DecisionState] = []
        for start in range(0, len(streams), STREAMS_AT_ONCE):
            part = streams[start : start + STREAMS_AT_ONCE]
            for events in self.log.streams(self.workspace, part).values():
                state: DecisionState | None = None
                for event in events:
                    state = apply_decision(state, event)
                if state is not None and state.home.visible_to(self.viewer):
                    states.append(state)
        return [state for state in states if state.position <= self.position]
