"""What must hold at any size: one eligible memory among all others, and a time limit."""

from __future__ import annotations

from itertools import islice
from typing import Final

from domain.limits import TEXT_BYTES_MAX
from ops.memoranda import Memoranda
from tests.benchmarks.speed_asking import Times, asked, look
from tests.benchmarks.speed_data import Stored, Texts, remembering

KIND: Final = "crowded"
BEFORE: Final = "2002-01-01T00:00:00Z"
"""When no other memory was valid yet."""
WORDS: Final = 10_000
TIMEOUT_MS: Final = 5
TIMEOUT_TARGET_MS: Final = 30.0


def bench_crowding(memoranda: Memoranda, stored: Stored, texts: Texts, asks: int) -> None:
    """One memory that may be an answer, among others that match better and may not."""
    who = stored.asking()
    word = next(word for word in texts.words if len(word) > 5 and word.isalpha())
    said = remembering(
        f"{word} {texts.sentence()} {texts.sentence()}",
        kind=KIND,
        valid_from="2001-01-01T00:00:00Z",
        identity_key=KIND,  # a store that is kept has one of them, however often it is measured
    )
    one = memoranda.execute(who, said)["result"]["result"]["record"]["id"]
    questions = [f"{word} {question}" for question in texts.questions[:asks]]
    by_kind, by_time = Times(), Times()
    found = 0
    for question in questions:
        for times, filters in ((by_kind, {"kinds": [KIND]}), (by_time, {"as_of": BEFORE})):
            answer = times.take(
                lambda question=question, filters=filters: asked(
                    memoranda, who, {"objective": question, **filters}, max_items=1
                )
            )
            found += [item["record"]["id"] for item in answer["items"]] == [one]
    index = memoranda.memtables.of(who.workspace)
    ranked = look(index, questions[0], len(stored.texts) + 10_000)
    better = [hit.memory_id for hit in ranked].index(one)
    print(f" one eligible memory, limit 1, where {better:,} of {len(ranked):,} matches are better")
    print(f"  found alone: {found} of {2 * len(questions)} (target: all)")
    by_kind.line("the others are of another kind")
    by_time.line("the others were not valid then")


def bench_timeout(memoranda: Memoranda, stored: Stored, texts: Texts, asks: int) -> None:
    """Ten thousand words and five milliseconds."""
    who, times = stored.asking(), Times()
    words = sorted(islice(texts.words, WORDS))
    said = {"objective": " ".join(words)[:TEXT_BYTES_MAX]}
    complete = 0
    for _ in range(asks):
        answer = times.take(lambda: asked(memoranda, who, said, timeout_ms=TIMEOUT_MS))
        complete += answer["completeness"]["complete"]
    p99 = times.at(0.99)
    print(f" a question of {len(words):,} words, timeout_ms {TIMEOUT_MS}; {complete} were complete")
    times.line(f"recall ({asks} x)")
    ratio = p99 / TIMEOUT_TARGET_MS
    print(f"  p99 {p99:.1f} ms, target ≤ {TIMEOUT_TARGET_MS:g} ms: {ratio:.2f} x")
