"""What the rest of the program asks of whoever keeps the read models at the head of the log."""

from __future__ import annotations

from typing import Protocol

from workers.bell_state import DoorbellState
from workers.runner import Failure


class Following(Protocol):
    """A thread of this process, or workers elsewhere. Safe to share between threads."""

    @property
    def failure(self) -> Failure | None:
        """Why a projection of this process does not go on; None while all do."""
        ...

    @property
    def doorbell_state(self) -> DoorbellState | None:
        """How the doorbell of workers elsewhere is doing; None where there are none."""
        ...

    def start(self) -> None:
        """Begin."""
        ...

    def stop(self) -> None:
        """End; everybody who waits is answered."""
        ...

    def wake(self, position: int) -> None:
        """Something was appended, up to a position. Costs the caller nothing."""
        ...

    def position(self) -> int:
        """The last position that all projections have handled."""
        ...

    def seen(self, workspace: str) -> int:
        """The last position up to which all projections have handled the events of a workspace."""
        ...

    def wait_for(self, workspace: str, position: int, timeout_s: float) -> int:
        """Wait until a workspace is handled up to a position; the one reached, perhaps less."""
        ...

    def lags(self) -> dict[str, int]:
        """By projection, how many positions of the log it is behind."""
        ...

    def parked(self) -> dict[str, tuple[int, int]]:
        """By projection how many streams, and how many of their events, are parked."""
        ...
