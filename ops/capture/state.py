"""How far each session log was posted: a file for each log and store, in the person's state folder.

A window that is about to be posted is kept whole until its answer has come. If that is lost the
very same window is sent again, and the server takes it for the same one; one that was cut anew from
a log that has grown meanwhile would be another one.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, BinaryIO, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.bundles.redaction import redacted
from domain.canonical import JsonObject
from domain.errors import MemorandaError, invalid
from ops.capture.events import Session
from ops.capture.lines import START, Place, mended
from ops.capture.windows import Window

HEAD_BYTES: Final = 4096
_Count = Annotated[int, Field(ge=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class StoredPlace(_Strict):
    """`ops.capture.lines.Place`."""

    offset: _Count = 0
    line: Annotated[int, Field(ge=1)] = 1
    index: _Count = 0

    def place(self) -> Place:
        """The place itself."""
        return Place(self.offset, self.line, self.index)


class Unanswered(_Strict):
    """A window that was sent, and whose answer nobody has seen."""

    body: JsonObject
    next: StoredPlace

    def window(self) -> Window:
        """The window, as it was sent."""
        return Window(self.body, self.next.place(), {})


class State(_Strict):
    """All that is known of one log. `head` is the digest of its first `head_bytes` bytes."""

    version: Annotated[int, Field(ge=1, le=1)] = 1
    log: str
    store: str
    next: StoredPlace = StoredPlace()
    head: str = ""
    head_bytes: _Count = 0
    session: Session = Field(default_factory=Session)
    unanswered: Unanswered | None = None


class StateFile:
    """The state of one log for one store; one run at a time has it."""

    def __init__(self, folder: Path, log: Path, store: str) -> None:
        name = hashlib.sha256(os.fsencode(log) + b"\0" + store.encode()).hexdigest()[:32]
        self.folder = folder
        self._file = folder / f"{name}.json"
        self._lock = folder / f"{name}.lock"
        self.state = State(log=mended(str(log)), store=store)

    @contextmanager
    def held(self, log: BinaryIO) -> Iterator[None]:
        """Alone with the log, after the state was read; waits for another run.

        A log that does not begin as the one before is another one: it begins at its first line.
        Raises INVALID_REQUEST for a state that cannot be used, OSError for a folder.
        """
        self._lock.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self.look(log)
            yield
        finally:
            os.close(descriptor)

    def look(self, log: BinaryIO) -> None:
        """Read the state, if there is one of this log; nothing is written."""
        try:
            text = self._file.read_bytes()
        except FileNotFoundError:
            return
        try:
            found = State.model_validate_json(text)
        except ValidationError:
            raise self._unusable() from None
        if _digest(log, found.head_bytes) == found.head and _reaches(log, found.next.offset):
            self.state = found

    @property
    def place(self) -> Place:
        """Where the log goes on."""
        return self.state.next.place()

    @property
    def session(self) -> Session:
        """What earlier lines have said of the session."""
        return replace(self.state.session)

    def sending(self, window: Window, session: Session, log: BinaryIO) -> None:
        """Keep a window that is about to be sent; nothing that it was redacted of."""
        self.state.session = Session(**redacted(asdict(session))[0])
        self.state.head_bytes = min(HEAD_BYTES, window.next.offset)
        self.state.head = _digest(log, self.state.head_bytes)
        self.state.unanswered = Unanswered(body=window.body, next=_stored(window.next))
        self._write()

    def taken(self) -> None:
        """The window was taken: go on behind it."""
        if self.state.unanswered is not None:
            self.state.next = self.state.unanswered.next
            self.refused()

    def refused(self) -> None:
        """The window was not taken, and will not be: it is cut from the log again."""
        self.state.unanswered = None
        self._write()

    def _write(self) -> None:
        data = json.dumps(self.state.model_dump()).encode()
        new = self._file.with_suffix(".new")
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._file)

    def _unusable(self) -> MemorandaError:
        return invalid(
            f"{self._file} is no state of a capture: remove it to post the log from its beginning, "
            "or from --since",
            field="--state",
        )


def _stored(place: Place) -> StoredPlace:
    return StoredPlace(offset=place.offset, line=place.line, index=place.index)


def _digest(log: BinaryIO, size: int) -> str:
    """Of the first bytes; who reads on in the log does so where they were."""
    return hashlib.sha256(os.pread(log.fileno(), size, 0)).hexdigest() if size else ""


def _reaches(log: BinaryIO, offset: int) -> bool:
    """Whether a line of the log ends there; at the beginning, always."""
    return offset == START.offset or os.pread(log.fileno(), 1, offset - 1) == b"\n"
