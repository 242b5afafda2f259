"""The full-text index of one workspace: its segments, and what the log says since, in memory."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from sqlalchemy.exc import SQLAlchemyError

from domain.ports import LogReader
from domain.visibility import Viewer
from projections.lexical.analyzer import Term
from projections.lexical.base import NO_BASE
from projections.lexical.columns import BoolArray
from projections.lexical.eligibility import Basis, Filters
from projections.lexical.memtable import Hit, Memtable, TermPart
from projections.lexical.scoring import SearchStopped
from projections.lexical.segment_files import SegmentError
from projections.recall_fold import RecallFold
from read_api.deadlines import Deadline
from read_api.lookups import Look, Question
from read_api.segment_source import SegmentSource

LOG: Final = logging.getLogger("memoranda.recall")
LAG_EVENTS_MAX: Final = 5_000
"""Events behind the segments that are kept in memory; what comes later is not seen until there is
another segment (design.md §5). Without segments there is no bound."""
MEMTABLE: Final = "memtable/1"
SEGMENTS: Final = "segments+memtable/1"
_WAIT_SECONDS: Final = 0.02


class WorkspaceIndex:
    """The index of one workspace, as far as it has read the log. Safe to share between threads.

    `segments` is None where this process has no index on disk: all is read from the log then.
    """

    def __init__(
        self, log: LogReader, workspace: str, segments: SegmentSource | None = None
    ) -> None:
        self._log = log
        self._workspace = workspace
        self._segments = segments
        self._lock = threading.Lock()
        self._never = threading.Event()
        self._base = NO_BASE
        self._version = 0
        self._checkpoint = 0
        self._whole = segments is not None
        self._bad: set[str] = set()
        self._fold = RecallFold(log, workspace, Memtable())

    @property
    def damaged(self) -> Sequence[int]:
        """Positions of events that could not be read; their memories are not answered with."""
        return tuple(self._fold.damaged)

    @property
    def adapter(self) -> str:
        """What answers: the log in memory alone, or segments and what came since."""
        return MEMTABLE if self._segments is None else SEGMENTS

    @property
    def position(self) -> int:
        """Every event of the workspace up to this log position is in the index."""
        return self._fold.position

    @property
    def version(self) -> int:
        """Which state of the index on disk it stands on; 0 for none."""
        return self._version

    def holds_private_of(self, viewer: Viewer) -> bool:
        """Whether anything here is private to who looks, so that its answers may tell of it."""
        return self._fold.index.holds_private_of(viewer)

    def follow(self, position: int, deadline: Deadline) -> int:
        """Read the log up to a position, as far as time allows; the position reached.

        At least one event is read, so that many short questions get there too. Between two pages
        others may look. Segments that are new take the place of what is in memory.
        """
        going = True
        with self._locked(deadline) as held:
            if held:
                self._refresh()
        while going and self._fold.position < position:
            if self._is_full():
                going = self._wait(deadline)
                continue
            with self._locked(deadline) as held:
                going = held and self._fold.read_page(deadline.expired) and not deadline.expired()
        return self._fold.position

    def is_current(self) -> bool:
        """Whether it stands on the newest segments, and on none that were replaced."""
        try:
            return self._segments is None or self._segments.version(self._workspace) == self.version
        except SQLAlchemyError:
            return False

    def look(self, basis: Basis, question: Question, deadline: Deadline) -> Look:
        """The matches of a question among the eligible memories."""
        nothing = np.zeros(0, dtype=np.bool_)
        eligible = preferred = nothing
        hits: list[Hit] = []
        stopped = True
        index = self._fold.index
        with self._locked(deadline) as held:
            while held and stopped and self._fold.position >= basis.position:
                index = self._fold.index
                eligible = index.eligible(basis, question.filters)
                if question.without:
                    eligible = eligible & ~index.rows_of(question.without, basis.position)
                if question.prefer_repo is not None:
                    of_repo = Filters(repo=question.prefer_repo)
                    preferred = eligible & index.eligible(basis, of_repo)
                try:
                    hits = index.search(question.terms, eligible, question.limit, deadline.expired)
                    stopped = False
                except SearchStopped:
                    break
                except SegmentError as damage:
                    self._read_instead(damage, basis.position, deadline)

        def row_at(memory_id: str) -> int | None:
            rows = index.places.rows_at(memory_id, basis.position)
            # Of a memory with stand-ins that of who answers.
            standing = (row for row in rows if row < len(eligible) and eligible[row])
            return next(standing, rows[0] if rows else None)

        def explain(some: Sequence[Hit], until: Deadline) -> list[list[TermPart]] | None:
            return self._explained(index, question.terms, eligible, some, until)

        return Look(row_at, eligible, preferred, hits, explain=explain, stopped=stopped)

    def _explained(
        self,
        index: Memtable,
        terms: Sequence[Term],
        mask: BoolArray,
        hits: Sequence[Hit],
        deadline: Deadline,
    ) -> list[list[TermPart]] | None:
        """What the scores of a look are made of, by the index and the rows that it was made of.

        Without what was forgotten since: the parts of a score that it had moved are another sum.
        """
        with self._locked(deadline) as held:
            if not held:
                return None
            grown = len(index.places) - len(mask)
            there = np.pad(mask, (0, grown)) & ~index.gone
            try:
                return index.explain(hits, terms, there, deadline.expired)
            except (SearchStopped, SegmentError):
                return None

    def crowded(
        self, basis: Basis, filters: Filters, also: Collection[str], deadline: Deadline
    ) -> list[str] | None:
        """The eligible memories that share their slot, or have one of `also`; None: time is up."""
        with self._locked(deadline) as held:
            if not held or self._fold.position < basis.position or deadline.expired():
                return None
            index = self._fold.index
            return index.ids(index.sharing_a_slot(index.eligible(basis, filters), also))

    def ineligible(
        self,
        basis: Basis,
        terms: Sequence[Term],
        deadline: Deadline,
        losers: Collection[str] = frozenset(),
    ) -> list[Hit]:
        """The versions known at the basis that match, may be seen, and are no answer; best first.

        `losers` are eligible memories that are no answer all the same.
        Versions of forgotten memories are left out: that they match would tell of their text.
        Empty where time is up.
        """
        with self._locked(deadline) as held:
            while held and self._fold.position >= basis.position:
                index = self._fold.index
                mask: BoolArray = index.readable(basis) & ~index.eligible(basis, Filters())
                mask[index.places.stand_in_rows] = False
                mask |= index.rows_of(losers, basis.position)
                try:
                    return index.search(terms, mask, None, deadline.expired)
                except SearchStopped:
                    break
                except SegmentError as damage:
                    self._read_instead(damage, basis.position, deadline)
        return []

    @contextmanager
    def _locked(self, deadline: Deadline) -> Iterator[bool]:
        held = self._lock.acquire(timeout=deadline.remaining_s())
        try:
            yield held
        finally:
            if held:
                self._lock.release()

    def _is_full(self) -> bool:
        """Segments that cannot be used are made up for from the log, however long that takes."""
        return self._whole and self._fold.index.tail >= LAG_EVENTS_MAX

    def _wait(self, deadline: Deadline) -> bool:
        """For somebody to write a segment; False when time is up."""
        self._never.wait(min(_WAIT_SECONDS, deadline.remaining_s()))
        with self._locked(deadline) as held:
            if held:
                self._refresh()
        return not deadline.expired()

    def _refresh(self, *, anyway: bool = False) -> None:
        """Stand on the newest segments; the tail moves to them, without what they hold now."""
        if self._segments is None:
            return
        try:
            if self._segments.version(self._workspace) == self._version and not anyway:
                return
            there = {one.name: one for one in self._base.segments}
            loaded = self._segments.load(self._workspace, there, self._bad)
        except SQLAlchemyError as error:
            LOG.warning("the manifest of the index cannot be read: %s", type(error).__name__)
            return
        index = Memtable(loaded.base)
        index.purge_all((mark.memory_id, mark.version) for mark in loaded.marks)
        if loaded.position >= self._checkpoint:
            self._fold = self._fold.moved_to(index, loaded.position, loaded.lost, loaded.damaged)
        else:
            self._fold = RecallFold(
                self._log,
                self._workspace,
                index,
                position=loaded.position,
                lost=loaded.lost,
                damaged=loaded.damaged,
            )
        self._base, self._version = loaded.base, loaded.version
        self._checkpoint, self._whole = loaded.position, loaded.whole

    def _read_instead(self, damage: SegmentError, position: int, deadline: Deadline) -> None:
        """A segment broke while it was read: it, and all behind it, is read from the log again."""
        self._bad.add(damage.name)
        self._refresh(anyway=True)
        while self._fold.position < position and not self._is_full():
            if not self._fold.read_page(deadline.expired) or deadline.expired():
                break
