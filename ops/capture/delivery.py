"""Windows are posted one after the other, and each is posted once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, BinaryIO, Final, TypeVar

from domain.canonical import JsonObject
from domain.errors import RETRYABLE, Code, invalid
from ops.capture.reading import Reading
from ops.capture.state import StateFile
from ops.capture.windows import Window
from ops.cli_client import Door
from ops.cli_errors import RefusedError

_UNSURE: Final = RETRYABLE | {Code.INTERNAL}
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Posted:
    """A window that was taken, and what was answered."""

    window: Window
    answer: JsonObject

    def as_json(self) -> JsonObject:
        """For machines."""
        start, end = self.window.lines
        names = ("window_id", "window_hash", "result", "idempotent", "proposals")
        return {
            "lines": {"start": start, "end": end},
            "events": len(self.window.body["events"]),
            **{name: self.answer.get(name) for name in names},
        }


@dataclass(slots=True)
class Report:
    """What a run did, as far as it came; `shown` counts windows that were only shown."""

    shown: int = 0
    posted: list[Posted] = field(default_factory=list)
    reading: Reading | None = None

    @property
    def failed(self) -> bool:
        """Whether proposals of a window failed."""
        return any(one.answer.get("result") == "failed" for one in self.posted)

    def as_json(self) -> JsonObject:
        """For machines."""
        reading = self.reading
        waiting = None if reading is None else reading.waiting
        return {
            "windows": [one.as_json() for one in self.posted],
            "redactions": self.redactions(),
            "unreadable_lines": 0 if reading is None else reading.lines.unreadable,
            "too_long_lines": 0 if reading is None else reading.lines.too_long,
            "waiting_from_line": None if waiting is None else waiting.line,
            "torn_last_line": reading is not None and reading.lines.torn,
        }

    def redactions(self) -> dict[str, int]:
        """What was redacted before it was sent, by kind."""
        found: dict[str, int] = {}
        for one in self.posted:
            for kind, number in one.window.redactions.items():
                found[kind] = found.get(kind, 0) + number
        return found


def deliver(
    state: StateFile,
    log: BinaryIO,
    reading: Reading,
    door: Door,
    proposals: list[Any] | None,
    report: Report,
) -> None:
    """Post what was not answered, then what follows in the log; `report` tells how far it came.

    The proposals go with the last window. A window is answered for before the next one is sent.
    Raises RefusedError and UnreachableError: the next run goes on where this one stopped.
    """
    for window in planned(state, reading, proposals):
        state.sending(window, reading.session, log)
        report.posted.append(Posted(window, _answered(state, door, window)))


def planned(state: StateFile, reading: Reading, proposals: list[Any] | None) -> Iterator[Window]:
    """The windows that are to be posted, the last one with the proposals.

    INVALID_REQUEST where there is none for them.
    """
    unanswered = state.state.unanswered
    first = [] if unanswered is None else [unanswered.window()]
    waiting = proposals
    if first and proposals == first[0].body.get("proposals"):
        # They were sent, and may have been taken.
        waiting = None
    for window, last in _with_last(chain(first, reading)):
        if not last or waiting is None:
            yield window
            continue
        yield replace(window, body=window.body | {"proposals": waiting})
        waiting = None
    if waiting is not None:
        raise invalid(
            "there is no window for the proposals: all of the log was posted, or waits for the end "
            "of its turn (--finished); another --state posts it again",
            field="--proposals",
        )


def _answered(state: StateFile, door: Door, window: Window) -> JsonObject:
    try:
        answer = door.window(window.body)
    except RefusedError as error:
        if error.wire["code"] not in _UNSURE:
            state.refused()
        raise
    state.taken()
    return answer


def _with_last(items: Iterable[T]) -> Iterator[tuple[T, bool]]:
    """Each item, and whether it is the last one: read one ahead."""
    held: list[T] = []
    for item in items:
        if held:
            yield held.pop(), False
        held.append(item)
    for item in held:
        yield item, True
