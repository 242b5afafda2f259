"""How fast windows of sessions are processed: `make bench-bundle`.

In the embedded mode, in process. The first figure is of a store that nobody has asked before; the
second is what a claim more costs in a concept that has many. The run ends with 1 where a target is
missed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from domain.canonical import JsonObject
from domain.context import CONTRACT_PERMISSIONS, Context
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.benchmarks.common import alone
from tests.bundles.windows import proposal, says, window

FIRST_MS_MAX: Final = 50.0
"""p50 of the first accepted window of a new store."""
GROWTH_MAX: Final = 1.3
"""Of the cost of a claim more at `LAST` claims of one concept to that at `FIRST`."""
FIRST: Final = 10
LAST: Final = 1000
AROUND: Final = 40
"""Claims over which a cost is the median."""
_WHO: Final = Context("bench", "ana", "s", CONTRACT_PERMISSIONS, "bench")


@contextmanager
def opened() -> Iterator[Memoranda]:
    """A new store."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-bundle-") as folder,
        closing(open_memoranda(Path(folder) / "data")) as memoranda,
    ):
        yield memoranda


def claims(count: int) -> list[JsonObject]:
    """Windows that each add another claim to one concept; rules of words that are not alike."""
    dice = random.Random(8)
    letters = "abcdefghiklmnoprstuw"
    words = ["".join(dice.choices(letters, k=7)) for _ in range(20_000)]
    found: list[JsonObject] = []
    for number in range(count):
        rule = " ".join(dice.sample(words, 12))
        said = proposal(
            claim_text=f"They said: {rule}",
            durable_claim={"rule": rule, "scope": "the whole repository"},
        )
        found.append(window(said, events=[says(f"Remark {number}: {rule}")]))
    return found


def bench_first(rounds: int) -> bool:
    """The first window of a new store, over new stores."""
    times: list[float] = []
    for body in claims(rounds):
        with opened() as memoranda:
            times.append(_sent(memoranda, body)[0])
    p50 = statistics.median(times) * 1000
    print(f" the first window of a new store, {rounds} stores: p50 {p50:.1f} ms")
    return _told("first accepted window, p50", p50 / FIRST_MS_MAX, p50 <= FIRST_MS_MAX)


def bench_growth(count: int) -> bool:
    """A claim more of few and of many in one concept, in turn: what the machine does hits both."""
    bodies = claims(count + AROUND)
    took: dict[int, list[tuple[float, float]]] = {FIRST: [], count: []}
    with opened() as few, opened() as many:
        stores = {FIRST: few, count: many}
        for there, memoranda in stores.items():
            for body in bodies[:there]:
                _sent(memoranda, body)
        for more in range(AROUND):
            for there in sorted(stores, reverse=more % 2 == 1):
                for memoranda in stores.values():
                    memoranda.runner.wait_for(_WHO.workspace, memoranda.log.head(), 60)
                took[there].append(_sent(stores[there], bodies[there + more]))
    for name, at in (("by the clock", 0), ("of the processor", 1)):
        early, late = (
            statistics.median(times[at] for times in took[there]) for there in (FIRST, count)
        )
        print(
            f" a claim more in one concept, {name}: p50 {early * 1000:.2f} ms at {FIRST}, "
            f"{late * 1000:.2f} ms at {count:,}: {late / early:.2f} x"
        )
    return _told("cost of an added claim", late / early / GROWTH_MAX, late / early <= GROWTH_MAX)


def _sent(memoranda: Memoranda, body: JsonObject) -> tuple[float, float]:
    """Seconds by the clock, and of the processor for who sends."""
    started = time.perf_counter(), time.thread_time()
    answer = memoranda.windows.submit(_WHO, body)
    took = time.perf_counter() - started[0], time.thread_time() - started[1]
    if answer["result"] != "knowledge_patched":
        raise SystemExit(f"a window was not accepted: {answer['proposals']}")
    return took


def _told(name: str, ratio: float, met: bool) -> bool:
    print(f"  target: {name}: {ratio:.2f} x of what is allowed: {'met' if met else 'MISSED'}")
    return met


def main() -> None:
    """Measure, and print what was wanted."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--claims", type=int, default=LAST)
    chosen = options.parse_args()
    with alone():
        met = [bench_first(chosen.rounds), bench_growth(chosen.claims)]
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
