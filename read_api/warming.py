"""Building the indexes of the busiest workspaces at the start, before anybody asks.

An index lives in memory and is read off the log; a first recall of a large workspace would wait
for it, or be answered in part.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Final

from sqlalchemy import Engine, func, select

from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.deadlines import Deadline
from read_api.memtables import Memtables

_LOG: Final = logging.getLogger("memoranda.warming")
WORKSPACES_WARMED_MAX: Final = 8
SLICE_SECONDS: Final = 0.1
"""How long the index is worked on before the thread looks whether it should stop."""


class Warmer:
    """One thread that follows the log for the workspaces that were written to last, then ends."""

    def __init__(self, memtables: Memtables, views: Engine, head: Callable[[], int]) -> None:
        self._memtables = memtables
        self._views = views
        self._head = head
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="warming", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End soon; what is built stays."""
        self._stopping.set()
        self._thread.join()

    def wait(self, seconds: float) -> bool:
        """Whether all is built by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            workspaces = self._recent()
        except Exception as fault:  # noqa: BLE001 - whoever asks is told
            _LOG.warning("no index is built before it is asked for: %s", type(fault).__name__)
            return
        for workspace in workspaces:
            try:
                self._warm(workspace)
            except Exception as fault:  # noqa: BLE001 - whoever asks is told
                _LOG.warning("an index cannot be built before it is asked for: %s", fault)

    def _warm(self, workspace: str) -> None:
        index, head = self._memtables.of(workspace), self._head()
        while not self._stopping.is_set():
            if index.follow(head, Deadline.after(SLICE_SECONDS)) >= head:
                return

    def _recent(self) -> list[str]:
        last = func.max(MEMORY_VERSION.c.position)
        query = (
            select(MEMORY_VERSION.c.workspace)
            .group_by(MEMORY_VERSION.c.workspace)
            .order_by(last.desc())
            .limit(WORKSPACES_WARMED_MAX)
        )
        with reading(self._views) as connection:
            return list(connection.scalars(query))
