"""Everything that happens to the fleet, its database and its Redis, at random moments."""

from __future__ import annotations

import heapq
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from redis import Redis

from tests.chaos.fleet import Fleet
from tests.chaos.grounds import Grounds
from tests.chaos.journals import Told

EVERY_SECONDS: Final = {
    "api": 5.5, "worker": 5.5, "horse": 2.3, "flush": 8.0, "cut": 3.0, "restart": 50.0,
}  # fmt: skip
"""The mean pause between two of a sort."""
CALMER: Final = 3.0
"""So much longer are the pauses once the time is over, so that what is lacking can be done."""
_RETRY_SECONDS: Final = 0.1
_MARKERS: Final = (b"command.recorded", b"COMMIT")
"""What a request holds that is cut after its commit: an append; the rows of read models."""


@dataclass
class Storm:
    """Does it, and counts. `commands` tells how many commands each caller has begun."""

    fleet: Fleet
    grounds: Grounds
    dice: Random
    commands: Callable[[], dict[str, int]]
    revived: int = 0
    _done: Counter[str] = field(default_factory=Counter)
    _restarts: list[tuple[dict[str, int], dict[str, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._due = [(self._pause(sort, first=True), sort) for sort in EVERY_SECONDS]
        heapq.heapify(self._due)

    def counts(self) -> dict[str, int]:
        """What happened, by sort."""
        return {sort: self._done[sort] for sort in EVERY_SECONDS} | {"cut": self.grounds.cuts()}

    def blow(self, seconds: float, enough: Callable[[float], bool]) -> float:
        """For so many seconds, and until it is enough after that; the seconds that it took."""
        began, ticking = time.monotonic(), threading.Event()
        while not enough(now := time.monotonic() - began):
            self.revived += self.fleet.revive()
            due, sort = self._due[0]
            ticking.wait(max(0.0, min(due - now, _RETRY_SECONDS)))
            if due <= now:
                done = self._do(sort)
                self._done[sort] += done
                longer = CALMER if now > seconds else 1.0
                again = self._pause(sort) * longer if done else _RETRY_SECONDS
                heapq.heapreplace(self._due, (time.monotonic() - began + again, sort))
        return time.monotonic() - began

    def _pause(self, sort: str, *, first: bool = False) -> float:
        mean = EVERY_SECONDS[sort]
        # The first ones of all sorts come early, so that a short run has them too.
        return self.dice.uniform(0.1, 0.4 if first else 1.9) * mean

    def _do(self, sort: str) -> bool:
        if sort == "flush":
            with Redis.from_url(self.grounds.redis.url) as redis:
                redis.flushall()
        elif sort == "restart":
            before = self.commands()
            self.grounds.postgres.restart_immediately()
            self._restarts.append((before, self.commands()))
        elif sort == "cut":
            proxy = self.dice.choice((self.grounds.of_servers, self.grounds.of_workers))
            marker = self.dice.choice(_MARKERS) if proxy is self.grounds.of_servers else b"COMMIT"
            proxy.cut_next("after", marker)
        else:
            return self.fleet.kill_one(sort, self.dice)
        return True

    def excuses(self, one: Told, told: Sequence[Told]) -> bool:
        """Whether a restart of PostgreSQL may have taken back what was answered: a recall alone.

        Its commit does not wait for the disk; the next commit that does takes it along.
        """
        _, actor, _ = one.key
        if one.envelope["operation"] != "recall":
            return False
        synced = [_number(other) for other in told if other.key[1] == actor and other.receipt]
        return any(
            _number(one) <= after[actor]
            and not any(_number(one) < number < before[actor] for number in synced)
            for before, after in self._restarts
        )


def _number(one: Told) -> int:
    """The how many-th command of its caller it is; replays are not in journals."""
    return int(one.key[2].rpartition("-")[2])
