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
from pathlib import Path
from typing import Any

from domain.context import CONTRACT_PERMISSIONS, Context
from ops.wiring import Memoranda, open_memoranda

LOCK = Path(tempfile.gettempdir()) / "memoranda-bench.lock"
WORDS = 20_000
CALLERS = 16


def main() -> None:
    """Run everything, one section after the other."""
    options = _options()
    with _alone():
        print(f"machine: {platform.machine()}, {os.cpu_count()} cores, Python "
              f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}")
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
    raw = RawTable(folder / "raw.db")
    text = TextMaker(1)
    for _ in range(50):
        _remember(memoranda, text.sentence())
    raw.insert(bytes_of_last_command(folder / "data" / "log.db"))
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(count):
        ours.append(_timed(lambda: _remember(memoranda, text.sentence())))
        data = bytes_of_last_command(folder / "data" / "log.db")
        theirs.append(_timed(lambda data=data: raw.insert(data)))
    print(f"\nwrites, synchronous={raw.synchronous} (2 = FULL), one INSERT+COMMIT per command")
    _row("raw sqlite3, one caller", _rate(theirs), theirs)
    _row("remember with receipt, one caller", _rate(ours), ours)
    print(f"  ratio one caller: {_rate(ours) / _rate(theirs):.2f} of raw, "
          f"median {statistics.median(theirs) / statistics.median(ours):.2f}")
    many = _many_callers(memoranda, count)
    print(f"  {CALLERS} callers: {many:,.0f} commands/s = {many / _rate(theirs):.2f} of raw")
    memoranda.close()
    raw.close()


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
        _execute(memoranda, "update", {"target": {"kind": "memory", "id": one},
                                       "patch": {"content": _content(text.sentence())}})
    memoranda.runner.wait_for(memoranda.log.head(), 600)
    first = _timed(lambda: _recall(memoranda, text.question()))
    times = [_timed(lambda: _recall(memoranda, text.question())) for _ in range(recalls)]
    traces = [
        _timed(lambda: _execute(memoranda, "trace", {"target": {"kind": "memory", "id": one}}))
        for _ in range(recalls)
    ]
    memoranda.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"\n{count:,} memories of about 30 words")
    _row("recall of 8 words, limit 10, recorded", _rate(times), times)
    _row("trace of 10 versions", _rate(traces), traces)
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

    synchronous = 2

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute(f"PRAGMA synchronous={self.synchronous}")
        self._db.execute("CREATE TABLE event (position INTEGER PRIMARY KEY, state BLOB)")

    def insert(self, data: bytes) -> None:
        """BEGIN, INSERT, COMMIT."""
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("INSERT INTO event (state) VALUES (?)", (data,))
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def bytes_of_last_command(log: Path) -> bytes:
    """As many bytes as the last two events hold: a memory and its receipt."""
    with sqlite3.connect(f"file:{log}?mode=ro", uri=True) as db:
        rows = db.execute("SELECT state FROM event ORDER BY position DESC LIMIT 2").fetchall()
    db.close()
    return b"".join(row[0] for row in rows)


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
        "input": {"kind": "observation", "schema_version": "1", "content": _content(text),
                  "provenance": [], "tags": []},
    }


def _remember(memoranda: Memoranda, text: str) -> str:
    answer = memoranda.execute(_context(), _envelope(text))
    return str(answer["result"]["result"]["record"]["id"])


def _execute(memoranda: Memoranda, operation: str, said: dict[str, Any]) -> Any:
    body = {"contract_version": "v1", "operation": operation, "input": said,
            "idempotency_key": f"key-{next(_KEYS)}"}
    return memoranda.execute(_context(), body)


def _recall(memoranda: Memoranda, question: str) -> Any:
    budgets = {"max_items": 10, "max_depth": 1, "max_payload_bytes": 65536, "max_cost": 1000,
               "timeout_ms": 60000, "supernode_threshold": 100}
    said = {"objective": question, "seed_ids": [], "limits": budgets}
    return _execute(memoranda, "recall", said)


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _rate(times: list[float]) -> float:
    return len(times) / sum(times)


def _row(name: str, rate: float, times: list[float]) -> None:
    cut = statistics.quantiles(times, n=20)
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
