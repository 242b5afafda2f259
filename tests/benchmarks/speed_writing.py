"""Recall while others write: how much slower, how late, and what a tail behind segments costs."""

from __future__ import annotations

import threading
import time
from typing import Final

from ops.memoranda import Memoranda
from tests.benchmarks.common import envelope
from tests.benchmarks.speed_asking import Times, recall
from tests.benchmarks.speed_data import BATCH, Stored, Texts, settle

WRITES_A_SECOND: Final = 50
TAILS: Final = (10, 950)
"""Events behind the segments; at 1 000 they become a segment."""
OVERLAY_TARGET_MS: Final = 5.0


def bench_writing(memoranda: Memoranda, stored: Stored, texts: Texts, seconds: float) -> None:
    """Recalls beside a writer that sends 50 memories a second, and without it, in the same run."""
    who, stop, written = stored.asking(), threading.Event(), Times()

    def write() -> None:
        begin = due = time.perf_counter()
        while not stop.wait(max(0.0, due - time.perf_counter())):
            written.take(lambda: memoranda.execute(who, envelope(texts.sentence())))
            due = begin + len(written.wall) / WRITES_A_SECOND

    quiet, busy = Times(), Times()
    _ask_for(seconds / 2, memoranda, stored, texts, quiet)
    writer = threading.Thread(target=write)
    writer.start()
    _ask_for(seconds, memoranda, stored, texts, busy)
    stop.set()
    writer.join()
    rate = len(written.wall) / seconds
    print(f" while {rate:.0f} memories a second are written (wanted {WRITES_A_SECOND})")
    quiet.line("recall, nobody writes")
    busy.line("recall beside the writer")
    written.line("a write beside the recalls")
    print(
        f"  beside the writer p50 {busy.at(0.5) / quiet.at(0.5):.2f} x, "
        f"p95 {busy.at(0.95) / quiet.at(0.95):.2f} x"
    )


def _ask_for(
    seconds: float, memoranda: Memoranda, stored: Stored, texts: Texts, times: Times
) -> None:
    end, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        question = texts.questions[number % len(texts.questions)]
        times.take(lambda question=question: recall(memoranda, stored.asking(), question))
        number += 1


def bench_lag(memoranda: Memoranda, stored: Stored, texts: Texts, count: int) -> None:
    """From a receipt to an answer that has it; what one event, and a tail, cost a recall."""
    print(" receipt → recallable, and the cost of what is not in a segment yet")
    for tail in TAILS:
        settle(memoranda, stored.workspaces)
        _bench_tail(memoranda, stored, texts, tail, count)


def _bench_tail(memoranda: Memoranda, stored: Stored, texts: Texts, tail: int, count: int) -> None:
    who, question = stored.asking(), texts.questions[0]
    plain, first, fresh, still = Times(), Times(), Times(), Times()
    for _ in range(count):
        plain.take(lambda: recall(memoranda, who, question))
    for start in range(0, tail, BATCH):
        items = [envelope(texts.sentence()) for _ in range(min(BATCH, tail - start))]
        memoranda.execute_many(who, items)
    first.take(lambda: recall(memoranda, who, question))
    missed = 0
    for number in range(min(count, 40)):
        word = f"needle{tail}n{number}"
        memoranda.execute(who, envelope(f"{word} {texts.sentence()}"))
        found = fresh.take(lambda word=word: recall(memoranda, who, word))
        missed += not any(word in str(item["record"]) for item in found["items"])
        still.take(lambda: recall(memoranda, who, question))
    print(f"  a tail of {tail} events")
    plain.line("  no tail")
    first.line("  the first recall after they were written at once")
    fresh.line("  asking for what was just written")
    still.line("  another question behind the tail")
    cost = still.cpu_at(0.95) - plain.cpu_at(0.95)
    print(
        f"    not found with the receipt in hand: {missed} of {len(fresh.wall)} (target 0); "
        f"overlay, processor p95 {cost:+.2f} ms, target ≤ {OVERLAY_TARGET_MS:g}: "
        f"{cost / OVERLAY_TARGET_MS:.2f} x"
    )
