"""How many requests a key may send: a bucket of tokens for each key, refilled all the time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from commands.bounded import Bounded
from domain.errors import Code, MemorandaError

BUCKETS_MAX: Final = 10_000
"""Buckets that are kept, at about 300 bytes each. One that is dropped would be full again after
`burst / per_second` seconds; the one that was unused for longest goes first."""


ROUNDING: Final = 1e-9
"""Of a token: what was told to wait long enough must not be told to wait again for a rounding."""


@dataclass(slots=True)
class _Bucket:
    """What was left in it at a moment of the clock."""

    tokens: float
    at: float


class RateLimiter:
    """Takes a token for each request; `per_second` 0 lets everything through.

    `burst` is how many tokens a bucket holds: what may be sent at once after a pause; None means
    those of one second, at least 1. `now` gives seconds that never go back. Safe to share between
    threads.
    """

    def __init__(
        self,
        per_second: float,
        burst: int | None = None,
        now: Callable[[], float] = time.monotonic,
        most: int = BUCKETS_MAX,
    ) -> None:
        self._per_second = per_second
        self._burst = float(burst if burst is not None else max(1, math.ceil(per_second)))
        self._now = now
        self._buckets: Bounded[tuple[str, str], _Bucket] = Bounded(most)
        self._lock = threading.Lock()

    def take(self, key_id: str, workspace: str) -> None:
        """Let a request of a key through, or raise RATE_LIMITED with the seconds to wait.

        A host key speaks for many: it has a bucket in each workspace.
        """
        if self._per_second <= 0:
            return
        with self._lock:
            missing = self._missing(key_id, workspace)
        if missing > 0:
            raise MemorandaError(
                Code.RATE_LIMITED,
                f"this key may send {self._per_second:g} requests a second here, and "
                f"{self._burst:g} at once: send this again later, more slowly",
                retry_after=max(1, math.ceil(missing / self._per_second)),
            )

    def _missing(self, key_id: str, workspace: str) -> float:
        """How many tokens the bucket lacks for a request; 0 where it had one, which is taken."""
        now = self._now()
        bucket = self._buckets.get((key_id, workspace))
        if bucket is None:
            bucket = _Bucket(self._burst, now)
            self._buckets.put((key_id, workspace), bucket)
        refilled = bucket.tokens + (now - bucket.at) * self._per_second
        bucket.tokens, bucket.at = min(self._burst, refilled), now
        if bucket.tokens < 1 - ROUNDING:
            return 1 - bucket.tokens
        bucket.tokens -= 1
        return 0.0
