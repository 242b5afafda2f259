"""Asking, timing and printing for the speed of recall."""

from __future__ import annotations

import copy
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from domain.context import Context
from domain.events import RecallRecorded
from ops.memoranda import Memoranda
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from projections.lexical.memtable import Hit
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.workspace_index import WorkspaceIndex
from tests.benchmarks.speed_data import envelope_of

LIMITS: Final = {
    "max_items": 10,
    "max_depth": 1,
    "max_payload_bytes": 65536,
    "max_cost": 1000,
    "timeout_ms": 60000,
    "supernode_threshold": 100,
}
LATER: Final = 2**60


@dataclass
class Times:
    """Of one work, done again and again: wall and processor (this thread's) seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, work: Callable[[], Any]) -> Any:
        cpu, wall = time.thread_time(), time.perf_counter()
        done = work()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.thread_time() - cpu)
        return done

    def at(self, share: float) -> float:
        """Wall milliseconds that this share of the works stayed within."""
        return _at(self.wall, share)

    def cpu_at(self, share: float) -> float:
        """The same by the processor: what others do meanwhile is not in it."""
        return _at(self.cpu, share)

    def line(self, name: str, target_ms: float | None = None) -> None:
        """Print a row; beside a target for p50 what part of it was taken."""
        target = ""
        if target_ms is not None:
            target = f"   target p50 ≤ {target_ms:g} ms: {self.at(0.5) / target_ms:.2f} x"
        print(
            f"  {name:<58} p50 {self.at(0.5):8.2f}  p95 {self.at(0.95):8.2f} ms"
            f"  cpu p50 {self.cpu_at(0.5):8.2f} ms{target}"
        )


def _at(seconds: Sequence[float], share: float) -> float:
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def recall(memoranda: Memoranda, asking: Context, question: str, **limits: int) -> Any:
    """The result of a recall through the API."""
    return asked(memoranda, asking, {"objective": question}, **limits)


def asked(memoranda: Memoranda, asking: Context, said: dict[str, Any], **limits: int) -> Any:
    whole = {"seed_ids": [], **said, "limits": {**LIMITS, **limits}}
    return memoranda.execute(asking, envelope_of("recall", whole))["result"]["result"]


class _Unrecorded:
    """A recorder that drops what it is given."""

    def record(self, context: Context, recall_id: str, event: RecallRecorded) -> int:
        return 0


def unrecorded(memoranda: Memoranda) -> Memoranda:
    """The same store, but that its recalls leave no event; the product has no such switch."""
    silent = copy.copy(memoranda.recall)
    silent._recorder = _Unrecorded()
    return replace(memoranda, recall=silent)


def in_turn(works: dict[str, Callable[[int], Any]], count: int) -> dict[str, Times]:
    """Each work for each number, in shuffled order, so that all meet the same machine."""
    order, found = random.Random(7), {name: Times() for name in works}
    for number in range(count):
        names = list(works)
        order.shuffle(names)
        for name in names:
            found[name].take(lambda name=name, number=number: works[name](number))
    return found


def look(index: WorkspaceIndex, question: str, limit: int = 10) -> list[Hit]:
    """The matches, from the index alone."""
    basis = Basis(index.position, LATER, "bench")
    asking = Question(query_terms(question), limit, Filters())
    found = index.look(basis, asking, Deadline.after(3600))
    assert not found.stopped
    return found.hits


def resident_bytes() -> int:
    """Of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    """Of this process."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def bytes_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
