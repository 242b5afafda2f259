"""How fast claims are assessed, read and looked at again: `make bench-claims`.

In the embedded mode, in process; reconsidering without a recall index. Works that are compared take
turns; a figure by the processor is of the asking thread. The run ends with 1 where a target is
missed.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from domain.context import Context
from domain.validation.assessing import assess
from domain.validation.shipped import SHIPPED, TWO_INDEPENDENT
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from read_api.claim_questions import EVIDENCE_MAX, EvidenceQuestion
from read_api.evidence_graph import GraphQuestion
from tests.benchmarks.claims_data import Target, Writer
from tests.benchmarks.claims_reconsidering import bench_reconsidering
from tests.benchmarks.common import TextMaker, alone
from tests.benchmarks.speed_asking import in_turn, recall
from tests.benchmarks.speed_data import Execute, settle, within, written

EDGES: Final = 10
ASSESS_RATE_MIN: Final = 200.0
"""Assessments a second at `EDGES` relationships."""
NEIGHBOURHOOD_MS_MAX: Final = {1_000: 20.0, 10_000: 100.0}
"""p95 of a page of the evidence about a claim, and of what is around it, by its degree."""
_KEYS: Final = itertools.count()


@contextmanager
def following(
    folder: Path, write: Callable[[Execute], Any], *workspaces: str
) -> Iterator[tuple[Memoranda, Any]]:
    """A store that holds what was written, once everything has been followed."""
    started = time.perf_counter()
    with written(folder) as execute:
        stored = write(execute)
    wrote = time.perf_counter()
    with closing(open_memoranda(folder)) as memoranda:
        settle(memoranda, list(workspaces))
        followed = time.perf_counter()
        print(
            f"  {memoranda.log.head()} events, written in {wrote - started:.0f} s, "
            f"followed in {followed - wrote:.0f} s"
        )
        yield memoranda, stored


def opened(folder: Path, load: Callable[[Writer], Any]) -> Any:
    """`following` of one workspace."""
    return following(folder, lambda execute: load(Writer(execute, "bench")), "bench")


def bench_assessing(folder: Path, count: int) -> list[Target]:
    """Assessments a second, and what reading, judging and recording are of one."""
    print(f"assess, {EDGES} relationships a claim, {count} claims")
    with opened(folder, lambda writer: writer.busy(count, EDGES)) as (memoranda, claims):
        who, definition = _who(), SHIPPED[TWO_INDEPENDENT]
        found = {
            at: memoranda.claims.assessed(who, claim, TWO_INDEPENDENT, None, ()).found
            for at, claim in enumerate(claims)
        }
        whole, read, judged = "assess, recorded", "reading and judging", "judging"
        times = in_turn(
            {
                whole: lambda at: assessed(memoranda, claims[at]),
                read: lambda at: memoranda.claims.assessed(
                    who, claims[at], TWO_INDEPENDENT, None, ()
                ),
                judged: lambda at: assess(found[at], "bench", TWO_INDEPENDENT, definition, 1),
            },
            len(claims),
        )
    for name, one in times.items():
        one.line(name)
    rate = len(times[whole].wall) / sum(times[whole].wall)
    cpu = {name: sum(one.cpu) for name, one in times.items()}
    shares = (cpu[read] - cpu[judged]) / cpu[whole], cpu[judged] / cpu[whole]
    print(f"  {rate:,.0f}/s; of the processor of the asking thread: reading {shares[0]:.0%}, "
          f"judging {shares[1]:.0%}, recording {1 - sum(shares):.0%}")  # fmt: skip
    said = f"{rate:,.0f}/s, at least {ASSESS_RATE_MIN:g}/s"
    return [Target("assess", said, rate >= ASSESS_RATE_MIN)]


def assessed(memoranda: Memoranda, claim: str) -> None:
    """As `POST /v1/claims/{id}/assess`."""
    key = f"assess {next(_KEYS)}"
    memoranda.assessor.assess(_who(), claim, TWO_INDEPENDENT, key=key)


def bench_neighbourhood(folder: Path, asks: int) -> Iterator[Target]:
    """The evidence about claims of many relationships."""
    for degree, most in NEIGHBOURHOOD_MS_MAX.items():
        print(f"the evidence about a claim of {degree} relationships")
        load = lambda writer, degree=degree: writer.busy(1, degree)  # noqa: E731 - of this degree
        with opened(folder / str(degree), load) as (memoranda, [claim]):
            page, near = "as GET /v1/claims/{id}/evidence", "as GET /v1/evidence/graph"
            large, judged = f"a page of {EVIDENCE_MAX} relationships", "an assessment, unrecorded"
            works: dict[str, Callable[[int], object]] = {
                page: lambda _: evidence(memoranda, claim, EvidenceQuestion()),
                near: lambda _: memoranda.read.graph(_who(), GraphQuestion(seed=claim)),
                large: lambda _: evidence(memoranda, claim, EvidenceQuestion(limit=EVIDENCE_MAX)),
                judged: lambda _: memoranda.claims.assessed(
                    _who(), claim, TWO_INDEPENDENT, None, ()
                ),
            }
            for work in works.values():
                work(0)
            times = in_turn(works, asks)
        for name, one in times.items():
            one.line(name)
        for name, one in {"evidence": times[page], "graph": times[near]}.items():
            p95 = one.at(0.95)
            said = f"p95 {p95:.1f} ms, at most {most:g} ms"
            yield Target(f"{name} of {degree}", said, p95 <= most)


def evidence(memoranda: Memoranda, claim: str, asked: EvidenceQuestion) -> None:
    """A page of the evidence about a claim, as full as it can be."""
    said = memoranda.claims.evidence(_who(), claim, asked)
    told = len(said["supports"]) + len(said["contradicts"])
    assert told == asked.limit, told


def bench_recall(folder: Path, memories: int, asks: int) -> tuple[Target, ...]:
    """A recall over claims, whose items carry gaps, beside one over as many observations: it has
    no target.
    """
    print(f"recall, 10 items, over {memories} claims and over {memories} observations")

    def write(execute: Execute) -> None:
        Writer(execute, "claims").remember("claim", memories)
        Writer(execute, "observations").remember("observation", memories)

    maker = TextMaker(7)
    questions = [maker.question() for _ in range(asks)]
    askers = {name: within(name) for name in ("claims", "observations")}
    with following(folder, write, *askers) as (memoranda, _):
        times = in_turn(
            {
                name: lambda at, who=who: recall(memoranda, who, questions[at])
                for name, who in askers.items()
            },
            asks,
        )
    for name, one in times.items():
        one.line(name)
    ratio = times["claims"].cpu_at(0.5) / times["observations"].cpu_at(0.5)
    print(f"  claims take {ratio:.2f} x of the processor")
    return ()


def _who() -> Context:
    return within("bench")


def main() -> int:
    """Print the figures; 1 where a target is missed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default="1000,10000,100000", help="claims stored")
    options.add_argument("--asks", type=int, default=50)
    options.add_argument("--only", choices=["assess", "evidence", "reconsider", "recall"])
    said = options.parse_args()
    sizes = [int(size) for size in said.sizes.split(",")]
    parts: dict[str, Callable[[Path], Iterable[Target]]] = {
        "assess": lambda folder: bench_assessing(folder, 6 * said.asks),
        "evidence": lambda folder: bench_neighbourhood(folder, said.asks),
        "reconsider": lambda folder: bench_reconsidering(folder, sizes, said.asks),
        "recall": lambda folder: bench_recall(folder, 10_000, said.asks),
    }
    targets: list[Target] = []
    with alone(), tempfile.TemporaryDirectory(prefix="bench-claims-") as folder:
        for name, part in parts.items():
            if said.only in {None, name}:
                targets += part(Path(folder) / name)
        for target in targets:
            print(f"{target.name}: {target.said}: {'ok' if target.met else 'MISSED'}")
    return 0 if all(target.met for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
