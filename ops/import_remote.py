"""Import to a server: the file is read here and its lines are executed there, a part at a time.

Every line has an idempotency key, its own or one of the file's digest and its number. So a part
that is sent again, or a whole import, is a replay of what stands and goes on with the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

from domain.canonical import Json, JsonObject, parse_json
from domain.errors import MemorandaError
from domain.limits import BODY_BYTES_MAX
from ops.cli_http import UrlDoor
from ops.import_ledger import (
    REFUSED_SUFFIX,
    ImportReport,
    Ledger,
    RefusedLine,
    refused_line,
)
from ops.import_run import BATCH_LINES_MAX, ImportStoppedError
from ops.import_source import ImportSource, RawLine, too_long
from ops.progress import OnProgress

_PART_BYTES: Final = BODY_BYTES_MAX + 1
"""The longest line fits, with its end."""


@dataclass(slots=True)
class _Part:
    """Lines that are sent together, empty ones between them included."""

    first: int
    body: bytearray = field(default_factory=bytearray)
    lines: dict[int, bytes] = field(default_factory=dict)
    next: int = 0

    def takes(self, line: RawLine) -> bool:
        """Whether it has room for one more."""
        size = len(self.body) + (line.number - self.next) + len(line.text) + 1
        return line.number - self.first < BATCH_LINES_MAX and size <= _PART_BYTES

    def add(self, line: RawLine) -> None:
        """One more line."""
        self.body += b"\n" * (line.number - self.next) + line.text + b"\n"
        self.lines[line.number] = line.text
        self.next = line.number + 1


def import_to(
    door: UrlDoor,
    path: Path,
    *,
    workspace: str | None,
    actor: str | None,
    on_progress: OnProgress,
) -> ImportReport:
    """`ops.importer.import_file` for a server; nothing is kept here but the refused lines.

    Names that are None are those of the key. Raises UnreadableFileError, LedgerError,
    ImportStoppedError, RefusedError where the server takes no imports of the key, and
    UnreachableError.
    """
    source = ImportSource.scan(path)
    names = {"seed": source.digest, "workspace": workspace, "actor": actor}
    said = {name: value for name, value in names.items() if value is not None}
    with closing(Ledger(path.with_name(path.name + REFUSED_SUFFIX))) as ledger:
        ledger.begin(None)
        for part in _parts(source.read(0)):
            if isinstance(part, RawLine):
                _refuse(ledger, refused_line(part.number, too_long()), part.text)
                continue
            query = urlencode({**said, "first": part.first})
            _count(ledger, part, door.post_lines(f"/v1/import?{query}", bytes(part.body)))
            on_progress(part.next - 1, source.lines)
        on_progress(source.lines, source.lines)
        return ledger.report


def _parts(lines: Iterable[RawLine]) -> Iterator[_Part | RawLine]:
    """Parts in order, and between them the lines that are too long to be sent."""
    part: _Part | None = None
    for line in lines:
        if part is not None and (line.too_long or not part.takes(line)):
            yield part
            part = None
        if line.too_long:
            yield line
            continue
        if part is None:
            part = _Part(line.number, next=line.number)
        part.add(line)
    if part is not None:
        yield part


def _count(ledger: Ledger, part: _Part, answer: JsonObject) -> None:
    report = ledger.report
    report.lines += answer["accepted"]
    report.accepted += answer["accepted"]
    report.replayed += answer["replayed"]
    for refusal in answer["refusals"]:
        _refuse(ledger, RefusedLine(**refusal), part.lines[refusal["line"]])
    if answer["stopped"] is not None:
        raise ImportStoppedError(answer["stopped"])


def _refuse(ledger: Ledger, refused: RefusedLine, text: bytes) -> None:
    said: Json
    try:
        said = parse_json(text)
    except MemorandaError:
        said = text.decode(errors="backslashreplace")
    ledger.refuse(refused, said)
