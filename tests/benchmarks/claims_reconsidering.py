"""What it costs to look again at claims whose source fell, by how many others are stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from domain.claims.gap_names import GapName
from domain.context import Context
from read_api.claim_questions import ClaimFilters
from read_api.claims import Claims
from tests.benchmarks.claims_data import PER_SOURCE, Target, Writer
from tests.benchmarks.claims_following import Followed, followed
from tests.benchmarks.speed_asking import in_turn
from tests.benchmarks.speed_data import within, written

FLAT_RATIO_MAX: Final = 1.5
"""Of the cost of reconsidering in the largest store to that in the smallest one."""


def bench_reconsidering(folder: Path, sizes: Sequence[int], asks: int) -> Iterator[Target]:
    """What rests on a source, and forgetting one until its claims show it, by claims stored."""
    stores: dict[str, tuple[Followed, list[str]]] = {}
    with ExitStack() as opened:
        for size in sizes:
            started = time.perf_counter()
            with written(folder / str(size)) as execute:
                _, sources = Writer(execute, "bench").claims(size)
            print(f"{size} claims, {PER_SOURCE} of which rest on a source, written in "
                  f"{time.perf_counter() - started:.0f} s")  # fmt: skip
            stores[f"{size} claims"] = opened.enter_context(followed(folder / str(size))), sources
        works: dict[str, Callable[[Followed, str], None]] = {
            "what rests on a source, with gaps": lambda store, one: gapped(store.claims, one, None),
            "a source forgotten, until its claims show it": forgotten,
        }
        for name, work in works.items():
            print(name)
            yield _flat(name, work, stores, asks)


def _flat(
    name: str,
    work: Callable[[Followed, str], None],
    stores: Mapping[str, tuple[Followed, list[str]]],
    asks: int,
) -> Target:
    """Whether a work costs the same in stores of all sizes, which take turns."""
    takes = {
        size: lambda at, store=store, sources=sources: work(store, sources[at])
        for size, (store, sources) in stores.items()
    }
    times = in_turn(takes, asks)
    for size, one in times.items():
        one.line(size)
    first, *_, last = times
    ratio = times[last].at(0.5) / times[first].at(0.5)
    said = f"{ratio:.2f} x from {first} to {last}, at most {FLAT_RATIO_MAX:g} x"
    return Target(name, said, ratio <= FLAT_RATIO_MAX)


def gapped(claims: Claims, source: str, gap: GapName | None) -> None:
    """The claims that rest on a source, by gap."""
    page = claims.page(_who(), ClaimFilters(rests_on=source, gap=gap))
    assert len(page["items"]) == PER_SOURCE, len(page["items"])


def forgotten(store: Followed, source: str) -> None:
    """A source is forgotten, and all its claims show it."""
    store.forget(_who(), source)
    gapped(store.claims, source, "source_forgotten")


def _who() -> Context:
    return within("bench")
