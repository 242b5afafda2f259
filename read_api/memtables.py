"""The full-text indexes of the workspaces, each following the log by itself.

They read the log and no read model, so that a memory can be recalled as soon as its receipt is
given (design.md §5). What is on disk of them saves reading the log from its beginning.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Final

from domain.ports import LogReader
from read_api.deadlines import Deadline
from read_api.segment_source import SegmentSource
from read_api.workspace_index import WorkspaceIndex

WORKSPACES_MAX: Final = 64
"""Workspaces whose index a process keeps; the one that was unused for longest is dropped."""


class Memtables:
    """The indexes of the workspaces that were asked last. Safe to share between threads.

    No lock is held while an index reads the log but that index's own.
    """

    def __init__(
        self,
        log: LogReader,
        limit: int = WORKSPACES_MAX,
        segments: SegmentSource | None = None,
    ) -> None:
        self._log = log
        self._limit = limit
        self._segments = segments
        self._lock = threading.Lock()
        self._indexes: OrderedDict[str, WorkspaceIndex] = OrderedDict()

    def of(self, workspace: str) -> WorkspaceIndex:
        """The index of a workspace; `follow` brings it up to a position."""
        with self._lock:
            index = self._indexes.get(workspace)
            if index is None:
                index = WorkspaceIndex(self._log, workspace, self._segments)
                self._indexes[workspace] = index
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
        if index is None:
            return
        reached = index.follow(position, Deadline.after(seconds))
        if reached < position or not index.is_current():
            with self._lock:
                self._indexes.pop(workspace, None)
