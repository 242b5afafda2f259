"""How fast recall is, in figures beside the targets of design.md §9: `make bench-recall-speed`.

Options: --sizes 1000,10000,100000 (and --million, which adds 1 000 000), --asks N questions,
--compactions N, --spread-max N memories over 1 000 workspaces, --only PART,… of warm, cold,
writing, bounds, peers, making, spread, compactions; --folder DIR keeps the stores of one size
there, and goes on with those that are there. What is stored goes through the write side alone, as
by another process; the layer is named where it is not a whole recall in process. Prints; asserts
nothing.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from ops.collector import calm_collector
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from tests.benchmarks.common import alone
from tests.benchmarks.speed_bounds import bench_crowding, bench_timeout
from tests.benchmarks.speed_data import Stored, Texts, load, settle, written
from tests.benchmarks.speed_index import bench_compactions, bench_making
from tests.benchmarks.speed_peers import bench_peers, bench_whoosh
from tests.benchmarks.speed_sizes import bench_cold, bench_process, bench_spread, bench_warm
from tests.benchmarks.speed_writing import bench_lag, bench_writing

PARTS: Final = ("warm", "cold", "writing", "bounds", "peers", "making", "spread", "compactions")
WORKSPACES: Final = 1_000
KEPT: Final = "stored.json"
MAKING_MAX: Final = 10_000
"""Up to this size the index is made a second time, by one thread that does nothing else."""


def main() -> None:
    """Run everything, one size after the other."""
    options = _options()
    with alone():
        texts = Texts()
        calm_collector()  # the words are ours, and not to be looked through while we measure
        for memories in options.sizes:
            _one_workspace(texts, memories, options, last=memories == options.sizes[-1])
        if "spread" in options.only:
            for memories in options.sizes:
                _many_workspaces(texts, memories, options)
        if "compactions" in options.only and options.compactions:
            with _store() as memoranda:
                print("\na small workspace whose segments are merged all the time")
                bench_compactions(memoranda, texts, options.compactions)


def _one_workspace(texts: Texts, memories: int, options: argparse.Namespace, *, last: bool) -> None:
    only = options.only
    if not set(only) - {"spread", "compactions"}:
        return
    with _folder(options, "one") as folder:
        stored = kept_or_loaded(folder, texts, memories, 1)
        if "cold" in only:
            bench_process(folder / "data", stored, texts, options.asks)
        with closing(open_memoranda(folder / "data")) as memoranda:
            if "cold" in only:
                bench_cold(memoranda, stored, texts)
            if "peers" in only and last:
                bench_whoosh(memoranda, stored, texts)
            if "warm" in only:
                bench_warm(memoranda, stored, texts, options.asks)
            if "making" in only and memories <= MAKING_MAX:
                bench_making(memoranda, stored, folder)
            if "peers" in only and last:
                bench_peers(memoranda, stored, texts, folder, options.asks)
            if "bounds" in only:
                bench_crowding(memoranda, stored, texts, options.asks // 4)
                bench_timeout(memoranda, stored, texts, options.asks)
            if "writing" in only:
                bench_writing(memoranda, stored, texts, options.seconds)
                bench_lag(memoranda, stored, texts, options.asks // 2)


def _many_workspaces(texts: Texts, memories: int, options: argparse.Namespace) -> None:
    if memories > options.spread_max:
        print(f"\n{memories:,} memories in {WORKSPACES:,} workspaces: NOT MEASURED (--spread-max)")
        return
    with _folder(options, "many") as folder:
        stored = kept_or_loaded(folder, texts, memories, WORKSPACES, asked=options.asks)
        with closing(open_memoranda(folder / "data")) as memoranda:
            bench_spread(memoranda, stored, texts, options.asks)


def kept_or_loaded(
    folder: Path, texts: Texts, memories: int, workspaces: int, *, asked: int = 1
) -> Stored:
    """The store that an earlier run has left in the folder, or one that is made there."""
    stored = Stored.kept(folder / KEPT)
    if stored is None:
        stored = _loaded(folder / "data", texts, memories, workspaces, asked=asked)
        stored.keep(folder / KEPT)
    return stored


def _loaded(data: Path, texts: Texts, memories: int, workspaces: int, *, asked: int) -> Stored:
    start = time.perf_counter()
    with written(data) as execute:
        stored = load(execute, texts, memories, workspaces)
    loaded = time.perf_counter() - start
    with closing(open_memoranda(data)) as memoranda:
        settle(memoranda, stored.workspaces[:asked])
    took = time.perf_counter() - start
    print(
        f"\n{memories:,} memories in {workspaces:,} workspaces, {stored.relationships:,} "
        f"relationships: stored in {loaded:.0f} s, in read models and segments after {took:.0f} s"
    )
    return stored


@contextmanager
def _folder(options: argparse.Namespace, name: str) -> Iterator[Path]:
    if options.folder is not None:
        folder: Path = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="bench-recall-") as temporary:
        yield Path(temporary)


@contextmanager
def _store() -> Iterator[Memoranda]:
    with (
        tempfile.TemporaryDirectory(prefix="bench-recall-") as name,
        closing(open_memoranda(Path(name) / "data")) as memoranda,
    ):
        yield memoranda


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--asks", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--compactions", type=int, default=100)
    parser.add_argument("--spread-max", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", default=",".join(PARTS))
    options = parser.parse_args()
    options.sizes = sorted({int(size) for size in options.sizes.split(",")})
    if options.million:
        options.sizes.append(1_000_000)
    options.only = options.only.split(",")
    if options.folder is not None and len(options.sizes) != 1:
        parser.error("--folder keeps the stores of one size: name it with --sizes")
    if set(options.only) - set(PARTS):
        parser.error(f"--only takes of {', '.join(PARTS)}")
    return options


if __name__ == "__main__":
    main()
