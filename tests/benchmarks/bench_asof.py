"""Reading at a past basis against reading now: `make bench-asof MEMORIES="10000 100000"`.

One workspace in the embedded mode. Half of the memories are stored, then the other half, then every
fifth of the first half is corrected, so that the past differs from now. Both sides of a row are
asked in turn, in this process, so that whatever else the machine does meets both. A row is the
ratio of their medians; the run ends with 1 where one is above the target.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from domain.canonical import JsonObject
from ops.memoranda import Memoranda
from ops.wiring import open_memoranda
from read_api.past_basis import AskedBasis
from read_api.slot_questions import HistoryQuestion, SlotQuestion
from tests.benchmarks.common import TextMaker, alone, asking, context, envelope, execute
from tests.benchmarks.speed_asking import Times
from tests.benchmarks.speed_data import settle

TARGET: Final = 3.0
BATCH: Final = 500
OF_A_SLOT: Final = 4
"""Memories that speak of the same thing."""
CORRECTED_EVERY: Final = 5
ROW_SECONDS_MAX: Final = 60.0
"""A row that takes longer ends there, with at least `ASKED_MIN` questions."""
ASKED_MIN: Final = 10
NEWEST: Final = "newest-recorded/v1"


@dataclass(frozen=True)
class Stored:
    """What was stored: ids of the first half, names of its slots, and when it was all there was."""

    ids: Sequence[str]
    slots: Sequence[str]
    position: int
    at: str


class Row(NamedTuple):
    """A question at two bases; both take the number of the question."""

    name: str
    now: Callable[[int], object]
    then: Callable[[int], object]


def load(memoranda: Memoranda, maker: TextMaker, memories: int) -> Stored:
    """Store the memories and the corrections, and wait until nothing is left to follow."""
    half = memories // 2
    ids = _sent(memoranda, [_memory(maker, number) for number in range(half)])
    position = memoranda.log.head()
    at = memoranda.read.memory(context(), ids[-1]).body["recorded_at"]
    _sent(memoranda, [_memory(maker, number) for number in range(half, memories)])
    corrected = range(0, half, CORRECTED_EVERY)
    _sent(memoranda, [_correction(maker, number, ids[number]) for number in corrected])
    settle(memoranda, [context().workspace])  # else the index is made while we measure
    slots = [_slot(number // OF_A_SLOT) for number in range(0, half, OF_A_SLOT)]
    return Stored(ids, slots, position, at)


def _sent(memoranda: Memoranda, bodies: Sequence[JsonObject]) -> list[str]:
    """The ids of the records that came of operations, once all of them are followed."""
    ids: list[str] = []
    for start in range(0, len(bodies), BATCH):
        answers = memoranda.execute_many(context(), bodies[start : start + BATCH])
        ids += [answer["result"]["result"]["record"]["id"] for answer in answers]
    memoranda.read.wait("bench", memoranda.log.head(), 3600)
    return ids


def _memory(maker: TextMaker, number: int) -> JsonObject:
    said = envelope("")
    said["input"]["content"] = _content(maker, number)
    return said


def _correction(maker: TextMaker, number: int, memory: str) -> JsonObject:
    patch = {"content": _content(maker, number)}
    said = {"target": {"kind": "memory", "id": memory}, "patch": patch}
    return {**envelope(""), "operation": "update", "input": said}


def _content(maker: TextMaker, number: int) -> JsonObject:
    properties = {"slot": _slot(number // OF_A_SLOT), "object": maker.sentence()[:20]}
    return {
        "format": "text_and_properties",
        "value": {"text": maker.sentence(), "properties": properties},
    }


def _slot(number: int) -> str:
    return f"slot {number}"


def rows(memoranda: Memoranda, stored: Stored, maker: TextMaker, count: int) -> Iterator[Row]:
    """The questions, each at the newest basis and at the past ones."""
    chance = random.Random(7)
    questions = [maker.question() for _ in range(count)]
    ids = chance.choices(stored.ids, k=count)
    slots = chance.choices(stored.slots, k=count)
    read, known = memoranda.read, {"as_known_position": stored.position}

    def recall(**more: Any) -> Callable[[int], object]:
        return lambda number: execute(memoranda, "recall", asking(questions[number], **more))

    def slot(**more: Any) -> Callable[[int], object]:
        asked = SlotQuestion(**more)
        return lambda number: read.slot(context(), slots[number], asked)

    def memory(**more: Any) -> Callable[[int], object]:
        asked = AskedBasis(**more)
        return lambda number: read.memory_at(context(), ids[number], asked)

    yield Row("recall, as_known_position", recall(), recall(**known))
    yield Row("recall, as_of", recall(), recall(as_of=stored.at))
    yield Row("recall, both", recall(), recall(as_of=stored.at, **known))
    newest = {"policy": NEWEST}
    yield Row(f"recall, {NEWEST}", recall(**newest), recall(**newest, **known))
    current = lambda number: read.memory(context(), ids[number])  # noqa: E731 - a row's side
    yield Row("memory, as_known_position", current, memory(**known))
    yield Row("memory, both", current, memory(as_of=stored.at, **known))
    yield Row("slot, as_known_position", slot(), slot(**known))
    yield Row("slot, as_of", slot(), slot(as_of=stored.at))
    yield Row(f"slot, {NEWEST}", slot(**newest), slot(**newest, **known))


def measured(row: Row, count: int) -> float:
    """Print a row and give its ratio."""
    now, then = Times(), Times()
    row.now(0)
    row.then(0)
    end = time.monotonic() + ROW_SECONDS_MAX
    for number in range(count):
        now.take(lambda number=number: row.now(number))
        then.take(lambda number=number: row.then(number))
        if number >= ASKED_MIN and time.monotonic() > end:
            break
    ratio = then.at(0.5) / now.at(0.5)
    verdict = "ok" if ratio <= TARGET else "ABOVE"
    print(
        f"  {row.name:<34} now p50 {now.at(0.5):8.2f}  p95 {now.at(0.95):8.2f} ms   "
        f"then p50 {then.at(0.5):8.2f}  p95 {then.at(0.95):8.2f} ms   "
        f"{ratio:5.2f} x  (cpu {then.cpu_at(0.5) / now.cpu_at(0.5):5.2f} x)  {verdict}  "
        f"{len(now.wall)} each"
    )
    return ratio


def run(folder: Path, memories: int, count: int) -> list[float]:
    """The ratios of all rows, over a store of its own."""
    maker = TextMaker(5)
    with closing(open_memoranda(folder)) as memoranda:
        stored = load(memoranda, maker, memories)
        print(f"{memories} memories, {memoranda.log.head()} events; {count} questions a row")
        ratios = [measured(row, count) for row in rows(memoranda, stored, maker, count)]
        history = Times()
        for number in range(count):
            name = stored.slots[number % len(stored.slots)]
            asked = HistoryQuestion()
            history.take(
                lambda name=name, asked=asked: memoranda.read.slot_history(context(), name, asked)
            )
        history.line(f"history of a slot of {OF_A_SLOT} memories")
    return ratios


def main() -> int:
    """Print the figures; 1 where a ratio is above the target."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--memories", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--questions", type=int, default=200)
    said = options.parse_args()
    worst = 0.0
    with alone(), tempfile.TemporaryDirectory(prefix="bench-asof-") as folder:
        for memories in said.memories:
            ratios = run(Path(folder) / str(memories), memories, said.questions)
            worst = max(worst, *ratios)
        print(f"worst ratio {worst:.2f} x, target at most {TARGET:g} x")
    return 0 if worst <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
