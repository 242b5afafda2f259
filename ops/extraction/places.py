"""Where waiting windows are extracted: in this process, by workers, or by whoever serves later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from ops.extraction.chat import ChatExtractor, Model
from ops.storage import Storage
from workers.doorbell import Doorbell
from workers.extraction_pool import ExtractionPool, Waiting, Work
from workers.waiting_windows import waiting_windows

SETTLING_SECONDS: Final = 30.0
"""What a worker needs for a window beside the model."""


class Place(Protocol):
    """Who is told of waiting windows."""

    def wake(self, workspace: str, window_id: str) -> None:
        """A window waits."""
        ...

    def start(self, work: Work, waiting: Waiting) -> None:
        """Begin to work on them, if it is done here."""
        ...

    def stop(self) -> None:
        """End soon."""
        ...

    def rest(self, seconds: float) -> bool:
        """Wait between two tries; True where this ends."""
        ...

    def stopping(self) -> bool:
        """Whether this ends."""
        ...


class Later:
    """A command that ends at once: its windows wait for the next server."""

    def wake(self, workspace: str, window_id: str) -> None:
        """Nobody is there."""

    def start(self, work: Work, waiting: Waiting) -> None:
        """Nothing is done here."""

    def stop(self) -> None:
        """Nothing was begun."""

    def rest(self, seconds: float) -> bool:
        return True

    def stopping(self) -> bool:
        return True


class ByWorkers(Later):
    """The server mode: a job for each window; in the worker that does it `stopping` is its own."""

    def __init__(self, doorbell: Doorbell, seconds: int, ending: threading.Event) -> None:
        self._doorbell = doorbell
        self._seconds = seconds
        self._ending = ending

    def wake(self, workspace: str, window_id: str) -> None:
        self._doorbell.ring_for_extraction(workspace, window_id, self._seconds)

    def rest(self, seconds: float) -> bool:
        return self._ending.wait(seconds)

    def stopping(self) -> bool:
        return self._ending.is_set()


@dataclass(frozen=True, slots=True)
class Extraction:
    """A model, and where it is asked."""

    model: Model
    place_over: Callable[[Storage], Place]

    def extractor(self, place: Place) -> ChatExtractor:
        """Who proposes; it gives up when the place ends."""
        return ChatExtractor(self.model, place.rest, place.stopping)


def in_process(model: Model | None) -> Extraction | None:
    """By threads of an embedded store."""
    return None if model is None else Extraction(model, lambda _: ExtractionPool())


def later(model: Model | None) -> Extraction | None:
    """By whoever serves the store next."""
    return None if model is None else Extraction(model, lambda _: Later())


def by_workers(model: Model | None, ending: threading.Event | None = None) -> Extraction | None:
    """By workers that take jobs; `ending` is set in a worker that is told to stop."""
    if model is None:
        return None

    def place_over(on: Storage) -> Place:
        if on.doorbell is None:
            raise AssertionError("only the server mode has workers elsewhere")
        return ByWorkers(on.doorbell, job_seconds(model), ending or threading.Event())

    return Extraction(model, place_over)


def job_seconds(model: Model) -> int:
    """How long a job for one window may take."""
    return int(model.seconds_max + SETTLING_SECONDS)


def waiting_on(on: Storage) -> Waiting:
    """What the read model knows to wait; there may be more until it has seen today's log."""
    head = on.log.head()

    def waiting(most: int) -> tuple[list[tuple[str, str]], bool]:
        seen_all = on.following.position() >= head
        found = waiting_windows(on.views, most)
        return found, len(found) >= most or not seen_all

    return waiting
