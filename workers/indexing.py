"""Making the recall index: segments out of the log, and out of other segments (docs/adr/0025)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.exc import IntegrityError

from domain.envelope import CorruptEventError
from domain.ports import LogReader
from projections import index_changes as changes
from projections import index_manifest as manifest
from projections.index_changes import Advance
from projections.index_manifest import NOTHING, Live, Manifest, Mark, Tip
from projections.lexical.base import Base
from projections.lexical.memtable import Memtable
from projections.lexical.scoring import SearchStopped
from projections.lexical.segment import Segment
from projections.lexical.segment_files import SegmentError
from projections.recall_fold import RecallFold
from projections.records import TOPICS
from workers.index_builds import Build, GivenUpError, SegmentBuilds, never

LOG: Final = logging.getLogger("memoranda.index")
SEGMENT_EVENTS_MAX: Final = 4096
"""Events that one flush takes: what is behind by more is made in several segments."""


@dataclass(frozen=True, slots=True)
class Indexer:
    """Builds segments of any workspace. Safe to share between threads and processes."""

    log: LogReader
    builds: SegmentBuilds

    def flush(self, workspace: str, stop: Callable[[], bool] = never) -> bool:
        """Make a segment of what came since the last one; whether there may be more.

        Returns False also where another one was quicker, and where `stop` said so.
        """
        known = self._usable(workspace)
        try:
            with self.builds.building(workspace) as build:
                fold = RecallFold(
                    self.log, workspace, Memtable(), position=known.position, lost=known.lost
                )
                going = self._read(fold, stop)
                if going is None:
                    return False
                done = self._advance(known, fold, build)
                with self.builds.store.writing() as connection:
                    if not changes.advance(connection, workspace, done):
                        return False
                    build.kept = done.segment is not None
                return going
        except (GivenUpError, SearchStopped, IntegrityError, SegmentError):
            # A SegmentError is of the one that was being made: somebody removed it half way.
            return False

    def purge(self, workspace: str, stop: Callable[[], bool] = never) -> bool:
        """Write segments anew that hold words of what was forgotten; False where one is left."""
        known = self.builds.known(workspace)
        clean = []
        for one in known.dirty():
            try:
                with self.builds.opened(workspace, [one]) as segments:
                    marked = holds_words_of(segments[0], one, known)
            except SegmentError:
                if not self.repair(workspace, one, stop):
                    return False
                continue
            if not marked:
                clean.append(one.name)
            elif not self.merge(workspace, [one], stop):
                return False
        with self.builds.store.writing() as connection:
            changes.settle(connection, workspace, clean, known.version)
        return True

    def merge(
        self, workspace: str, inputs: Sequence[Live], stop: Callable[[], bool] = never
    ) -> bool:
        """Write one segment in the place of neighbours, without what was forgotten by now.

        False where one of them is not there any more, or `stop` said so.
        """
        try:
            with self.builds.opened(workspace, inputs) as segments:

                def merged(known: Manifest) -> Memtable:
                    index = Memtable(Base(segments))
                    apply_marks(index, known, inputs)
                    return index

                return self._put(workspace, inputs, merged, stop)
        except SegmentError:
            return all(self.repair(workspace, one, stop) for one in self._damaged(workspace))

    def repair(self, workspace: str, bad: Live, stop: Callable[[], bool] = never) -> bool:
        """Make a segment that cannot be used anew from the log.

        False for one that is not there any more: who replaced it has removed its files.
        """
        if bad.name not in {one.name for one in self.builds.known(workspace).live}:
            return False
        LOG.warning("a segment of the recall index is damaged, it is made anew from the log")

        def folded(known: Manifest) -> Memtable:
            index = Memtable()
            fold = RecallFold(
                self.log, workspace, index, position=bad.after, lost=known.lost, until=bad.until
            )
            while fold.position < bad.until and fold.read_page(stop):
                if stop():
                    raise SearchStopped
            apply_marks(index, known, [])
            return index

        try:
            return self._put(workspace, [bad], folded, stop)
        except SegmentError:  # of the one that was being made: somebody removed it half way
            return False

    def clear(self, workspace: str, position: int) -> bool:
        """Leave no word in any file of what was forgotten in a workspace by a log position.

        False where that takes longer, because others are at work: try again.
        """
        self.builds.sweep_all(workspace)
        if not self.builds.known(workspace).live:
            return True
        while self.builds.known(workspace).position < position:
            if not self.flush(workspace) and self.builds.known(workspace).position < position:
                return False
        if not self.purge(workspace):
            return False
        self.builds.sweep(workspace, builds=True)
        with self.builds.store.reading() as connection:
            known = manifest.read(connection, workspace)
            left = changes.condemned(connection, workspace)
        return known.position >= position and not known.dirty() and not left

    def check(self, workspace: str) -> int:
        """Look at every byte of the segments, and make anew what is damaged; how many were."""
        damaged = self._damaged(workspace)
        for one in damaged:
            self.repair(workspace, one)
        return len(damaged)

    def _usable(self, workspace: str) -> Manifest:
        """The manifest of a workspace, made empty where it is of another log or format."""
        with self.builds.store.reading() as connection:
            known = manifest.read(connection, workspace)
            unknown = known is NOTHING and manifest.version_of(connection, workspace) > 0
        if not unknown and is_of(self.log, workspace, known.tip):
            return known
        with self.builds.store.writing() as connection:
            changes.reset(connection, workspace)
        return self.builds.known(workspace)

    def _damaged(self, workspace: str) -> list[Live]:
        found = []
        for one in self.builds.known(workspace).live:
            try:
                with self.builds.opened(workspace, [one]):
                    continue
            except SegmentError:
                found.append(one)
        return found

    def _read(self, fold: RecallFold, stop: Callable[[], bool]) -> bool | None:
        """Read on to the head, or as much as one segment takes; None where stopped."""

        def enough() -> bool:
            return fold.events >= SEGMENT_EVENTS_MAX or stop()

        while fold.read_page(enough):
            if stop():
                return None
            if fold.events >= SEGMENT_EVENTS_MAX:
                return True
        return False

    def _advance(self, known: Manifest, fold: RecallFold, build: Build) -> Advance:
        segment = None
        if fold.index.tail:
            segment = build.finished(fold.index, known.position, fold.position)
        return Advance(
            after=known.position,
            until=fold.position,
            tip=fold.tip if fold.events else known.tip,
            segment=segment,
            marks=marks_of(fold),
            damaged=fold.damaged,
            events=fold.events,
        )

    def _put(
        self,
        workspace: str,
        inputs: Sequence[Live],
        make: Callable[[Manifest], Memtable],
        stop: Callable[[], bool],
    ) -> bool:
        """Write what `make` gives, and put it in the place of the inputs."""
        names = [one.name for one in inputs]
        try:
            with self.builds.building(workspace, stop) as build:
                known = self.builds.known(workspace)
                if not set(names) <= {one.name for one in known.live}:
                    # Perhaps they held what was forgotten since: nothing of them is written.
                    raise GivenUpError
                output = build.finished(make(known), inputs[0].after, inputs[-1].until)
                output = replace(output, applied=known.version)
                with self.builds.store.writing() as connection:
                    if not changes.replace(connection, workspace, names, output):
                        return False
                    build.kept = True
        except (GivenUpError, SearchStopped):
            return False
        self.builds.remove(workspace, names)
        return True


def marks_of(fold: RecallFold) -> list[Mark]:
    """What segments may not give any more since the events that were folded."""
    marks = []
    for one in fold.index.dead:
        memory_id, version = (one, None) if isinstance(one, str) else one
        lost = memory_id in fold.lost
        marks.append(Mark(memory_id, version, "lost" if lost else "forgotten"))
    return sorted(marks, key=lambda mark: (mark.memory_id, mark.version or 0))


def apply_marks(index: Memtable, known: Manifest, segments: Sequence[Live]) -> None:
    """Take out of an index what was marked since its segments were written."""
    applied = min((one.applied for one in segments), default=-1)
    index.purge_all((mark.memory_id, mark.version) for mark in known.marks if mark.since > applied)


def holds_words_of(segment: Segment, live: Live, known: Manifest) -> bool:
    """Whether a segment has rows of what is marked that are not without words yet."""
    index = Memtable(Base([segment]))
    before = int(index.gone.sum())
    apply_marks(index, known, [live])
    return int(index.gone.sum()) > before


def is_of(log: LogReader, workspace: str, tip: Tip) -> bool:
    """Whether an index is of this log: the last event that it holds stands there."""
    if not tip.position:
        return True
    with suppress(CorruptEventError):
        found = log.after(tip.position - 1, 1, workspace=workspace, topics=TOPICS)
        return [(event.position, event.name) for event in found] == [(tip.position, tip.name)]
    return True  # damaged since: nobody can say
