"""The recall index on disk, in figures: `make bench-index MEMORIES=10000`.

One workspace in the embedded mode. Times are of the processor, in one thread; each is a line.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from ops.wiring import open_memoranda
from projections.lexical.analyzer import query_terms
from projections.lexical.eligibility import Basis, Filters
from read_api.deadlines import Deadline
from read_api.lookups import Question
from read_api.memtables import Memtables
from tests.circumstances import context
from tests.inputs import envelope

BATCH = 500
WORDS_EACH = 30
QUESTIONS = 20


def timed(what: str, each: int, work: Callable[[], Any]) -> Any:
    """Do it, and say what it cost in milliseconds, and for each memory."""
    began = time.process_time()
    done = work()
    spent = (time.process_time() - began) * 1e3
    print(f"{what:<44}{spent:>12.1f} ms{spent / each:>10.3f} ms each")
    return done


def texts(count: int) -> list[str]:
    """Sentences of words that are as unequally frequent as those of a language."""
    chance = Random(1)
    pool = [f"word{int(chance.paretovariate(0.6)) % 20_000}" for _ in range(200_000)]
    return [" ".join(chance.choices(pool, k=WORDS_EACH)) for _ in range(count)]


def ask(index: Any, questions: list[str]) -> list[Any]:
    """What each question finds."""
    basis = Basis(index.position, 2**60, "ann")
    far = Deadline.after(3600)
    return [
        index.look(basis, Question(query_terms(text), 20, Filters()), far).hits
        for text in questions
    ]


def run(folder: Path, count: int) -> None:
    """Load, make, open, ask, merge, purge."""
    said = texts(count)
    questions = [" ".join(text.split()[:8]) for text in said[:: max(1, count // QUESTIONS)]]
    with closing(open_memoranda(folder)) as memoranda:
        who = context()
        for start in range(0, count, BATCH):
            items = [
                envelope(
                    "remember",
                    content={"format": "text", "value": text},
                    envelope_changes={"idempotency_key": f"{start}-{at}"},
                )
                for at, text in enumerate(said[start : start + BATCH])
            ]
            memoranda.execute_many(who, items)
        log, head = memoranda.log, memoranda.log.head()
        rounds = replace(memoranda.index.rounds, idle_seconds=-60)
        rounds.due()
        plain = Memtables(log).of(who.workspace)
        far = Deadline.after(3600)
        timed("reading the log into memory", count, lambda: plain.follow(head, far))
        timed("making segments of it", count, lambda: rounds.work(who.workspace))
        live = rounds.indexer.builds.known(who.workspace).live
        size = sum(one.bytes for one in live)
        print(f"{len(live)} segments, {size / count:.0f} bytes a memory")
        index = Memtables(log, segments=memoranda.index.source()).of(who.workspace)
        timed("opening them", count, lambda: index.follow(head, far))
        cold = timed("questions, cold", len(questions), lambda: ask(index, questions))
        warm = timed("questions, warm", len(questions), lambda: ask(index, questions))
        memory = timed("questions, all in memory", len(questions), lambda: ask(plain, questions))
        print(f"the same hits and scores: {cold == warm == memory}")
        timed("merging all of them", count, lambda: rounds.indexer.merge(who.workspace, live))
        first = cold[0][0].memory_id
        body = envelope("forget", memory_id=first, mode="tombstone", reason="to measure")
        memoranda.execute(who, body)
        timed(
            "purging one memory of the merged segment",
            1,
            lambda: rounds.indexer.clear(who.workspace, log.head()),
        )


def main() -> None:
    """Print the figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, default=10_000)
    with tempfile.TemporaryDirectory(prefix="bench-index-") as folder:
        run(Path(folder) / "data", options.parse_args().memories)


if __name__ == "__main__":
    main()
