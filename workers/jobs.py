"""The job that workers run: catch up with one part of the log (design.md §4).

A worker process says once, with `serve`, what it follows the log with. Jobs are functions of this
module, called by name; what they are told are names and numbers, and what they raise holds no more.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from projections.checkpoints import BusyError
from workers import catch_up as following
from workers.catch_up import never
from workers.doorbell import Doorbell, label
from workers.index_rounds import IndexRounds
from workers.site import Site

LOG: Final = logging.getLogger("memoranda.worker")
BUDGET_SECONDS: Final = 10.0
"""How long a job goes on; then it queues another one, so that no part holds up the others."""


class JobFailedError(Exception):
    """A job could not go on. It names the class of the error alone: its text may quote content."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a worker process does its jobs."""

    site: Site
    doorbell: Doorbell
    stopping: Callable[[], bool] = never
    budget_seconds: float = BUDGET_SECONDS
    index: IndexRounds | None = None
    """None for a worker without the folder of the recall index."""
    extract: Callable[[str, str], None] | None = None
    """Asks the extractor about a window of a workspace; None for a worker without one."""


class _Process:
    """What the process was told at its start."""

    bench: Bench | None = None


def serve(bench: Bench) -> None:
    """Do the jobs of this process there from now on."""
    _Process.bench = bench


def catch_up(projection: str, part: int) -> None:
    """Follow the log with a projection (`records/2`) in a part, to its head or for a while.

    Another worker that is at work on it sees what was appended meanwhile, so there is nothing to
    do then. An unknown projection is one of another program, whose own workers do it.
    """
    bench = _Process.bench
    if bench is None:
        raise JobFailedError("this process has no log: start it with `memoranda worker`")
    bench.doorbell.take(projection, part)
    wanted = [one for one in bench.site.catalogue if label(one) == projection]
    end = time.monotonic() + bench.budget_seconds

    def enough() -> bool:
        return time.monotonic() >= end or bench.stopping()

    for one in wanted:
        try:
            following.catch_up(one, part, bench.site.log, bench.site.views, stop=enough)
        except BusyError:
            continue
        except Exception as error:  # noqa: BLE001 - its text must not reach Redis or the log
            LOG.warning("%s, part %d: %s", projection, part, type(error).__name__)
            raise JobFailedError(f"{projection}, part {part}: {type(error).__name__}") from None
        if enough():
            bench.doorbell.ring(one, part)


def make_segments() -> None:
    """Make the segments of the recall index that are due; those who merge them are woken."""
    _index("making", lambda index, stop: index.work_off(stop))


def merge_segments() -> None:
    """Merge segments of the recall index where there are many."""
    _index("merging", lambda index, stop: index.compact_all(stop))


def extract(workspace: str, window_id: str) -> None:
    """Ask the extractor about a window; where it does not wait any more there is nothing to do."""
    bench = _Process.bench
    if bench is None or bench.extract is None:
        raise JobFailedError("this worker has no extractor: start it with MEMORANDA_EXTRACTOR")
    try:
        with bench.doorbell.extracting(workspace, window_id):
            bench.extract(workspace, window_id)
    except Exception as error:  # noqa: BLE001 - its text must reach neither Redis nor the log
        said = f"extracting {window_id}: {type(error).__name__}"
        if bench.stopping():
            # Given up, and no failure: the next worker may take it at once.
            bench.doorbell.extracted(workspace, window_id)
        else:
            LOG.warning(said)
        raise JobFailedError(said) from None
    bench.doorbell.extracted(workspace, window_id)


def _index(work: str, do: Callable[[IndexRounds, Callable[[], bool]], bool]) -> None:
    bench = _Process.bench
    if bench is None:
        raise JobFailedError("this process has no log: start it with `memoranda worker`")
    bench.doorbell.take_for_index(work)
    if bench.index is None:
        # Another worker of the queue has the folder; the sweeper of that one rings again.
        return
    try:
        done = do(bench.index, bench.stopping)
    except Exception as error:  # noqa: BLE001 - its text must reach neither Redis nor the log
        said = f"{work} segments: {type(error).__name__}"
        LOG.warning(said)
        raise JobFailedError(said) from None
    if done and work == "making":
        bench.doorbell.ring_for_index("merging")
