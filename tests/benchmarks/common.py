"""What the benchmarks share: the machine's lock, what is sent, and how figures are printed."""

from __future__ import annotations

import itertools
import os
import platform
import random
import sqlite3
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any, Final

from domain.context import CONTRACT_PERMISSIONS, Context
from ops.collector import calm_collector
from ops.memoranda import Memoranda

LOCK: Final = Path(tempfile.gettempdir()) / "memoranda-bench.lock"
WORDS: Final = 20_000
_KEYS: Final = itertools.count()
_RUN: Final = uuid.uuid4().hex
"""A store that is kept knows the keys of the runs before."""


@contextmanager
def alone() -> Iterator[None]:
    """One benchmark at a time on this machine; prints where and when, and the load around it."""
    calm_collector()  # as `memoranda serve` does
    with LOCK.open("w") as lock:
        flock(lock, LOCK_EX)
        print(
            f"machine: {platform.machine()}, {os.cpu_count()} cores, Python "
            f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}"
        )
        print(f"date: {datetime.now(UTC):%Y-%m-%d}; load before: {load()}")
        yield
        print(f"load after: {load()}")


def load() -> str:
    """Of the last 1, 5 and 15 minutes."""
    return " ".join(f"{one:.2f}" for one in os.getloadavg())


class TextMaker:
    """Sentences of about 30 words with Zipf's distribution over made-up words."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = [f"w{number:05d}x" for number in range(WORDS)]
        weights = (1 / (rank + 1) for rank in range(WORDS))
        self._weights = list(itertools.accumulate(weights))  # else it is summed up for each text

    def sentence(self) -> str:
        """20 to 40 words."""
        count = self._random.randint(20, 40)
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=count))

    def question(self) -> str:
        """Eight words."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=8))


def context() -> Context:
    return Context(
        workspace="bench",
        actor="bench",
        session="bench",
        permissions=CONTRACT_PERMISSIONS,
        request_id=f"bench-{next(_KEYS)}",
    )


def content(text: str) -> dict[str, Any]:
    return {"format": "text", "value": text}


def envelope(text: str) -> dict[str, Any]:
    return {
        "contract_version": "v1",
        "operation": "remember",
        "idempotency_key": f"key-{_RUN}-{next(_KEYS)}",
        "input": {
            "kind": "observation",
            "schema_version": "1",
            "content": content(text),
            "provenance": [],
            "tags": [],
        },
    }


def remember(memoranda: Memoranda, text: str) -> str:
    answer = memoranda.execute(context(), envelope(text))
    return str(answer["result"]["result"]["record"]["id"])


def execute(memoranda: Memoranda, operation: str, said: dict[str, Any]) -> Any:
    return execute_in(memoranda, context(), operation, said)


def execute_in(memoranda: Memoranda, asking: Context, operation: str, said: dict[str, Any]) -> Any:
    body = {
        "contract_version": "v1",
        "operation": operation,
        "input": said,
        "idempotency_key": f"key-{_RUN}-{next(_KEYS)}",
    }
    return memoranda.execute(asking, body)


def asking(question: str, **more: Any) -> dict[str, Any]:
    """The input of a recall with the budgets of the benchmarks."""
    budgets = {
        "max_items": 10,
        "max_depth": 1,
        "max_payload_bytes": 65536,
        "max_cost": 1000,
        "timeout_ms": 60000,
        "supernode_threshold": 100,
    }
    return {"objective": question, "seed_ids": [], "limits": budgets, **more}


def recall(memoranda: Memoranda, question: str) -> Any:
    return execute(memoranda, "recall", asking(question))


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def row(name: str, times: list[float]) -> None:
    cut = statistics.quantiles(times, n=20)
    rate = len(times) / sum(times)
    print(f"  {name}: {rate:,.0f}/s, p50 {cut[9] * 1000:.2f} ms, p95 {cut[18] * 1000:.2f} ms")


def in_threads(count: int, work: Callable[[int], None]) -> float:
    """Seconds until `work` has returned in all of them; each is given its number."""
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


def p10_p50(times: Sequence[float]) -> tuple[float, float]:
    """The first tenth and the middle, in milliseconds."""
    cut = statistics.quantiles(times, n=10)
    return cut[0] * 1000, cut[4] * 1000
