"""What the core costs, as ratios against plain sqlite3 in the same run: `make bench-core`.

Prints a table; asserts nothing. Single caller and raw INSERT+COMMIT alternate command by command,
so that both meet the same disk. Options: --commands N, --memories N,N, --recalls N.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.benchmarks.common import (
    TextMaker,
    alone,
    content,
    context,
    envelope,
    execute,
    in_threads,
    recall,
    remember,
    row,
    timed,
)

CALLERS = 16
SYNCHRONOUS = 2


def main() -> None:
    """Run everything, one section after the other."""
    options = _options()
    with alone():
        with tempfile.TemporaryDirectory() as folder:
            bench_writes(Path(folder), options.commands)
        for count in (int(text) for text in options.memories.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                bench_reads(Path(folder), count, options.recalls)


def bench_writes(folder: Path, count: int) -> None:
    """Commands per second against plain sqlite3 with the same bytes and setting."""
    memoranda = open_memoranda(folder / "data")
    log = LastCommand(folder / "data" / "log.db")
    plain = RawTable(folder / "plain.db")
    same = SameTables(folder / "same.db", log)
    text = TextMaker(1)
    times: dict[str, list[float]] = {"plain": [], "same": [], "ours": []}
    order = random.Random(3)
    remember(memoranda, text.sentence())
    for number in range(50 + count):
        # The raw ones write what the command before wrote; who pays for whose fsync is shuffled.
        rows, refs = log.rows()
        works: list[tuple[str, Callable[[], object]]] = [
            ("plain", partial(plain.insert, b"".join(row[4] for row in rows))),
            ("same", partial(same.insert, rows, refs)),
            ("ours", partial(remember, memoranda, text.sentence())),
        ]
        order.shuffle(works)
        for name, work in works:
            seconds = timed(work)
            if number >= 50:
                times[name].append(seconds)
    print(f"\nwrites: journal WAL, synchronous={SYNCHRONOUS} (2 = FULL), alternating")
    row("raw: plain sqlite3, one row of the same bytes, INSERT+COMMIT", times["plain"])
    row("raw: the same rows into the same tables and indexes, COMMIT", times["same"])
    row("remember with receipt, sealed and hashed, one caller", times["ours"])
    for name, said in (("plain", "one plain row"), ("same", "the same rows")):
        whole = sum(times[name]) / sum(times["ours"])
        middle = statistics.median(times[name]) / statistics.median(times["ours"])
        print(f"  one caller against {said}: {whole:.2f} x (medians {middle:.2f} x)")
    many = _many_callers(memoranda, count)
    for name, said in (("plain", "one plain row"), ("same", "the same rows")):
        rate = len(times[name]) / sum(times[name])
        print(f"  {CALLERS} callers: {many:,.0f} commands/s = {many / rate:.2f} x of {said}")
    memoranda.close()
    plain.close()
    same.close()


def _many_callers(memoranda: Memoranda, count: int) -> float:
    each = count // CALLERS * 4

    def work(seed: int) -> None:
        text = TextMaker(seed)
        for _ in range(each):
            remember(memoranda, text.sentence())

    return each * CALLERS / in_threads(CALLERS, work)


def bench_reads(folder: Path, count: int, recalls: int) -> None:
    """Recall (recording on) and trace over `count` memories; start-up; bytes on disk."""
    memoranda = open_memoranda(folder)
    text = TextMaker(2)
    for start in range(0, count, 500):
        size = min(500, count - start)
        items = [envelope(text.sentence()) for _ in range(size)]
        memoranda.execute_many(context(), items)
    one = remember(memoranda, "a memory with ten versions")
    for _ in range(9):
        execute(
            memoranda,
            "update",
            {
                "target": {"kind": "memory", "id": one},
                "patch": {"content": content(text.sentence())},
            },
        )
    memoranda.runner.wait_for("", memoranda.log.head(), 600)
    first = timed(lambda: recall(memoranda, text.question()))
    times = [timed(lambda: recall(memoranda, text.question())) for _ in range(recalls)]
    traces = [
        timed(lambda: execute(memoranda, "trace", {"target": {"kind": "memory", "id": one}}))
        for _ in range(recalls)
    ]
    memoranda.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"\n{count:,} memories of about 30 words")
    row("recall of 8 words, limit 10, recorded", times)
    row("trace of 10 versions", traces)
    print(f"  first recall (index built from the log): {first * 1000:,.0f} ms")
    print(f"  disk: {size / count:,.0f} bytes per memory (log, keys, read models)")
    print(f"  start-up until ready: {_start_up(folder):,.2f} s")


def _start_up(folder: Path) -> float:
    """Seconds from the start of `memoranda serve` to its ready line."""
    program = str(Path(sys.executable).with_name("memoranda"))
    command = [program, "serve", "--data", str(folder), "--port", "0"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "ready" in line:
                break
        seconds = time.perf_counter() - start
        process.terminate()
    return seconds


class RawTable:
    """Plain sqlite3: WAL, the same synchronous setting, one row a commit."""

    def __init__(self, path: Path) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute(f"PRAGMA synchronous={SYNCHRONOUS}")
        self._create()

    def _create(self) -> None:
        self.db.execute("CREATE TABLE event (position INTEGER PRIMARY KEY, state BLOB)")

    def insert(self, data: bytes) -> None:
        """BEGIN, INSERT, COMMIT."""
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute("INSERT INTO event (state) VALUES (?)", (data,))
        self.db.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self.db.close()


class LastCommand:
    """The rows that the last command wrote."""

    def __init__(self, log: Path) -> None:
        self.db = sqlite3.connect(f"file:{log}?mode=ro", uri=True)
        self._seen = 0

    def rows(self) -> tuple[list[Any], list[Any]]:
        """Events and references after those of the last call."""
        after = (self._seen,)
        events = self.db.execute("SELECT * FROM event WHERE position > ?", after).fetchall()
        refs = self.db.execute("SELECT * FROM event_ref WHERE position > ?", after).fetchall()
        self._seen = events[-1][0]
        return events, refs


class SameTables(RawTable):
    """The tables, indexes and triggers of a log, without anything of ours before them."""

    def __init__(self, path: Path, like: LastCommand) -> None:
        self._like = like
        super().__init__(path)

    def _create(self) -> None:
        kinds = "type IN ('table', 'index', 'trigger') AND sql IS NOT NULL AND name NOT LIKE 'sql%'"
        query = f"SELECT sql FROM sqlite_master WHERE {kinds} ORDER BY type = 'trigger'"
        for (statement,) in self._like.db.execute(query):
            self.db.execute(statement)

    def insert(self, rows: list[Any], refs: list[Any]) -> None:  # type: ignore[override]
        """BEGIN, all rows of one command, COMMIT."""
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany("INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?)", rows)
        self.db.executemany("INSERT INTO event_ref VALUES (?,?,?,?,?)", refs)
        self.db.execute("COMMIT")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=2000)
    parser.add_argument("--memories", default="1000,10000")
    parser.add_argument("--recalls", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    main()
