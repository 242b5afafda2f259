"""A key of Redis that says that somebody is at work, and goes by itself where that process dies."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import Final

from redis import Redis
from redis.exceptions import RedisError

LOG: Final = logging.getLogger("memoranda.worker")
LEASE_SECONDS: Final = 15.0
"""How long work that died is held up; a process that is stopped for longer loses its lease."""
_RENEWALS: Final = 5
"""In the time of a lease: so many answers of Redis in a row may be lost."""


class Lease:
    """Shortens the life of a key to that of a lease, renewed by a thread until the block ends.

    Afterwards the key lives for what was left of its time. Nothing here raises for the sake of
    Redis: without the key the work may be begun by another one, too, which costs time alone.
    """

    def __init__(self, redis: Redis, key: str, seconds: float = LEASE_SECONDS) -> None:
        self._redis = redis
        self._key = key
        self._seconds = seconds
        self._until = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> None:
        left_ms = 0
        with suppress(RedisError):
            # -1 and -2 where nothing ends, or nothing is there.
            left_ms = max(0, int(self._redis.pttl(self._key)))
        self._until = time.monotonic() + left_ms / 1000
        self._live(self._seconds)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._live(max(self._until - time.monotonic(), 0.001))

    def _renew(self) -> None:
        while not self._done.wait(self._seconds / _RENEWALS):
            self._live(self._seconds)

    def _live(self, seconds: float) -> None:
        try:
            self._redis.set(self._key, "1", px=max(1, round(seconds * 1000)))
        except RedisError as error:
            LOG.info("a lease was not renewed: %s", type(error).__name__)
