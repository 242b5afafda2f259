"""The index of the embedded mode: two threads of the server that make and merge segments."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Final

from workers.index_rounds import IndexRounds

LOG: Final = logging.getLogger("memoranda.index")
EVERY_SECONDS: Final = 1.0
TIDY_SECONDS: Final = 600.0


class IndexKeeper:
    """Makes segments of what is new, and merges them, each on a thread of its own.

    So a long merge holds up no segment, and neither any command. Nobody else may have the folder.
    All methods may be called from any thread.
    """

    def __init__(self, rounds: IndexRounds, every_seconds: float = EVERY_SECONDS) -> None:
        self._rounds = rounds
        self._every_seconds = every_seconds
        self._changed = threading.Condition()
        self._stopping = False
        self._grown: set[str] = set()
        self._failing: dict[str, str] = {}
        self._tidied_at: float | None = None
        self._threads = [
            threading.Thread(target=self._make, name="index", daemon=True),
            threading.Thread(target=self._merge, name="index-merging", daemon=True),
        ]

    @property
    def failing(self) -> str | None:
        """The name of the error that the last round ended with; None while all is well."""
        return next(iter(self._failing.copy().values()), None)

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End soon: what is half written is given up."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def _stopped(self) -> bool:
        return self._stopping

    def _make(self) -> None:
        while not self._stopping:
            self._attempt("index", self._round)
            with self._changed:
                self._changed.wait_for(lambda: self._stopping, self._every_seconds)

    def _round(self) -> None:
        self._tidy()
        for workspace in self._rounds.due():
            if self._stopping:
                return
            self._rounds.work(workspace, self._stopped)
            with self._changed:
                self._grown.add(workspace)
                self._changed.notify_all()

    def _tidy(self) -> None:
        first = self._tidied_at is None
        if first or time.monotonic() >= (self._tidied_at or 0) + TIDY_SECONDS:
            self._rounds.tidy(alone=first)
            self._tidied_at = time.monotonic()
            if first:
                with self._changed:
                    self._grown.update(self._rounds.compactable())
                    self._changed.notify_all()

    def _merge(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping or self._grown)
                if self._stopping:
                    return
                workspace = self._grown.pop()
            self._attempt("merging", lambda: self._rounds.compact(workspace, self._stopped))  # noqa: B023

    def _attempt(self, name: str, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the next round tries again; recall reads the log
            if name not in self._failing:
                LOG.warning("the index on disk is not kept up: %s", type(error).__name__)
            self._failing[name] = type(error).__name__
        else:
            self._failing.pop(name, None)
