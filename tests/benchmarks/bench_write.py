"""What writing costs on PostgreSQL, as ratios against raw psycopg in one run: `make bench-write`.

Prints tables; asserts nothing but that the database is durable. The single operations take turns,
so that all meet the same disk. Options: --rounds N, --stored N,N (events), --seconds N.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import psycopg

from commands.clock import MonotonicIds, SystemClock
from commands.store_postgres import PostgresRecorder
from commands.store_rows import NewRow, RefRow
from ops.memoranda import Memoranda
from tests.benchmarks.common import (
    TextMaker,
    alone,
    context,
    envelope,
    in_threads,
    p10_p50,
    remember,
    timed,
)
from tests.benchmarks.server import Services, services

WARM_UP: Final = 100
BATCH: Final = 500
_INSERT: Final = "INSERT INTO bench.plain (state) VALUES (%s)"
_BYTES: Final = "SELECT sum(octet_length(state)) FROM memoranda_log.event WHERE position > %s"


def main() -> None:
    """Run everything, one section after the other."""
    options = _options()
    with alone(), services() as running:
        _make_raw_table(running.mode.database_url)
        with running.memoranda() as memoranda, running.worker():
            size = bench_single(memoranda, running, options.rounds)
            bench_callers(memoranda, running, options.seconds, size)
            bench_many(memoranda, running, size)
        bench_growth(running, [int(text) for text in options.stored.split(",")], options.rounds)


def _make_raw_table(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA bench")
        connection.execute("CREATE TABLE bench.plain (position bigserial PRIMARY KEY, state bytea)")


def bench_single(memoranda: Memoranda, running: Services, rounds: int) -> int:
    """One caller against one raw writer of the same bytes; the bytes of a command."""
    size = _bytes_of_a_command(memoranda, running)
    text, data, order = TextMaker(1), os.urandom(size), random.Random(3)
    with (
        psycopg.connect(running.mode.database_url) as raw,
        psycopg.connect(running.mode.database_url, autocommit=True) as auto,
    ):

        def in_transaction() -> None:
            raw.execute(_INSERT, (data,))
            raw.commit()

        works: dict[str, Callable[[], object]] = {
            "raw INSERT + COMMIT": in_transaction,
            "raw autocommit": partial(auto.execute, _INSERT, (data,)),
            "remember, with receipt, sealed and hashed": lambda: remember(
                memoranda, text.sentence()
            ),
        }
        times: dict[str, list[float]] = {name: [] for name in works}
        for number in range(WARM_UP + rounds):
            for name in order.sample(list(works), len(works)):
                seconds = timed(works[name])
                if number >= WARM_UP:
                    times[name].append(seconds)
    print(f"\none caller, {size} bytes a command, {rounds} rounds in turn")
    raw_name, auto_name, ours = times
    for name, found in times.items():
        p10, p50 = p10_p50(found)
        print(f"  {name}: p10 {p10:.3f} ms, p50 {p50:.3f} ms, {1 / statistics.mean(found):,.0f}/s")
    for name in (raw_name, auto_name):
        ratio = statistics.median(times[name]) / statistics.median(times[ours])
        whole = sum(times[name]) / sum(times[ours])
        print(f"  one caller: {ratio:.2f} x of {name} (means {whole:.2f} x)")
    return size


def _bytes_of_a_command(memoranda: Memoranda, running: Services) -> int:
    remember(memoranda, TextMaker(0).sentence())
    before = memoranda.log.head()
    for number in range(50):
        remember(memoranda, TextMaker(number).sentence())
    with psycopg.connect(running.mode.database_url) as connection:
        found = connection.execute(_BYTES, (before,)).fetchone()
    assert found is not None
    return int(found[0]) // 50


def bench_callers(memoranda: Memoranda, running: Services, seconds: float, size: int) -> None:
    """Many callers against raw autocommit on 1 and on 16 connections."""
    print(f"\nmany callers, {seconds:g} s each")
    raw = {count: _raw_rate(running, count, seconds, os.urandom(size)) for count in (1, 16)}
    for count, rate in raw.items():
        print(f"  raw autocommit on {count} connections: {rate:,.0f}/s")
    for callers in (16, 64):
        rate = _rate(callers, seconds, lambda text: remember(memoranda, text.sentence()))
        said = ", ".join(f"{rate / one:.2f} x of {count}" for count, one in raw.items())
        print(f"  {callers} callers: {rate:,.0f} commands/s ({said} raw connections)")


def _rate(callers: int, seconds: float, work: Callable[[TextMaker], object]) -> float:
    done = [0] * callers
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)

    def call(number: int) -> None:
        text = TextMaker(number)
        while not stop.is_set():
            work(text)
            done[number] += 1

    timer.start()
    took = in_threads(callers, call)
    return sum(done) / took


def _raw_rate(running: Services, connections: int, seconds: float, data: bytes) -> float:
    opened = [
        psycopg.connect(running.mode.database_url, autocommit=True) for _ in range(connections)
    ]
    free = iter(opened)
    mine = threading.local()

    def insert(_: TextMaker) -> None:
        if not hasattr(mine, "connection"):
            mine.connection = next(free)
        mine.connection.execute(_INSERT, (data,))

    try:
        return _rate(connections, seconds, insert)
    finally:
        for one in opened:
            one.close()


def bench_many(memoranda: Memoranda, running: Services, size: int) -> None:
    """`execute_many` against COPY of as many rows and bytes."""
    text, rates = TextMaker(2), []
    for _ in range(6):
        items = [envelope(text.sentence()) for _ in range(BATCH)]
        before = memoranda.log.head()
        took = timed(partial(memoranda.execute_many, context(), items))
        rates.append((memoranda.log.head() - before) / took)
    ours = statistics.median(rates[1:])
    copied = statistics.median(_copy(running, size // 2) for _ in range(5))
    print(f"\nexecute_many of {BATCH}: {ours:,.0f} events/s = {ours / copied:.2f} x of COPY")
    print(f"  COPY of {2 * BATCH} rows of {size // 2} bytes: {copied:,.0f} rows/s")


def _copy(running: Services, size: int) -> float:
    data = [os.urandom(size) for _ in range(2 * BATCH)]
    with psycopg.connect(running.mode.database_url) as connection:
        start = time.perf_counter()
        with (
            connection.cursor() as cursor,
            cursor.copy("COPY bench.plain (state) FROM STDIN (FORMAT BINARY)") as copy,
        ):
            copy.set_types(["bytea"])
            for one in data:
                copy.write_row((one,))
        connection.commit()
        return len(data) / (time.perf_counter() - start)


def bench_growth(running: Services, stored: list[int], rounds: int) -> None:
    """The append of one command's rows, with so many events before it."""
    print("\nappend of one command's two events, against the number of stored events")
    clock = SystemClock()
    ids = MonotonicIds(clock)
    recorder = PostgresRecorder(running.mode.database_url, clock)
    first = None
    try:
        for count in stored:
            _fill(recorder, ids, count)
            times = [timed(partial(_append, recorder, ids, 1)) for _ in range(WARM_UP + rounds)]
            p10, p50 = p10_p50(times[WARM_UP:])
            first = first or p50
            head = recorder.head()
            print(f"  {head:,} events: p10 {p10:.3f} ms, p50 {p50:.3f} ms = {p50 / first:.2f} x")
    finally:
        recorder.close()


def _fill(recorder: PostgresRecorder, ids: MonotonicIds, count: int) -> None:
    while (missing := count - recorder.head()) > 0:
        _append(recorder, ids, min(2500, (missing + 1) // 2), durable=False)


def _append(
    recorder: PostgresRecorder, ids: MonotonicIds, commands: int, *, durable: bool = True
) -> None:
    """The rows of so many commands, of random bytes: the database looks into none of them."""
    rows: list[NewRow] = []
    refs: list[RefRow] = []
    for _ in range(commands):
        for prefix, topic, part in (
            ("mem_", "memory.remembered", 7),
            ("receipt_", "command.recorded", None),
        ):
            stream = ids.new(prefix)
            rows.append(_row(stream, topic, part))
        refs.append(RefRow("bench", "correlation", stream, stream, len(rows) - 1))
    recorder.append(rows, refs, durable=durable)


def _row(stream: str, topic: str, part: int | None) -> NewRow:
    return NewRow(
        stream=stream,
        version=1,
        topic=topic,
        state=os.urandom(900),
        event_hash=os.urandom(32),
        workspace="bench",
        part=part,
    )


def _options() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--stored", default="10000,100000,1000000")
    return parser.parse_args()


if __name__ == "__main__":
    main()
