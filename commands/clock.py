"""Time and dice: the clocks and the id generator that the write side passes into decisions."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final

from domain.ids import encode_id, uuid7
from domain.instants import Micros, server_time
from domain.ports import Clock

_COUNTER_MAX: Final = 0xFFF


class SystemClock:
    """The machine's clock. It may jump back; `StrictClock` never does."""

    def now_us(self) -> Micros:
        """Microseconds since 1970 UTC."""
        return time.time_ns() // 1000


class StrictClock:
    """Server times: strictly increasing in this process, whatever the clock below does.

    While the clock below stands or has jumped back, each reading is one microsecond after the
    last (design.md §2, Times). Safe to share between threads.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = threading.Lock()

    def now_us(self) -> Micros:
        """Microseconds since 1970 UTC, later than every earlier answer."""
        with self._lock:
            self._last = max(self._clock.now_us(), self._last + 1)
            return self._last

    def server_time(self) -> tuple[str, Micros]:
        """`now_us`, as the text that the server writes and as microseconds."""
        now = self.now_us()
        return server_time(now), now


class MonotonicIds:
    """UUIDv7 that sort in the order in which this process made them, and cannot be guessed.

    RFC 9562 §6.2, method 1: the 12 bits of rand_a count within a millisecond, the 62 bits of
    rand_b are random in every id. A full or backward millisecond borrows from the next one.
    Safe to share between threads. `random` gives that many random bytes.
    """

    def __init__(self, clock: Clock, random: Callable[[int], bytes] = os.urandom) -> None:
        self._clock = clock
        self._random = random
        self._unix_ms = 0
        self._count = 0
        self._lock = threading.Lock()

    def new(self, prefix: str) -> str:
        """A new public id: the prefix and 26 characters."""
        with self._lock:
            unix_ms, count = self._next()
        return encode_id(prefix, uuid7(unix_ms, count.to_bytes(2, "big") + self._random(8)))

    def _next(self) -> tuple[int, int]:
        unix_ms = self._clock.now_us() // 1000
        if unix_ms > self._unix_ms:
            self._unix_ms, self._count = unix_ms, 0
        elif self._count < _COUNTER_MAX:
            self._count += 1
        else:
            self._unix_ms, self._count = self._unix_ms + 1, 0
        return self._unix_ms, self._count
