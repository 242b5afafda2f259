"""The recall index on disk, as a process has it: with the folder, or only with the manifest."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from commands.erasure_steps import NotYetError
from domain.ports import Clock, LogReader
from ops.data_folder import DataFolder
from projections import index_changes as changes
from projections import index_manifest as manifest
from projections import index_news as news
from projections.index_folder import IndexFolder
from projections.index_store import IndexStore, open_manifest
from read_api.segment_source import SegmentSource
from workers.index_builds import SegmentBuilds
from workers.index_rounds import Grown, IndexRounds
from workers.indexing import Indexer, is_of

LOG: Final = logging.getLogger("memoranda.index")
SUBFOLDER: Final = "recall-index"
"""Of the folder that is named in the settings: what else is in that one is not ours."""


@dataclass(frozen=True, slots=True)
class RecallIndex:
    """The manifest, and what works on the folder; None where this process cannot have it."""

    store: IndexStore
    rounds: IndexRounds | None

    def source(self) -> SegmentSource | None:
        """What recall opens its segments with; None without the folder."""
        if self.rounds is None:
            return None
        indexer = self.rounds.indexer
        log = indexer.log
        return SegmentSource(
            self.store,
            indexer.builds.folder,
            lambda workspace, tip: is_of(log, workspace, tip),
        )

    def clear(self, forgotten: Mapping[str, int]) -> None:
        """Leave no word in any file of what was forgotten in workspaces by log positions.

        Without the folder it waits for those who have it. Raises NotYetError.
        """
        for workspace, position in forgotten.items():
            if self.rounds is not None:
                cleared = self.rounds.indexer.clear(workspace, position)
            else:
                cleared = self._is_clear(workspace, position)
            if not cleared:
                raise NotYetError("the recall index on disk still holds what was forgotten")

    def _is_clear(self, workspace: str, position: int) -> bool:
        with self.store.reading() as connection:
            known = manifest.read(connection, workspace)
            version = manifest.version_of(connection, workspace)
            going = changes.unfinished(connection, workspace)
            left = changes.condemned(connection, workspace)
        if going or left or version != known.version:
            # Made or removed just now, or another program's: what it holds nobody here says.
            return False
        return not known.live or (known.position >= position and not known.dirty())


def begin_anew(store: IndexStore) -> None:
    """Throw the index of every workspace away; whoever keeps it makes it from the log."""
    with store.writing() as connection:
        for workspace in news.workspaces(connection):
            changes.reset(connection, workspace)


def open_beside(
    data: DataFolder,
    root: Path | None,
    log: LogReader,
    grown: Grown,
    clock: Clock,
    opened: ExitStack,
) -> RecallIndex:
    """The index of the embedded mode: a manifest in the data folder, and a folder.

    Without a root that is one in the data folder, which is made with the first segment.
    """
    engine = open_manifest(data.manifest)
    opened.callback(engine.dispose)
    store = IndexStore(engine)
    if root is not None:
        return over(store, root, log, grown, clock)
    return _made_with(store, IndexFolder(data.index), log, grown, clock)


def over(
    store: IndexStore, root: Path | None, log: LogReader, grown: Grown, clock: Clock
) -> RecallIndex:
    """The index over a manifest; the root is None for a process without the folder.

    One that cannot be written is told; recall reads the log then.
    """
    if root is None:
        return RecallIndex(store, None)
    try:
        folder = IndexFolder.open(root / SUBFOLDER)
    except OSError as error:
        LOG.warning(
            "the folder of the recall index cannot be used (%s): recall reads the log instead. "
            "Make it writable, or name another in MEMORANDA_INDEX_DIR",
            error.strerror or type(error).__name__,
        )
        return RecallIndex(store, None)
    return _made_with(store, folder, log, grown, clock)


def _made_with(
    store: IndexStore, folder: IndexFolder, log: LogReader, grown: Grown, clock: Clock
) -> RecallIndex:
    builds = SegmentBuilds(store, folder, clock.now_us)
    return RecallIndex(store, IndexRounds(Indexer(log, builds), grown))
