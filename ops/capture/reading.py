"""One pass over a session log: from its lines to windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from domain.instants import Micros, parse_instant, server_time
from ops.capture.checkout import checkout_of
from ops.capture.claude_code import ClaudeCode
from ops.capture.codex import Codex
from ops.capture.events import LogEvent, Reader, Session
from ops.capture.lines import Lines, Place
from ops.capture.windows import Window, Windows, envelope

READERS: Final[dict[str, Callable[[Session], Reader]]] = {
    Codex.client: Codex,
    ClaudeCode.client: ClaudeCode,
}
"""By the name of the client."""


@dataclass(frozen=True, slots=True)
class Since:
    """From which line on, or from which time; turns that began before are left out."""

    line: int = 1
    at: Micros | None = None

    @classmethod
    def of(cls, text: str) -> Since:
        """A line number, or an RFC 3339 time with an offset; INVALID_REQUEST for all else."""
        if text.isascii() and text.isdecimal():
            return cls(line=int(text[:18]))
        return cls(at=parse_instant(text, "--since"))

    def reached(self, event: LogEvent) -> bool:
        """Whether an event is not before; one without a time is, where a time is asked for."""
        if self.at is None:
            return event.place.line >= self.line
        return event.at is not None and event.at >= server_time(self.at)


@dataclass(frozen=True, slots=True)
class Asked:
    """How a log is read. `whole`: nothing will follow, so its last turn waits for nothing."""

    log: Path
    client: str
    trigger: str
    since: Since
    whole: bool


class Reading:
    """The windows of a log from a place on, and afterwards what is to be told of it."""

    def __init__(
        self, asked: Asked, file: BinaryIO, start: Place, session: Session, now: Micros
    ) -> None:
        self._asked = asked
        self._start = start
        self._now = now
        self._reader = READERS[asked.client](session)
        self._windows: Windows | None = None
        self._left_out: bool | None = None
        self.lines = Lines(file, end=start)

    @property
    def session(self) -> Session:
        """What the log says of its session, as far as it is read."""
        return self._reader.session

    @property
    def waiting(self) -> Place | None:
        """Where the turn begins that waits for its end; None where none does."""
        return None if self._windows is None else self._windows.waiting

    def __iter__(self) -> Iterator[Window]:
        for line in self.lines:
            for event in self._reader.read(line):
                yield from self._take(event)
        for event in self._reader.rest():
            yield from self._take(event)
        if self._windows is not None:
            yield from self._windows.end(self.lines.end, whole=self._asked.whole)

    def _take(self, event: LogEvent) -> Iterator[Window]:
        if event.place < self._start or self._is_left_out(event):
            return
        if self._windows is None:
            self._windows = self._begun()
        yield from self._windows.add(event)

    def _is_left_out(self, event: LogEvent) -> bool:
        """Whether --since leaves it out: until the first turn that began in time."""
        reached = self._asked.since.reached(event)
        if self._left_out is None:
            self._left_out = not reached
        elif self._left_out and reached and event.begins_turn:
            self._left_out = False
        return self._left_out

    def _begun(self) -> Windows:
        session = self._reader.session
        session.session_id = session.session_id or self._asked.log.stem
        said = envelope(self._asked.client, session, checkout_of(session), self._asked.trigger)
        return Windows(said, server_time(self._now))
