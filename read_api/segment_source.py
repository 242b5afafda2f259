"""The segments of workspaces as their manifest names them, opened for one index at a time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from projections import index_manifest, index_news
from projections.index_folder import IndexFolder
from projections.index_manifest import Manifest, Mark
from projections.index_store import IndexStore
from projections.lexical.base import Base
from projections.lexical.segment import Segment
from projections.lexical.segment_files import SegmentError

LOG: Final = logging.getLogger("memoranda.recall")
TRIES: Final = 5
"""How often a manifest is read whose segments are replaced while they are being opened."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The usable segments of a workspace, in order; everything up to `position` is in them.

    `whole`: all segments can be used, and there are none of others. `marks` are what they still
    hold and nobody may be given; `lost` and `damaged` are told by events up to the position.
    """

    version: int
    position: int
    whole: bool
    base: Base
    marks: tuple[Mark, ...]
    lost: Collection[str]
    damaged: Collection[int]


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """Opens segments. Safe to share between threads; what it opens is not.

    Of a workspace of which a segment cannot be used the manifest is told, and so who makes them.
    """

    store: IndexStore
    folder: IndexFolder
    is_of: Callable[[str, index_manifest.Tip], bool]

    def version(self, workspace: str) -> int:
        """The version of a workspace's index; another one means other segments."""
        with self.store.reading() as connection:
            return index_manifest.version_of(connection, workspace)

    def load(
        self, workspace: str, there: Mapping[str, Segment], bad: Collection[str] = ()
    ) -> Loaded:
        """Open the segments, but for those that are `there`, up to one that cannot be used.

        What comes behind that one is read from the log again: an index has no holes.
        """
        known, ours = self._manifest(workspace)
        for _ in range(TRIES):
            usable = self._opened(workspace, known, there, bad)
            if len(usable) == len(known.live):
                break
            again, ours = self._manifest(workspace)
            if again.version == known.version:
                LOG.warning("a segment of the recall index cannot be used: the log is read instead")
                self._tell(workspace)
                break
            known = again
        whole = len(usable) == len(known.live)
        position = known.position if whole else known.live[len(usable)].after
        applied = min((one.applied for one in known.live), default=known.version)
        return Loaded(
            version=known.version,
            position=position,
            whole=whole and ours,
            base=Base(usable),
            marks=tuple(mark for mark in known.marks if mark.since > applied),
            lost=known.lost,
            damaged=[damage for damage in known.damaged if damage <= position],
        )

    def _manifest(self, workspace: str) -> tuple[Manifest, bool]:
        """What there is, nothing of it that cannot be used; False where it is not ours.

        It is not where another program made it, or of another log. Whoever makes segments begins
        anew then; until it has, all is read from the log.
        """
        with self.store.reading() as connection:
            known = index_manifest.read(connection, workspace)
            version = index_manifest.version_of(connection, workspace)
        if version != known.version:
            LOG.warning("the recall index was made by another program, and is not used")
        elif known.live and not self.is_of(workspace, known.tip):
            LOG.warning("the recall index is of another log, and is not used")
            self._tell(workspace)
        else:
            return known, True
        return replace(index_manifest.NOTHING, version=version), False

    def _tell(self, workspace: str) -> None:
        """Whoever makes segments looks at those of a workspace."""
        with self.store.writing() as connection:
            index_news.suspect(connection, workspace, found=True)

    def _opened(
        self,
        workspace: str,
        known: Manifest,
        there: Mapping[str, Segment],
        bad: Collection[str],
    ) -> list[Segment]:
        usable: list[Segment] = []
        for one in known.live:
            if one.name in bad:
                break
            segment = there.get(one.name)
            if segment is None:
                try:
                    path = self.folder.segment(workspace, one.name)
                    segment = Segment.open(path, one.digest)
                except SegmentError:
                    break
            usable.append(segment)
        return usable
