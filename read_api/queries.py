"""Questions of the reading routes, and their answers (design.md §7).

Lists and records come from the read models, recalls and events from the log. A question may name
the position that it must have seen; then it waits, but not for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from sqlalchemy import Engine

from domain.canonical import JsonObject
from domain.context import Context
from domain.errors import Code, MemorandaError
from domain.ports import Clock, LogReader
from read_api.bundles import Bundles
from read_api.duplicates import Duplicates, SuggestionFilters
from read_api.evidence_graph import EvidenceGraph, GraphQuestion
from read_api.inbox import Inbox, InboxFilters
from read_api.list_filters import MemoryFilters, RelationshipFilters
from read_api.past_basis import AskedBasis
from read_api.past_records import PastRecords
from read_api.proposal_index import ProposalIndex
from read_api.proposal_replay import ProposalReplay
from read_api.proposals import ProposalFilters, Proposals
from read_api.raw_events import RawEvents, RawRows
from read_api.recorded_recalls import RecordedRecalls
from read_api.records import Found, Records
from read_api.selecting import Keyed
from read_api.slot_questions import HistoryQuestion, SlotFilters, SlotQuestion
from read_api.slots import Slots

WAIT_SECONDS_MAX: Final = 5.0
RETRY_AFTER_SECONDS: Final = 1

Trusted: TypeAlias = Callable[[Context], Context]
"""A context, with what holds in its workspace."""

WaitFor: TypeAlias = Callable[[str, int, float], int]
"""(workspace, position, seconds) → the position that its read models have reached by then."""


class Queries:
    """All that can be read; safe to share between threads."""

    def __init__(
        self,
        *,
        log: LogReader,
        views: Engine,
        rows: RawRows,
        wait_for: WaitFor,
        seen: Callable[[str], int],
        secrets: Keyed,
        clock: Clock,
        trusted: Trusted,
    ) -> None:
        self._records = Records(views, secrets.page_tokens, secrets.slot_ref, seen)
        self._past = PastRecords(views, log, clock, seen)
        self._slots = Slots(views, log, clock, secrets, seen)
        self._recalls = RecordedRecalls(log)
        self._events = RawEvents(rows, log)
        index = ProposalIndex(log)
        self._proposals = Proposals(log, views, index, secrets, seen)
        self._proposal_replay = ProposalReplay(log, trusted)
        self._duplicates = Duplicates(views, log, index, clock, secrets, seen)
        self._graph = EvidenceGraph(views, log, clock, seen)
        self._inbox = Inbox(views, log, clock, index, secrets, seen)
        self.bundles = Bundles(views, secrets.page_tokens, seen, trusted)
        """Concepts, claims of bundles, and windows."""
        self._wait_for = wait_for
        self._trusted = trusted

    def wait(self, workspace: str, position: int | None, seconds: float = WAIT_SECONDS_MAX) -> None:
        """Return once a workspace is seen up to a position; OVERLOADED when time is over."""
        if position is None or self._wait_for(workspace, position, seconds) >= position:
            return
        raise MemorandaError(
            Code.OVERLOADED,
            f"position {position} is not seen yet: ask again, or without min_position",
            field="min_position",
            reason="NOT_CAUGHT_UP",
            retry_after=RETRY_AFTER_SECONDS,
        )

    def memories(self, context: Context, filters: MemoryFilters) -> JsonObject:
        """A page of current memories: `{items, next_cursor, position}`."""
        return self._records.memories(self._trusted(context), filters)

    def relationships(self, context: Context, filters: RelationshipFilters) -> JsonObject:
        """A page of current relationships: `{items, next_cursor, position}`."""
        return self._records.relationships(self._trusted(context), filters)

    def memory(self, context: Context, memory_id: str, version: int | None = None) -> Found:
        """A memory as it stands, or at a version; NOT_FOUND for what is not addressable."""
        return self._records.memory(self._trusted(context), memory_id, version)

    def memory_at(self, context: Context, memory_id: str, asked: AskedBasis) -> JsonObject:
        """A memory as it was known at a basis; NOT_FOUND for what was not, or is forgotten."""
        return self._past.memory(self._trusted(context), memory_id, asked)

    def relationship(self, context: Context, relationship_id: str) -> Found:
        """A relationship as it stands; NOT_FOUND for what is not addressable."""
        return self._records.relationship(self._trusted(context), relationship_id)

    def slot(self, context: Context, slot: str, asked: SlotQuestion) -> JsonObject:
        """What is known about a slot at a basis; empty where nothing that may be seen is."""
        return self._slots.one(self._trusted(context), slot, asked)

    def slot_history(self, context: Context, slot: str, asked: HistoryQuestion) -> JsonObject:
        """A page of what changed the answer about a slot, and of what it was for which instants."""
        return self._slots.history(self._trusted(context), slot, asked)

    def slots(self, context: Context, filters: SlotFilters) -> JsonObject:
        """A page of slots at a basis, and what is known about each."""
        return self._slots.page(self._trusted(context), filters)

    def proposals(self, context: Context, filters: ProposalFilters) -> JsonObject:
        """A page of proposals to consolidate: `{items, next_cursor, position}`."""
        return self._proposals.page(self._trusted(context), filters)

    def proposal(self, context: Context, proposal_id: str) -> JsonObject:
        """A proposal and how it stands; NOT_FOUND for what is not to be seen."""
        return self._proposals.one(self._trusted(context), proposal_id)

    def proposal_replay(self, context: Context, proposal_id: str) -> JsonObject:
        """A proposal decided once more from the log (`ProposalReplay.replay`)."""
        return self._proposal_replay.replay(context, proposal_id)

    def suggestions(self, context: Context, filters: SuggestionFilters) -> JsonObject:
        """A page of memories that say the same: `{items, next_cursor, position}`."""
        return self._duplicates.page(self._trusted(context), filters)

    def graph(self, context: Context, asked: GraphQuestion) -> JsonObject:
        """The evidence around a memory at a basis; NOT_FOUND for what may not be seen there."""
        return self._graph.around(self._trusted(context), asked)

    def reviews(self, context: Context, filters: InboxFilters) -> JsonObject:
        """A page of what waits for a person: `{items, next_cursor, position}`."""
        return self._inbox.page(self._trusted(context), filters)

    def recall(self, context: Context, recall_id: str) -> JsonObject:
        """A recall as it was answered; NOT_FOUND for what is absent or another's."""
        return self._recalls.answer(self._trusted(context), recall_id)

    def events(self, context: Context, position: int, limit: int) -> JsonObject:
        """Stored events of the workspace after a position: `{events, next_after, position}`."""
        return self._events.after(self._trusted(context), position, limit)

    def stream(self, context: Context, stream: str, version: int, limit: int) -> JsonObject:
        """Stored events of one stream after a version; NOT_FOUND for one that is not here."""
        return self._events.stream(self._trusted(context), stream, version, limit)
