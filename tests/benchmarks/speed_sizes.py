"""Recall at one size: warm, cold, in bytes; the store stays for the other measurements."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from ops.memoranda import Memoranda
from read_api.deadlines import Deadline
from read_api.memtables import Memtables
from tests.benchmarks.speed_asking import Times, bytes_of, in_turn, look, median, recall, unrecorded
from tests.benchmarks.speed_data import Stored, Texts

TARGETS_MS: Final = {100_000: 15.0, 1_000_000: 40.0}
"""Of a whole recall, recorded, depth 1 (design.md §9)."""
FAR: Final = Deadline.after(86_400)
OPENINGS: Final = 3
FROM_LOG_MAX: Final = 100_000
"""Above so many memories the index is not read from the log again and again: it takes minutes."""


def bench_warm(memoranda: Memoranda, stored: Stored, texts: Texts, asks: int) -> Times:
    """p50 and p95 of recall where everything is open; the row that the target is about."""
    memories = len(stored.texts)
    questions = texts.questions[:asks]
    silent = unrecorded(memoranda)
    index = memoranda.memtables.of(stored.workspaces[0])
    who = stored.asking()
    for question in questions:
        recall(memoranda, who, question)
    main = "depth 1, recorded"
    found = in_turn(
        {
            main: lambda at: recall(memoranda, who, questions[at]),
            "depth 1, not recorded": lambda at: recall(silent, who, questions[at]),
            "depth 3, recorded": lambda at: recall(memoranda, who, questions[at], max_depth=3),
            "no expansion but for one edge (max_cost 1), recorded": lambda at: recall(
                memoranda, who, questions[at], max_cost=1
            ),
            "the index alone": lambda at: look(index, questions[at]),
        },
        len(questions),
    )
    print(f" warm, {len(questions)} claims, limit 10, in turn")
    for name, times in found.items():
        times.line(name, TARGETS_MS.get(memories) if name == main else None)
    return found[main]


def bench_spread(memoranda: Memoranda, stored: Stored, texts: Texts, asks: int) -> None:
    """Many workspaces of one process, of which it keeps 64 indexes open."""
    some = min(asks, len(stored.workspaces))
    first, again, few = Times(), Times(), Times()
    for at in range(some):
        who, question = stored.asking(at), texts.questions[at % len(texts.questions)]
        first.take(lambda who=who, question=question: recall(memoranda, who, question))
        again.take(lambda who=who, question=question: recall(memoranda, who, question))
    for at in range(asks):
        who, question = stored.asking(some - 1 - at % min(some, 50)), texts.questions[at]
        few.take(lambda who=who, question=question: recall(memoranda, who, question))
    print(f" {some} of the workspaces, one after the other; recorded, depth 1")
    first.line("the first question to a workspace")
    again.line("the same question again")
    few.line("over 50 workspaces that are open")


def bench_cold(memoranda: Memoranda, stored: Stored, texts: Texts) -> None:
    """An index that was just opened, and its first question; the index alone."""
    workspace, head = stored.workspaces[0], memoranda.log.head()
    opened, asked, read = Times(), Times(), Times()
    print(" cold, the index alone")
    for at in range(OPENINGS):
        index = Memtables(memoranda.log, segments=memoranda.index.source()).of(workspace)
        opened.take(lambda index=index: index.follow(head, FAR))
        asked.take(lambda index=index, at=at: look(index, texts.questions[at]))
    opened.line(f"opened from segments ({OPENINGS} x)")
    asked.line("its first question, no posting list in memory")
    if len(stored.texts) > FROM_LOG_MAX:
        print("  read from the log: NOT MEASURED at this size")
        return
    plain = Memtables(memoranda.log).of(workspace)
    read.take(lambda: plain.follow(head, FAR))
    read.line("read from the log, without segments (once)")
    warm = look(index, texts.questions[0])
    same = warm == look(plain, texts.questions[0])
    print(f"  segments and log: the same hits and scores: {same}")


def bench_process(folder: Path, stored: Stored, texts: Texts, asks: int) -> None:
    """Processes that open the store, which is closed now: their first answer, and their memory."""
    memories = len(stored.texts)
    said = json.dumps({"workspace": stored.workspaces[0], "questions": texts.questions[:asks]})
    command = [sys.executable, "-m", "tests.benchmarks.speed_opening", str(folder)]
    start = time.perf_counter()
    runs = [
        json.loads(
            subprocess.run(
                command, input=said, text=True, stdout=subprocess.PIPE, check=True
            ).stdout
        )
        for _ in range(OPENINGS)
    ]
    took = time.perf_counter() - start
    print(f" a process of its own, just started ({OPENINGS} x in {took:.1f} s), medians")
    for name, unit in (("open", "ms"), ("first", "ms"), ("second", "ms")):
        value = median(run[name] for run in runs)
        print(f"  {_SAID[name]:<58} {value:12.1f} {unit}")
    before, idle, used = (median(run[name] for run in runs) for name in ("rss", "held", "used"))
    print(
        f"  resident: {before / 2**20:,.0f} MiB when open, {idle / 2**20:,.0f} after one answer, "
        f"{used / 2**20:,.0f} after {asks}: {(used - before) / memories:,.0f} bytes a memory"
    )
    parts = {
        "log and keys": [folder / "log.db", folder / "keys.db"],
        "read models": [folder / "views.db"],
    }
    sizes = {
        name: sum(file.stat().st_size for file in files if file.exists())
        for name, files in parts.items()
    }
    sizes["index"] = bytes_of(folder / "index")
    said_sizes = ", ".join(f"{name} {size / memories:,.0f}" for name, size in sizes.items())
    print(f"  disk, bytes a memory: {said_sizes}; whole folder {bytes_of(folder) / memories:,.0f}")


_SAID: Final = {
    "open": "opening the store",
    "first": "its first answer",
    "second": "the same question again",
}
