"""What a command costs while Redis is there, refused, hung and flushed: `make bench-redis-down`.

The command path never talks to Redis, so nothing may change. States take turns within a round.
Options: --rounds N, --commands N (of each state in a round).
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from redis import Redis

from ops.memoranda import Memoranda
from ops.settings import ServerMode
from ops.wiring import open_server
from tests.benchmarks.common import TextMaker, alone, remember, timed
from tests.benchmarks.server import MASTER_KEY, Services, services
from tests.workers.black_hole import black_hole, nobody

WARM_UP: Final = 20
APART_MS_MAX: Final = 5.0


def main() -> None:
    """Four Memorandas over one database, each with another Redis."""
    options = _options()
    with alone(), services() as running, ExitStack() as opened:
        hole = opened.enter_context(black_hole())
        urls = {
            "Redis up": running.redis.url,
            "refused": nobody(),
            "black-holed": hole,
            "flushed all the time": running.redis.url,
        }
        stores = {
            name: opened.enter_context(_opened(running, name, url)) for name, url in urls.items()
        }
        flush = Redis.from_url(running.redis.url).flushall
        times = _measured(stores, flush, options)
        print(f"\n{options.rounds * options.commands} commands in each state, in turn")
        cuts = {name: statistics.quantiles(found, n=100) for name, found in times.items()}
        for name, cut in cuts.items():
            print(f"  {name}: p50 {cut[49] * 1000:.2f} ms, p99 {cut[98] * 1000:.2f} ms")
        for label, at in (("p50", 49), ("p99", 98)):
            found = [cut[at] * 1000 for cut in cuts.values()]
            apart = max(found) - min(found)
            said = "within" if apart <= APART_MS_MAX else "MORE THAN"
            print(f"  {label}: {apart:.2f} ms apart, {said} {APART_MS_MAX:g} ms")


@contextmanager
def _opened(running: Services, name: str, url: str) -> Iterator[Memoranda]:
    mode = ServerMode(running.mode.database_url, url, MASTER_KEY)
    memoranda = open_server(mode, running.folder / name.replace(" ", "-"))
    try:
        yield memoranda
    finally:
        memoranda.close()


def _measured(
    stores: dict[str, Memoranda], flush: Callable[[], object], options: Any
) -> dict[str, list[float]]:
    text = TextMaker(1)
    times: dict[str, list[float]] = {name: [] for name in stores}
    for round_ in range(options.rounds + 1):
        for name, memoranda in stores.items():
            for _ in range(options.commands if round_ else WARM_UP):
                if "flushed" in name:
                    flush()
                seconds = timed(lambda: remember(memoranda, text.sentence()))  # noqa: B023
                if round_:
                    times[name].append(seconds)
    return times


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--commands", type=int, default=50)
    return parser.parse_args()


if __name__ == "__main__":
    main()
