"""The time budget of an answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of a monotonic clock, in its seconds; once expired it stays so."""

    started_s: float
    ends_s: float
    monotonic: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, monotonic: Callable[[], float] = time.monotonic) -> Deadline:
        """The deadline that many seconds from now."""
        now = monotonic()
        return cls(now, now + seconds, monotonic)

    def expired(self) -> bool:
        """Whether the time is over."""
        return self.monotonic() >= self.ends_s

    def remaining_s(self) -> float:
        """Seconds left, at least 0."""
        return max(0.0, self.ends_s - self.monotonic())

    def elapsed_ms(self) -> int:
        """Whole milliseconds since the start."""
        return int((self.monotonic() - self.started_s) * 1000)

    def sooner(self, share: float) -> Deadline:
        """A deadline after a share of the whole time."""
        end = self.started_s + share * (self.ends_s - self.started_s)
        return Deadline(self.started_s, end, self.monotonic)
