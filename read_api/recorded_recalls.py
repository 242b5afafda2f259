"""An answered recall, read back from the log as it was answered (design.md §7).

Records and edges are shown at the versions that were returned. What was forgotten since is shown
without its text, what belongs privately to somebody else not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import MemorandaError, not_found
from domain.events import RecallRecorded
from domain.ids import RECALL, decode_id
from domain.memory import MemoryState
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from read_api.histories import Histories, History
from read_api.recordings import quotes_forgotten, recall_details, returned, visible_to
from read_api.trace_versions import Clearance


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recall, and the records that somebody may know of.

    `memories` are those that it gave. `hides` says that its question is not for who asks: it may
    quote what was forgotten since.
    """

    event: RecordedEvent
    fact: RecallRecorded
    known: Histories
    memories: Mapping[str, History[MemoryState]]
    hides: bool


class RecordedRecalls:
    """Reads recalls; safe to share between threads."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    def read(self, context: Context, recall_id: str) -> Recorded:
        """The recall; NOT_FOUND for what is absent, of another workspace or owner."""
        event, fact = self._event(context, recall_id)
        known = Histories(self._log, context.workspace, context.viewer)
        memories = known.memories(record for record, _ in fact.targets)
        hides = not Clearance.of(context).audits and quotes_forgotten(fact, memories)
        return Recorded(event, fact, known, memories, hides)

    def answer(self, context: Context, recall_id: str) -> JsonObject:
        """The recall as it was answered; raises what `read` raises."""
        position = self._log.head()
        recorded = self.read(context, recall_id)
        event, fact, memories = recorded.event, recorded.fact, recorded.memories
        return {
            "recall_id": recall_id,
            "recorded_at": event.recorded_at,
            "actor_id": event.context.actor,
            "agent_id": event.context.agent,
            "session_id": event.context.session,
            "items": _items(fact, memories),
            "relationships": _relationships(fact, recorded.known),
            "details": recall_details(recall_id, fact, reads=True, hides=recorded.hides),
            "position": position,
        }

    def _event(self, context: Context, recall_id: str) -> tuple[RecordedEvent, RecallRecorded]:
        if decode_id(recall_id, RECALL) is not None:
            for event in self._log.stream(context.workspace, recall_id):
                for fact in event.facts:
                    if isinstance(fact, RecallRecorded) and visible_to(context.viewer, fact):
                        return event, fact
        raise _missing()


def _items(fact: RecallRecorded, memories: Mapping[str, History[MemoryState]]) -> list[JsonObject]:
    said = {} if fact.payload is None else {item["id"]: item for item in fact.payload.items}
    return [
        {
            "record": _as_shown(memories[record], version),
            "selection_reasons": said.get(record, {}).get("reasons"),
            "score": said.get(record, {}).get("score"),
        }
        for record, version in returned(fact).items
        if record in memories
    ]


def _relationships(fact: RecallRecorded, known: Histories) -> list[JsonObject]:
    given = returned(fact).edges
    edges = known.relationships(record for record, _ in given)
    return [edges[record].at(version).as_record() for record, version in given if record in edges]


def _as_shown(history: History[MemoryState], version: int) -> JsonObject:
    state = history.at(version)
    return (state if history.last.forgotten is None else state.without_text()).as_record()


def _missing() -> MemorandaError:
    return not_found("the recall")
