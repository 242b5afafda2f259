"""A worker that asks the extractor: the write side beside what it follows the log with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from ops.extraction.chat import Model
from ops.extraction.places import by_workers, job_seconds
from ops.settings import ServerMode
from workers.doorbell import EXTRACTION_QUEUE, QUEUE, Doorbell, Rung
from workers.site import Site
from workers.sweeper import Periodic
from workers.waiting_windows import waiting_windows

LOOK_SECONDS: Final = 5.0
"""How often a sweep looks for windows whose job was lost."""
RUNG_MAX: Final = 100
"""Of them, how many are woken for in one sweep."""


def queues_for(named: Sequence[str], model: Model | None) -> list[str]:
    """The queues of a worker: those that were named, else all that it has the settings for."""
    everything = [QUEUE] if model is None else [QUEUE, EXTRACTION_QUEUE]
    return list(named) or everything


@contextmanager
def extracting(
    mode: ServerMode,
    model: Model | None,
    queues: Sequence[str],
    index_root: Path | None,
    ending: threading.Event,
) -> Iterator[Callable[[str, str], None] | None]:
    """What asks the extractor about a window, for a worker of that queue; None for another one.

    What is being asked is given up once `ending` is set.
    """
    if model is None or EXTRACTION_QUEUE not in queues:
        yield None
        return
    # Imported on use: a worker that asks nobody starts without the write side.
    from ops.wiring import open_server

    extraction = by_workers(model, ending)
    with closing(open_server(mode, None, index_root=index_root, extraction=extraction)) as opened:
        if opened.extracting is None:
            raise AssertionError("a store that is opened with an extraction has it")
        yield opened.extracting.extract


def waking(site: Site, doorbell: Doorbell, model: Model | None) -> list[Periodic]:
    """What a sweeper does for windows that wait; while Redis is away they wait on."""
    if model is None:
        return []
    seconds = job_seconds(model)

    def ring() -> None:
        for workspace, window_id in waiting_windows(site.views, RUNG_MAX):
            if doorbell.ring_for_extraction(workspace, window_id, seconds) is Rung.AWAY:
                return

    return [Periodic("waking for extraction", LOOK_SECONDS, ring)]
