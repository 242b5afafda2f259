"""What the core costs, as ratios against plain sqlite3 in the same run: `make bench-core`.

Prints a table; asserts nothing. Single caller and raw INSERT+COMMIT alternate command by command,
so that both meet the same disk. Options: --commands N, --memories N,N, --recalls N.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from functools import partial
from pathlib import Path
from typing import Any

from domain.context import CONTRACT_PERMISSIONS, Context
from ops.serve import calm_collector
from ops.wiring import Memoranda, open_memoranda

LOCK = Path(tempfile.gettempdir()) / "memoranda-bench.lock"
WORDS = 20_000
CALLERS = 16
SYNCHRONOUS = 2


def main() -> None:
    """Run everything, one section after the other."""
    options = _options()
    calm_collector()  # as `memoranda serve` does
    with _alone():
        print(
            f"machine: {platform.machine()}, {os.cpu_count()} cores, Python "
            f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}"
        )
        print(f"date: {datetime.now(UTC):%Y-%m-%d}; load before: {os.getloadavg()}")
        with tempfile.TemporaryDirectory() as folder:
            bench_writes(Path(folder), options.commands)
        for count in (int(text) for text in options.memories.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                bench_reads(Path(folder), count, options.recalls)
        print(f"load after: {os.getloadavg()}")


def bench_writes(folder: Path, count: int) -> None:
    """Commands per second against plain sqlite3 with the same bytes and setting."""
    memoranda = open_memoranda(folder / "data")
    log = LastCommand(folder / "data" / "log.db")
    plain = RawTable(folder / "plain.db")
    same = SameTables(folder / "same.db", log)
    text = TextMaker(1)
    times: dict[str, list[float]] = {"plain": [], "same": [], "ours": []}
    order = random.Random(3)
    _remember(memoranda, text.sentence())
    for number in range(50 + count):
        # The raw ones write what the command before wrote; who pays for whose fsync is shuffled.
        rows, refs = log.rows()
        works: list[tuple[str, Callable[[], object]]] = [
            ("plain", partial(plain.insert, b"".join(row[4] for row in rows))),
            ("same", partial(same.insert, rows, refs)),
            ("ours", partial(_remember, memoranda, text.sentence())),
        ]
        order.shuffle(works)
        for name, work in works:
            seconds = _timed(work)
            if number >= 50:
                times[name].append(seconds)
    print(f"\nwrites: journal WAL, synchronous={SYNCHRONOUS} (2 = FULL), alternating")
    _row("raw: plain sqlite3, one row of the same bytes, INSERT+COMMIT", times["plain"])
    _row("raw: the same rows into the same tables and indexes, COMMIT", times["same"])
    _row("remember with receipt, sealed and hashed, one caller", times["ours"])
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
    def work(seed: int) -> None:
        text = TextMaker(seed)
        for _ in range(count // CALLERS * 4):
            _remember(memoranda, text.sentence())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(CALLERS)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (count // CALLERS * 4) * CALLERS / (time.perf_counter() - start)


def bench_reads(folder: Path, count: int, recalls: int) -> None:
    """Recall (recording on) and trace over `count` memories; start-up; bytes on disk."""
    memoranda = open_memoranda(folder)
    text = TextMaker(2)
    for start in range(0, count, 500):
        size = min(500, count - start)
        items = [_envelope(text.sentence()) for _ in range(size)]
        memoranda.execute_many(_context(), items)
    one = _remember(memoranda, "a memory with ten versions")
    for _ in range(9):
        _execute(
            memoranda,
            "update",
            {
                "target": {"kind": "memory", "id": one},
                "patch": {"content": _content(text.sentence())},
            },
        )
    memoranda.runner.wait_for("", memoranda.log.head(), 600)
    first = _timed(lambda: _recall(memoranda, text.question()))
    times = [_timed(lambda: _recall(memoranda, text.question())) for _ in range(recalls)]
    traces = [
        _timed(lambda: _execute(memoranda, "trace", {"target": {"kind": "memory", "id": one}}))
        for _ in range(recalls)
    ]
    memoranda.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"\n{count:,} memories of about 30 words")
    _row("recall of 8 words, limit 10, recorded", times)
    _row("trace of 10 versions", traces)
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


class TextMaker:
    """Sentences of about 30 words with Zipf's distribution over made-up words."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = [f"w{number:05d}x" for number in range(WORDS)]
        self._weights = [1 / (rank + 1) for rank in range(WORDS)]

    def sentence(self) -> str:
        """20 to 40 words."""
        count = self._random.randint(20, 40)
        return " ".join(self._random.choices(self._words, self._weights, k=count))

    def question(self) -> str:
        """Eight words."""
        return " ".join(self._random.choices(self._words, self._weights, k=8))


_KEYS: Iterator[int] = iter(range(10**9))


def _context() -> Context:
    return Context(
        workspace="bench",
        actor="bench",
        session="bench",
        permissions=CONTRACT_PERMISSIONS,
        request_id=f"bench-{next(_KEYS)}",
    )


def _content(text: str) -> dict[str, Any]:
    return {"format": "text", "value": text}


def _envelope(text: str) -> dict[str, Any]:
    return {
        "contract_version": "v1",
        "operation": "remember",
        "idempotency_key": f"key-{next(_KEYS)}",
        "input": {
            "kind": "observation",
            "schema_version": "1",
            "content": _content(text),
            "provenance": [],
            "tags": [],
        },
    }


def _remember(memoranda: Memoranda, text: str) -> str:
    answer = memoranda.execute(_context(), _envelope(text))
    return str(answer["result"]["result"]["record"]["id"])


def _execute(memoranda: Memoranda, operation: str, said: dict[str, Any]) -> Any:
    body = {
        "contract_version": "v1",
        "operation": operation,
        "input": said,
        "idempotency_key": f"key-{next(_KEYS)}",
    }
    return memoranda.execute(_context(), body)


def _recall(memoranda: Memoranda, question: str) -> Any:
    budgets = {
        "max_items": 10,
        "max_depth": 1,
        "max_payload_bytes": 65536,
        "max_cost": 1000,
        "timeout_ms": 60000,
        "supernode_threshold": 100,
    }
    said = {"objective": question, "seed_ids": [], "limits": budgets}
    return _execute(memoranda, "recall", said)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(name: str, times: list[float]) -> None:
    cut = statistics.quantiles(times, n=20)
    rate = len(times) / sum(times)
    print(f"  {name}: {rate:,.0f}/s, p50 {cut[9] * 1000:.2f} ms, p95 {cut[18] * 1000:.2f} ms")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", type=int, default=2000)
    parser.add_argument("--memories", default="1000,10000")
    parser.add_argument("--recalls", type=int, default=300)
    return parser.parse_args()


@contextmanager
def _alone() -> Iterator[None]:
    """One benchmark at a time on this machine."""
    with LOCK.open("w") as lock:
        flock(lock, LOCK_EX)
        yield


if __name__ == "__main__":
    main()
