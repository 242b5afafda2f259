"""Times only grow, ids sort as they were made and cannot be guessed."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from commands.clock import MonotonicIds, StrictClock, SystemClock
from domain.ids import decode_id, split_id
from domain.instants import parse_instant
from tests.store.building import SetClock

READINGS = st.lists(st.integers(0, 2_000_000), min_size=1, max_size=30)


def test_the_system_clock_counts_microseconds_since_1970():
    before = time.time()

    now = SystemClock().now_us()

    assert before - 1 <= now / 1_000_000 <= time.time() + 1


@given(READINGS)
def test_server_times_grow_whatever_the_clock_does(readings):
    clock = SetClock()
    strict = StrictClock(clock)

    given_out = []
    for clock.now in readings:
        given_out.append(strict.now_us())

    assert given_out == sorted(set(given_out))
    assert all(got >= read for got, read in zip(given_out, readings, strict=True))


def test_a_server_time_is_the_same_instant_as_text():
    text, micros = StrictClock(SetClock(1_700_000_000_123_456)).server_time()

    assert text == "2023-11-14T22:13:20.123456Z"
    assert parse_instant(text, "text") == micros


def test_threads_never_get_the_same_time():
    strict = StrictClock(SetClock())

    with ThreadPoolExecutor(8) as threads:
        times = list(threads.map(lambda _: strict.now_us(), range(2000)))

    assert len(set(times)) == 2000


@given(READINGS)
def test_ids_sort_as_they_were_made_whatever_the_clock_does(readings):
    clock = SetClock()
    ids = MonotonicIds(clock)

    made = []
    for clock.now in readings:
        made.append(ids.new("mem_"))

    assert made == sorted(set(made))


def test_ids_are_uuids_of_version_7_and_of_the_clocks_millisecond():
    made = MonotonicIds(SetClock(1_700_000_000_123_456)).new("mem_")

    uuid = decode_id(made, "mem_")
    assert uuid is not None
    assert (uuid.version, uuid.variant) == (7, "specified in RFC 4122")
    assert uuid.int >> 80 == 1_700_000_000_123
    assert split_id(made) == ("mem_", uuid)


def test_more_ids_than_a_millisecond_counts_still_sort_and_differ():
    ids = MonotonicIds(SetClock(), random=bytes)

    made = [ids.new("mem_") for _ in range(10_000)]

    assert made == sorted(set(made))


def test_62_bits_of_every_id_come_from_the_dice():
    clock = SetClock()
    made = [
        MonotonicIds(clock, random=random).new("mem_")
        for random in (bytes, lambda size: b"\xff" * size)
    ]

    zeros, ones = (decode_id(one, "mem_").int for one in made)
    assert (zeros ^ ones).bit_count() == 62


def test_threads_never_get_the_same_id():
    ids = MonotonicIds(SetClock(), random=bytes)

    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: ids.new("mem_"), range(2000)))

    assert len(set(made)) == 2000
