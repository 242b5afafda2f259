"""A run: a log is opened, and its windows are posted or shown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from domain.bundles.redaction import redacted
from domain.bundles.window_body import parse_proposals
from domain.canonical import parse_json
from domain.errors import invalid
from domain.limits import BODY_BYTES_MAX
from ops.capture.delivery import Report, deliver, planned
from ops.capture.reading import Asked, Reading
from ops.capture.state import StateFile
from ops.capture.windows import Window
from ops.cli_client import Door


@dataclass(frozen=True, slots=True)
class Run:
    """What one run does, for which store; the report tells how far it came.

    `folder` is where states are, `store` whatever tells one store from another.
    """

    asked: Asked
    folder: Path
    store: str
    proposals: list[Any] | None
    report: Report

    def state(self) -> StateFile:
        """How far the log was posted to the store."""
        return StateFile(self.folder, self.asked.log, self.store)


def post(run: Run, door: Door) -> None:
    """Post all of a log that was not posted.

    Raises INVALID_REQUEST for files that cannot be used, and what `deliver` raises.
    """
    state = run.state()
    with _opened(run.asked.log) as log, _held(state, log):
        run.report.reading = reading = _reading(run.asked, log, state)
        deliver(state, log, reading, door, run.proposals, run.report)


def shown(run: Run) -> Iterator[Window]:
    """The windows that `post` would post; nothing is sent and nothing is written."""
    state = run.state()
    with _opened(run.asked.log) as log:
        state.look(log)
        run.report.reading = reading = _reading(run.asked, log, state)
        for window in planned(state, reading, run.proposals):
            run.report.shown += 1
            yield window


def proposals_in(file: Path) -> list[Any]:
    """The proposals of a file, as strict as the server is, redacted; INVALID_REQUEST for others."""
    try:
        with file.open("rb") as opened:
            data = opened.read(BODY_BYTES_MAX + 1)
    except OSError as error:
        raise invalid(f"{file} cannot be read: {error.strerror}", field="--proposals") from None
    if len(data) > BODY_BYTES_MAX:
        raise invalid(f"{file} is too large: at most {BODY_BYTES_MAX} bytes", field="--proposals")
    value = parse_json(data)
    parse_proposals(value)
    found: list[Any] = redacted(value)[0]
    return found


@contextmanager
def _opened(log: Path) -> Iterator[BinaryIO]:
    try:
        file = log.open("rb")
    except OSError as error:
        raise invalid(f"{log} cannot be read: {error.strerror}", field="SESSION.jsonl") from None
    with file:
        if not file.seekable():
            raise invalid(
                f"{log} is no file: a log is read from where the last run stopped",
                field="SESSION.jsonl",
            )
        yield file


@contextmanager
def _held(state: StateFile, log: BinaryIO) -> Iterator[None]:
    try:
        with state.held(log):
            yield
    except OSError as error:
        raise invalid(
            f"{state.folder} cannot be used ({error.strerror}): name another one", field="--state"
        ) from None


def _reading(asked: Asked, log: BinaryIO, state: StateFile) -> Reading:
    """From behind what was posted, or sent and not yet answered."""
    sent = state.state.unanswered
    start = state.place if sent is None else sent.next.place()
    return Reading(asked, log, start, state.session, time.time_ns() // 1000)
