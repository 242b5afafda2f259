"""Which questions are being answered: so that one can wait for those that were asked before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Underway:
    """Counts questions in and out. Safe to share between threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._asked = 0
        self._open: set[int] = set()

    @contextmanager
    def question(self) -> Iterator[None]:
        """A question is underway for the time of the block."""
        with self._changed:
            self._asked += 1
            number = self._asked
            self._open.add(number)
        try:
            yield
        finally:
            with self._changed:
                self._open.discard(number)
                self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until all questions that were asked before this call are answered; False in time."""
        with self._changed:
            last = self._asked
            return self._changed.wait_for(
                lambda: not any(number <= last for number in self._open), seconds
            )
