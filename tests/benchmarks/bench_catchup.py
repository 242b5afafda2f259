"""How fast read models follow the log, and what a recall pays for a tail: `make bench-catchup`.

Prints tables; asserts nothing. Options: --events N (for the rates), --rebuild N (events that are
built anew, in a process of its own whose memory is measured), --lags N.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from typing import Any, Final

from ops.memoranda import Memoranda
from ops.rebuild_postgres import rebuild_beside
from ops.server_site import open_site
from ops.settings import ServerMode
from projections import schema
from projections.catalogue import CATALOGUE
from projections.database import open_views, writing
from tests.benchmarks.common import (
    TextMaker,
    alone,
    context,
    envelope,
    recall,
    remember,
    timed,
)
from tests.benchmarks.server import MASTER_KEY, Services, services
from workers.catch_up import catch_up
from workers.site import Site

BATCHES: Final = (100, 500, 2000)
TAILS: Final = (10, 1000, 5000)
RSS_MIB_MAX: Final = 512
ONE_PART: Final = "bench"


def main() -> None:
    """Run everything, one section after the other."""
    options = _options()
    if options.build is not None:
        build(*options.build)
        return
    with alone(), services() as running:
        with running.memoranda() as memoranda:
            fill(memoranda, options.events)
            bench_rates(memoranda, running)
            bench_lags(memoranda, running, options.lags)
            bench_tails(memoranda)
            fill(memoranda, options.rebuild - memoranda.log.head())
        bench_rebuild(running)


def fill(memoranda: Memoranda, events: int) -> None:
    """Memories of one workspace until there are so many more events."""
    text = TextMaker(1)
    wanted = memoranda.log.head() + events
    while (missing := wanted - memoranda.log.head()) > 0:
        size = max(1, min(500, missing // 2))
        memoranda.execute_many(context(), [envelope(text.sentence()) for _ in range(size)])


def bench_rates(memoranda: Memoranda, running: Services) -> None:
    """Events a second of each projection, by the size of a batch."""
    views = open_views(running.mode.database_url)
    part = _part(memoranda)
    count = sum(event.topic.startswith("memory.") for event in _all(memoranda, part))
    print(f"\ncatching up with {count:,} events of one part, one process")
    try:
        for projection in CATALOGUE:
            for batch in BATCHES:
                _forget(views, projection.name)
                took = timed(lambda: catch_up(projection, part, memoranda.log, views, batch))  # noqa: B023
                rate = count / took
                print(f"  {projection.name}, batches of {batch}: {rate:,.0f} events/s")
    finally:
        views.dispose()


def _part(memoranda: Memoranda) -> int:
    site = _site(memoranda)
    (part,) = site.heads()
    return part


def _site(memoranda: Memoranda) -> Site:
    site: Site = memoranda.runner.site  # type: ignore[attr-defined]  # that of the server mode
    return site


def _all(memoranda: Memoranda, part: int) -> list[Any]:
    found: list[Any] = []
    position = 0
    while events := memoranda.log.after(position, 5000, part=part):
        found.extend(events)
        position = events[-1].position
    return found


def _forget(views: Any, projection: str) -> None:
    """Begin anew: the rows and checkpoints of a projection are deleted."""
    tables = {
        "records": (schema.MEMORY_VERSION, schema.MEMORY_TAG, schema.MEMORY_SOURCE),
        "evidence": (schema.EDGE_VERSION, schema.DEGREE),
    }[projection]
    with writing(views) as connection:
        for table in tables:
            connection.execute(table.delete())
        checkpoint = schema.CHECKPOINT
        connection.execute(checkpoint.delete().where(checkpoint.c.projection == projection))


def bench_lags(memoranda: Memoranda, running: Services, count: int) -> None:
    """From a receipt to the moment that the read models have it, by a worker and Redis alone."""
    print(f"\nlag from the receipt to the row, {count} commands one after the other")
    text = TextMaker(3)
    with running.worker():
        found = []
        for _ in range(count):
            remember(memoranda, text.sentence())
            head, start = memoranda.log.head(), time.perf_counter()
            while memoranda.runner.seen(ONE_PART) < head:
                time.sleep(0.002)
            found.append(time.perf_counter() - start)
    cut = statistics.quantiles(found, n=20)
    print(
        f"  a worker woken through Redis: p50 {cut[9] * 1000:.1f} ms, p95 {cut[18] * 1000:.1f} ms"
    )
    found = []
    for _ in range(count):
        remember(memoranda, text.sentence())
        head, start = memoranda.log.head(), time.perf_counter()
        memoranda.runner.wait_for(ONE_PART, head, 10)
        found.append(time.perf_counter() - start)
    cut = statistics.quantiles(found, n=20)
    print(f"  a reader that lends a hand: p50 {cut[9] * 1000:.1f} ms, p95 {cut[18] * 1000:.1f} ms")


def bench_tails(memoranda: Memoranda) -> None:
    """What a recall pays where so many events were not followed yet, and the one after it."""
    print("\nrecall of 8 words behind a tail that nobody has followed")
    text = TextMaker(4)
    recall(memoranda, text.question())
    plain = [timed(lambda: recall(memoranda, text.question())) for _ in range(20)]
    print(f"  no tail: p50 {statistics.median(plain) * 1000:.1f} ms")
    for tail in TAILS:
        first, second = [], []
        for _ in range(5):
            fill(memoranda, tail)
            first.append(timed(lambda: recall(memoranda, text.question())))
            second.append(timed(lambda: recall(memoranda, text.question())))
        print(
            f"  {tail:,} events: first {statistics.median(first) * 1000:.1f} ms, "
            f"next {statistics.median(second) * 1000:.1f} ms"
        )


def bench_rebuild(running: Services) -> None:
    """The read models of all events, in a process of its own."""
    mode = running.mode
    command = [sys.executable, "-m", "tests.benchmarks.bench_catchup"]
    done = subprocess.run(
        [*command, "--build", mode.database_url, mode.redis_url],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    print(f"\n{done.stdout.rstrip()}")


def build(database_url: str, redis_url: str) -> None:
    """`memoranda rebuild` in this process; prints how long it took, and its peak of memory."""
    start = time.perf_counter()
    with open_site(ServerMode(database_url, redis_url, MASTER_KEY)) as site:
        events = site.log.head()
        rebuild_beside(site.log, database_url, lambda _position, _head: None)
    took = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    said = "at most" if peak <= RSS_MIB_MAX else "MORE THAN"
    print(
        f"rebuild of {events:,} events: {took:,.1f} s, {events / took:,.0f} events/s, "
        f"peak {peak:,.0f} MiB, {said} {RSS_MIB_MAX}"
    )


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--rebuild", type=int, default=1_000_000)
    parser.add_argument("--lags", type=int, default=100)
    parser.add_argument("--build", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
