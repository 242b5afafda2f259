"""The recall index at work: how fast it is made and merged, and a thousand merges under readers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ops.memoranda import Memoranda
from ops.recall_index import over
from projections.index_store import IndexStore, open_manifest
from tests.benchmarks.common import envelope
from tests.benchmarks.speed_asking import Times, open_files, recall, resident_bytes
from tests.benchmarks.speed_data import Stored, Texts, envelope_of, load, settle, within

READERS: Final = 2
BEGIN: Final = 100
ANCHORS: Final = 10
ANCHOR: Final = "xanchorx"
"""Memories that readers ask for, of so many that are there while segments are merged."""


def bench_making(memoranda: Memoranda, stored: Stored, folder: Path) -> None:
    """The index of one workspace made once more from the log, by one thread, then merged."""
    workspace, memories = stored.workspaces[0], len(stored.texts)
    engine = open_manifest(folder / "second.db")
    rounds = over(
        IndexStore(engine), folder / "second", memoranda.log, lambda *_: [], _Clock()
    ).rounds
    assert rounds is not None
    print(f" the index of {memories:,} memories made anew")

    def flush() -> None:
        while rounds.indexer.flush(workspace):
            pass

    _rate("segments out of the log", memories, flush)
    live = rounds.indexer.builds.known(workspace).live
    print(
        f"   {len(live)} segments, {sum(one.bytes for one in live) / memories:,.0f} bytes a memory"
    )
    _rate("merged as far as is due", memories, lambda: rounds.compact(workspace))
    live = rounds.indexer.builds.known(workspace).live
    if sum(one.documents for one in live) <= 50_000:
        _rate("merged into one", memories, lambda: rounds.indexer.merge(workspace, live))
    engine.dispose()


def _rate(name: str, memories: int, work: Callable[[], Any]) -> None:
    times = Times()
    times.take(work)
    wall, cpu = times.wall[0], times.cpu[0]
    print(
        f"  {name:<58} {memories / wall:12,.0f} a second, "
        f"{cpu * 1000 / memories:.2f} ms of the processor each"
    )


class _Clock:
    def now_us(self) -> int:
        return time.time_ns() // 1000


def bench_compactions(memoranda: Memoranda, texts: Texts, count: int) -> None:
    """Merge again and again what two readers read; files, memory and answers stay as they are."""
    stored = load(memoranda.execute_each, texts, BEGIN, 1)
    settle(memoranda, stored.workspaces)
    workspace = stored.workspaces[0]
    reading = _Readers(memoranda, workspace, texts)
    rounds = memoranda.index.rounds
    assert rounds is not None
    merged, done, start = Times(), 0, time.perf_counter()
    marks: list[tuple[int, int, int]] = []
    reading.start()
    while done < count and not reading.wrong:
        _write_and_forget(memoranda, workspace, texts)
        rounds.indexer.flush(workspace)
        live = rounds.indexer.builds.known(workspace).live
        done += merged.take(lambda live=live: rounds.indexer.merge(workspace, live))
        if done in {count // 10, count // 2, count} and (not marks or marks[-1][0] < done):
            marks.append((done, reading.files, resident_bytes()))
    reading.stop()
    took = time.perf_counter() - start
    print(f" {done:,} merges under {READERS} readers in {took:.0f} s")
    merged.line("a merge")
    reading.times.line(f"a recall ({len(reading.times.wall):,} x)")
    for at, files, resident in marks:
        print(
            f"  after {at:>6,}: {files:>4} open files at most, {resident / 2**20:,.0f} MiB resident"
        )
    directories = len(rounds.indexer.builds.folder.names(workspace))
    wrong = f"{len(reading.wrong)} {reading.wrong[:1]}"
    print(f"  directories left: {directories}; wrong answers: {wrong}")


def _write_and_forget(memoranda: Memoranda, workspace: str, texts: Texts) -> None:
    who = within(workspace)
    said = memoranda.execute(who, envelope(texts.sentence()))["result"]["result"]
    forget = {"memory_id": said["record"]["id"], "mode": "tombstone", "reason": "to measure"}
    memoranda.execute(who, envelope_of("forget", forget))


class _Readers:
    """Threads that ask for what is always there, and note every answer that is not whole."""

    def __init__(self, memoranda: Memoranda, workspace: str, texts: Texts) -> None:
        self._memoranda = memoranda
        self._workspace = workspace
        who = within(workspace)
        for _ in range(ANCHORS):
            memoranda.execute(who, envelope(f"{ANCHOR} {texts.sentence()}"))
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(READERS)]
        self.times = Times()
        self.files = 0
        self.wrong: list[str] = []

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                answer = self.times.take(
                    lambda: recall(self._memoranda, within(self._workspace), ANCHOR, max_items=20)
                )
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a wrong answer
                self.wrong.append(repr(error))
                continue
            if len(answer["items"]) != ANCHORS or not answer["completeness"]["complete"]:
                self.wrong.append(str(answer["completeness"]))
            self.files = max(self.files, open_files())
