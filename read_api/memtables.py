"""The full-text indexes of the workspaces, in memory, each following the log by itself.

They read the log and no projection, so that a memory can be recalled as soon as its receipt is
given (design.md §5).
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import numpy as np

from domain.events import MemoryForgotten
from domain.memory import MemoryState, apply_memory, memory_versions
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from projections.lexical.analyzer import Term
from projections.lexical.eligibility import Basis, Filters
from projections.lexical.memtable import Hit, Memtable
from projections.lexical.scoring import SearchStopped
from read_api.deadlines import Deadline
from read_api.log_pages import Damage, LogPages
from read_api.lookups import Look, Question, document_of

WORKSPACES_MAX: Final = 64
"""Workspaces whose index a process keeps; the one that was unused for longest is dropped."""


class WorkspaceIndex:
    """The index of one workspace, as far as it has read the log."""

    def __init__(self, log: LogReader, workspace: str) -> None:
        self._log = log
        self._pages = LogPages(log, workspace)
        self._workspace = workspace
        self._lock = threading.Lock()
        self._memtable = Memtable()
        self._states: dict[str, MemoryState] = {}
        self._position = 0
        # By memory its versions' (position, row), append-only: read without the lock.
        self._rows: dict[str, list[tuple[int, int]]] = {}
        self._positions: list[int] = []
        self._owners: list[str | None] = []
        self._private_owners: set[str | None] = set()
        self._textless: set[int] = set()
        self._damaged: list[int] = []
        self._lost: set[str] = set()

    @property
    def damaged(self) -> Sequence[int]:
        """Positions of events that could not be read; their memories are not answered with."""
        return tuple(self._damaged)

    @property
    def position(self) -> int:
        """Every event of the workspace up to this log position is in the index."""
        return self._position

    def holds_private_of(self, actor: str) -> bool:
        """Whether anything here is private to the actor, so that its answers may tell of it."""
        return actor in self._private_owners

    def follow(self, position: int, deadline: Deadline) -> int:
        """Read the log up to a position, as far as time allows; the position reached.

        At least one event is read, so that many short questions get there too. Between two pages
        others may look.
        """
        going = True
        while going and self._position < position:
            if not self._lock.acquire(timeout=deadline.remaining_s()):
                break
            try:
                going = self._read_page(deadline) and not deadline.expired()
            finally:
                self._lock.release()
        return self._position

    def look(self, basis: Basis, question: Question, deadline: Deadline) -> Look:
        """The matches of a question among the eligible memories."""
        nothing = np.zeros(0, dtype=np.bool_)
        eligible = preferred = nothing
        hits: list[Hit] = []
        stopped = True
        if self._lock.acquire(timeout=deadline.remaining_s()):
            try:
                eligible = self._memtable.eligible(basis, question.filters)
                if question.prefer_repo is not None:
                    of_repo = Filters(repo=question.prefer_repo)
                    preferred = eligible & self._memtable.eligible(basis, of_repo)
                with suppress(SearchStopped):
                    hits = self._memtable.search(
                        question.terms, eligible, question.limit, deadline.expired
                    )
                    stopped = False
            finally:
                self._lock.release()
        return Look(
            lambda memory_id: self._row_at(memory_id, basis.position),
            eligible,
            preferred,
            hits,
            stopped=stopped,
        )

    def ineligible(self, basis: Basis, terms: Sequence[Term], deadline: Deadline) -> list[Hit]:
        """The versions known at the basis that match, may be seen, and are no answer; best first.

        Versions of forgotten memories are left out: that they match would tell of their text.
        Empty where time is up.
        """
        if not self._lock.acquire(timeout=deadline.remaining_s()):
            return []
        try:
            mask = np.array(self._positions, dtype=np.int64) <= basis.position
            mask &= np.array([owner in {None, basis.actor} for owner in self._owners], np.bool_)
            mask &= ~self._memtable.eligible(basis, Filters())
            mask[list(self._textless)] = False
            with suppress(SearchStopped):
                return self._memtable.search(terms, mask, None, deadline.expired)
            return []
        finally:
            self._lock.release()

    def _row_at(self, memory_id: str, position: int) -> int | None:
        places = self._rows.get(memory_id, [])
        known = bisect_right(places, position, key=lambda place: place[0])
        return places[known - 1][1] if known else None

    def _read_page(self, deadline: Deadline) -> bool:
        """Fold the next events, as far as time allows; False at the head of the log."""
        head = self._log.head()
        page = self._pages.after(self._position)
        for event in page.events:
            self._fold(event)
            self._position = event.position
            if deadline.expired() and event is not page.events[-1]:
                return True
        if page.damage is not None:
            self._lose(page.damage)
        if not page.last:
            return True
        self._position = max(self._position, head)
        return False

    def _lose(self, damage: Damage) -> None:
        """Nobody knows what the event said, it may have been a forget: so its memory is hidden."""
        self._damaged.append(damage.position)
        self._position = damage.position
        for memory in damage.memories:
            self._lost.add(memory)
            self._memtable.bury(memory)
            self._textless.update(row for _, row in self._rows.get(memory, ()))

    def _fold(self, event: RecordedEvent) -> None:
        known = self._states.get(event.stream)
        if event.stream in self._lost or (known is not None and event.version <= known.version):
            return
        dead = [
            version
            for fact in event.facts
            if isinstance(fact, MemoryForgotten) and fact.scope == "event"
            for _, version in fact.targets or ()
        ]
        state = self._refolded(event, min(dead)) if dead else apply_memory(known, event)
        if state.forgotten is not None:
            state = state.without_text()
        self._states[event.stream] = state
        self._add(event, state)
        if state.forgotten is not None:
            self._hide(state)

    def _refolded(self, event: RecordedEvent, first: int) -> MemoryState:
        """A memory after one of its versions was forgotten.

        The versions since are taken out of older bases with it: their text was made from it.
        """
        for version in range(first, event.version):
            self._memtable.purge(event.stream, version)
            self._textless.add(self._rows[event.stream][version - 1][1])
        stream = self._log.stream(self._workspace, event.stream)
        return memory_versions([one for one in stream if one.version <= event.version])[-1]

    def _add(self, event: RecordedEvent, state: MemoryState) -> None:
        row = len(self._positions)
        document = document_of(event, state)
        self._memtable.add(document)
        self._positions.append(event.position)
        self._owners.append(document.private_owner)
        self._private_owners.add(document.private_owner)
        if not document.terms:
            self._textless.add(row)
        self._rows.setdefault(state.id, []).append((event.position, row))

    def _hide(self, state: MemoryState) -> None:
        if state.forgotten == "application_delete":
            self._memtable.purge(state.id)
        else:
            self._memtable.bury(state.id)
        self._textless.update(row for _, row in self._rows[state.id])


class Memtables:
    """The indexes of the workspaces that were asked last. Safe to share between threads.

    No lock is held while an index reads the log but that index's own.
    """

    def __init__(self, log: LogReader, limit: int = WORKSPACES_MAX) -> None:
        self._log = log
        self._limit = limit
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, WorkspaceIndex] = OrderedDict()

    def of(self, workspace: str) -> WorkspaceIndex:
        """The index of a workspace; `follow` brings it up to a position."""
        with self._lock:
            index = self._indexes.get(workspace)
            if index is None:
                index = self._indexes[workspace] = WorkspaceIndex(self._log, workspace)
            self._indexes.move_to_end(workspace)
            while len(self._indexes) > self._limit:
                self._indexes.popitem(last=False)
            return index

    def let_go(self, workspace: str, position: int, seconds: float) -> None:
        """Keep nothing of what was forgotten in a workspace by a position.

        Its index follows the log that far; one that cannot in time is dropped, and built anew for
        the next question. A workspace that nobody asked has none.
        """
        with self._lock:
            index = self._indexes.get(workspace)
        if index is not None and index.follow(position, Deadline.after(seconds)) < position:
            with self._lock:
                self._indexes.pop(workspace, None)
