"""What the inner parts ask of the outer ones; `ops/wiring.py` gives them.

The read side and the workers never import the write side: they get the log through these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from domain.context import Context
from domain.events import RecallRecorded
from domain.instants import Micros
from domain.recorded import RecordedEvent


class UnavailableError(Exception):
    """Log, keys, database or disk cannot do it now: no fault of what was asked. Try again."""


class Clock(Protocol):
    """The store's clock."""

    def now_us(self) -> Micros:
        """Microseconds since 1970 UTC."""
        ...


class LogReader(Protocol):
    """The log, decoded, with erased payloads left out. Safe to call from any thread.

    Every method raises `CorruptEventError` for a stored event that cannot be what was written.
    """

    def head(self) -> int:
        """The last position of the log; 0 for an empty one."""
        ...

    def appended_at(self, position: int) -> Micros:
        """Append time of the last event at or before a position; 0 for none."""
        ...

    def position_at(self, known_at: Micros) -> int:
        """The largest position p with every event up to p appended at or before that time."""
        ...

    def after(
        self,
        position: int,
        limit: int,
        *,
        part: int | None = None,
        workspace: str | None = None,
        topics: Sequence[str] = (),
    ) -> list[RecordedEvent]:
        """At most `limit` events after a position, in order; restricted where asked."""
        ...

    def stream(self, workspace: str, stream: str) -> list[RecordedEvent]:
        """All events of one stream, in order; empty where the workspace has none such."""
        ...

    def streams(self, workspace: str, streams: Sequence[str]) -> dict[str, list[RecordedEvent]]:
        """The events of several streams; a stream that is not there is left out."""
        ...

    def references(self, workspace: str, kind: str, ref: str) -> list[tuple[str, int]]:
        """(stream, position) of the `event_ref` rows of a kind and a reference, by position."""
        ...


class RecallRecorder(Protocol):
    """Records an answered recall; it can be traced when this returns."""

    def record(self, context: Context, recall_id: str, event: RecallRecorded) -> int:
        """The position of the recorded event."""
        ...


class DerivedMemories(Protocol):
    """Knows which memories were made from others."""

    def __call__(
        self, context: Context, memories: Sequence[str], position: int
    ) -> list[str] | None:
        """The memories that need a review because these were forgotten by a position, by id.

        Only those that the context's actor may see. None where that is not known yet.
        """
        ...
