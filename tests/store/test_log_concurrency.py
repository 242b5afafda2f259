"""Processes that append to one log while others follow it."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commands.store_errors import StreamConflictError
from tests.contracts.log_store import follow
from tests.store.building import release, rows

ROOT = Path(__file__).resolve().parents[2]
APPENDS = 60


def test_a_follower_misses_nothing_while_threads_and_processes_append(adapter, log, start):
    script = f"for n in range({APPENDS}): log.append(rows(n % 3 + 1), [])\nlog.close()\n"
    processes = [start(script) for _ in range(2)]
    finished = threading.Event()
    taken = rows(1)
    log.append(taken, [])

    def write() -> None:
        for number in range(APPENDS):
            log.append(rows(number % 3 + 1), [])
            if number % 10 == 0:
                with pytest.raises(StreamConflictError):
                    log.append([*rows(2), *taken], [])

    with ThreadPoolExecutor(4) as threads:
        followers = [threads.submit(follow, log, finished) for _ in range(2)]
        release(*processes)
        writers = [threads.submit(write) for _ in range(2)]
        for writer in writers:
            writer.result()
        codes = [process.wait() for process in processes]
        finished.set()
        seen = [follower.result() for follower in followers]

    everything = log.rows_after(0, 10_000)
    assert codes == [0, 0]
    assert len(everything) == 1 + 4 * APPENDS * 2
    for followed in seen:
        assert followed == [stored.position for stored in everything]
    assert all(a < b for a, b in zip(seen[0], seen[0][1:], strict=False))


def test_six_processes_may_start_at_once(adapter, start):
    processes = [start("log.append(rows(1), [])\nlog.close()\n") for _ in range(6)]

    release(*processes)

    assert [process.wait() for process in processes] == [0] * 6
    assert len(adapter.open().rows_after(0, 100)) == 6


def test_a_killed_process_loses_nothing_it_was_told_of_and_leaves_no_half_append(adapter, start):
    script = "while True: print(*log.append(rows(3), []).positions, flush=True)\n"
    process = start(script)
    release(process)

    told = [process.stdout.readline() for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    told += process.stdout.readlines()
    process.wait()

    there = {stored.position for stored in adapter.open().rows_after(0, 100_000)}
    whole = [line.split() for line in told if line.endswith("\n")]
    assert {int(position) for line in whole for position in line} <= there
    assert len(there) % 3 == 0
