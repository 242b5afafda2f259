"""What an import has done so far: its counts, the lines that were refused, where to go on.

The resume point saves time and nothing else: every line has an idempotency key, so one that is
executed again is a replay.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Final

from domain.canonical import Json, JsonObject
from domain.errors import MemorandaError

REFUSED_SUFFIX: Final = ".refused.jsonl"
SHOWN_MAX: Final = 20
"""Refusals that a report holds; the file of refused lines has all of them."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line that was not executed, and why."""

    line: int
    code: str
    message: str
    field: str | None = None
    reason: str | None = None


def refused_line(number: int, refusal: MemorandaError) -> RefusedLine:
    """A line with what it was refused with."""
    return RefusedLine(number, refusal.code.value, refusal.message, refusal.field, refusal.reason)


@dataclass(slots=True)
class ImportReport:
    """`lines` = `accepted` + `refused`; `replayed` of the accepted ones were known before.

    `refusals` are the first few; all are in `refused_file`, which is None where none was refused.
    """

    lines: int = 0
    accepted: int = 0
    replayed: int = 0
    refused: int = 0
    refusals: list[RefusedLine] = field(default_factory=list)
    refused_file: Path | None = None

    def accept(self, *, replayed: bool) -> None:
        """One more line that stands in the log."""
        self.lines += 1
        self.accepted += 1
        self.replayed += replayed

    def refuse(self, refused: RefusedLine) -> None:
        """One more line that does not."""
        self.lines += 1
        self.refused += 1
        if len(self.refusals) < SHOWN_MAX:
            self.refusals.append(refused)


class LedgerError(Exception):
    """The file of refused lines cannot be written; the message says what to do."""


class Ledger:
    """Counts, and keeps every refused line with its reason."""

    def __init__(self, refused_file: Path | None) -> None:
        self.report = ImportReport()
        self._path = refused_file
        self._file: IO[bytes] | None = None

    def accept(self, *, replayed: bool) -> None:
        """A line was executed, now or before."""
        self.report.accept(replayed=replayed)

    def refuse(self, refused: RefusedLine, said: Json) -> None:
        """A line was not executed; `said` is what it held: the JSON, or the text as it was."""
        self.report.refuse(refused)
        if self._path is None:
            return
        row: JsonObject = {**asdict(refused), "said": said}
        with self._writing(self._path):
            if self._file is None:
                self._file = self._path.open("ab")
            self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
        self.report.refused_file = self._path

    def begin(self, known: JsonObject | None) -> None:
        """Start anew, or go on where `known`, an earlier `state`, says."""
        if self._path is None:
            return
        with self._writing(self._path), contextlib.suppress(FileNotFoundError):
            if known is not None and known["refused"]:
                os.truncate(self._path, known["refused_bytes"])
            else:
                self._path.unlink()
        if known is None:
            return
        for name in ("lines", "accepted", "replayed", "refused"):
            setattr(self.report, name, known[name])
        self.report.refusals = [RefusedLine(**shown) for shown in known["refusals"]]
        self.report.refused_file = self._path if self.report.refused else None

    def state(self) -> JsonObject:
        """What `begin` needs to go on."""
        report = self.report
        return {
            "lines": report.lines,
            "accepted": report.accepted,
            "replayed": report.replayed,
            "refused": report.refused,
            "refusals": [asdict(refused) for refused in report.refusals],
            "refused_bytes": self._file.tell() if self._file is not None else self._size(),
        }

    def close(self) -> None:
        """Nothing more is refused."""
        if self._file is not None:
            self._file.close()

    @staticmethod
    @contextlib.contextmanager
    def _writing(path: Path) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise LedgerError(
                f"{path} cannot be written ({error.strerror}): refused lines are kept there, "
                "so make it writable and start again"
            ) from None

    def _size(self) -> int:
        return self._path.stat().st_size if self._path is not None and self._path.exists() else 0


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """A small file in the data folder: how far an import of one content has come."""

    path: Path

    def read(self, head: int, refused_file: Path) -> JsonObject | None:
        """The point, if it fits to this log and this file of refused lines; else None.

        A log that was put back from a backup may be older than the point.
        """
        try:
            known: JsonObject = json.loads(self.path.read_bytes())
            size = refused_file.stat().st_size if known["refused"] else 0
            fits = known["position"] <= head and known["refused_bytes"] <= size
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return known if fits else None

    def write(self, point: JsonObject) -> None:
        """Keep a point; it replaces the one before in one step."""
        self.path.parent.mkdir(mode=0o700, exist_ok=True)
        fresh = self.path.with_suffix(".new")
        fresh.write_bytes(json.dumps(point).encode())
        fresh.replace(self.path)

    def clear(self) -> None:
        """The import is done."""
        self.path.unlink(missing_ok=True)
