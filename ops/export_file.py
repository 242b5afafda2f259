"""The rows of an export as events, read from a file that was verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from commands.foreign_event import ForeignEvent, facts_of
from commands.opening import Opened
from commands.secrets import SECRET_BYTES
from commands.store_rows import Place
from domain.canonical import JsonObject, canonical, parse_json, parse_stored
from domain.envelope import CorruptEventError, Head
from domain.errors import MemorandaError, invalid
from domain.events import MemoryForgotten, SettingsChange
from domain.exports import FORMAT, LINE_BYTES_MAX, Grave, grave_of
from domain.foreign_facts import refuse_foreign
from domain.instants import parse_instant
from domain.workspace_settings import WorkspaceSettings
from ops.export_spool import Spool
from ops.trusted_names import check_workspace

PAGE: Final = 200
POSITION_MAX: Final = 2**53
"""The last place in a log that is taken over: behind it, there are as many again and more."""
BEGINNING: Final = b'{"format":"memoranda.export/'
"""How a file begins that is an export, of any version."""


class Header(NamedTuple):
    """What the first line says; `slots` is None where the file has no slot secret."""

    workspace: str
    session: str | None
    settings: WorkspaceSettings
    slots: bytes | None


def is_export(path: Path) -> bool:
    """Whether a file says that it is one; raises OSError."""
    with path.open("rb") as file:
        return file.read(len(BEGINNING)) == BEGINNING


class ExportFile:
    """A file, read line by line. Raises INVALID_REQUEST, naming the line, for what is no row."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.last_us, self.last = 0, 0
        """When the last of the events was appended, and where it stands; known after the survey."""
        first = next(self._lines(), b"")
        said = _parsed(first, 1)
        if said.get("format") != FORMAT:
            raise invalid(f"{path} is no export of the format {FORMAT}", field="FILE")
        try:
            secret = said["slot_secret"]
            self.header = Header(
                said["workspace"],
                said["session"],
                _settings(said["settings"]),
                None if secret is None else _secret(secret),
            )
            check_workspace(self.header.workspace, "workspace")
        except (KeyError, TypeError, ValueError, AttributeError):
            raise invalid(f"{path}: line 1 is no header of an export", field="FILE") from None

    def survey(self, spool: Spool) -> tuple[int, int]:
        """Put the graves into the spool; (rows, later forgets)."""
        rows = later = 0
        for number, row in self._rows():
            if "manifest" in row:
                continue
            rows, later = rows + ("n" in row), later + ("n" not in row)
            with _shaped(number):
                head = _head(row)
                self.last = max(self.last, row["position"])
                self.last_us = max(self.last_us, parse_instant(row["appended_at"], "appended_at"))
                if head.topic == MemoryForgotten.TOPIC:
                    facts_of(head, None)  # or what it says may be anything
                grave = grave_of(head, row["position"])
                if grave is not None:
                    spool.bury([grave])
        return rows, later

    def check(self, spool: Spool) -> None:
        """Refuse what no store of ours could have written, event by event."""
        for page in self._pages(spool, self._rows()):
            for number, event in page:
                with _shaped(number):
                    refuse_foreign(event.head, event.facts, self.header.workspace)

    def pages(self, spool: Spool) -> Iterator[list[ForeignEvent]]:
        """The rows as events, a page at a time, once they were checked and verified."""
        for page in self._pages(spool, self._verified_rows()):
            yield [event for _, event in page]

    def _pages(
        self, spool: Spool, lines: Iterator[tuple[int, JsonObject]]
    ) -> Iterator[list[tuple[int, ForeignEvent]]]:
        rows = ((number, row) for number, row in lines if "n" in row)
        while part := list(islice(rows, PAGE)):
            page = [(number, _event(number, row)) for number, row in part]
            graves = spool.graves(
                stream for _, one in page for stream in (one.head.stream, *dict(one.named))
            )
            yield [(number, _judged(event, graves)) for number, event in page]

    def _verified_rows(self) -> Iterator[tuple[int, JsonObject]]:
        """What the verifier has found canonical is parsed without looking at every value."""
        for number, line in islice(enumerate(self._lines(), 1), 1, None):
            yield number, parse_stored(line)

    def _rows(self) -> Iterator[tuple[int, JsonObject]]:
        lines = enumerate(self._lines(), 1)
        next(lines)
        for number, line in lines:
            yield number, _parsed(line, number)

    def _lines(self) -> Iterator[bytes]:
        with self._path.open("rb") as file:
            while line := file.readline(LINE_BYTES_MAX + 1):
                yield line


def _secret(said: str) -> bytes:
    secret = bytes.fromhex(said)
    if len(secret) != SECRET_BYTES:
        raise ValueError
    return secret


def _settings(said: JsonObject) -> WorkspaceSettings:
    """Raises ValueError or TypeError where a workspace can have no such settings."""
    settings = WorkspaceSettings(**said)
    SettingsChange.model_validate(said, strict=True)
    if None in settings:
        raise ValueError
    return settings


def _parsed(line: bytes, number: int) -> dict[str, Any]:
    try:
        said = parse_json(line)
    except MemorandaError as refusal:
        raise invalid(f"line {number}: {refusal.message}", field="FILE") from None
    if not isinstance(said, dict):
        raise invalid(f"line {number} is no row of an export", field="FILE")
    return said


def _event(number: int, row: JsonObject) -> ForeignEvent:
    with _shaped(number):
        head, opened = _head(row), None
        if "payload" in row:
            opened = Opened(bytes.fromhex(row["salt"]), canonical(row["payload"]))
        return ForeignEvent(
            head=head,
            place=Place(row["position"], parse_instant(row["appended_at"], "appended_at")),
            head_bytes=head.to_bytes(),
            body_sha256=bytes.fromhex(row["body_sha256"]),
            opened=opened,
            facts=facts_of(head, opened),
        )


def _judged(event: ForeignEvent, graves: Mapping[str, Sequence[Grave]]) -> ForeignEvent:
    """With what the file says of its record, and of those that it names."""
    own = graves.get(event.head.stream, ())
    others = (one.name for stream in dict(event.named) for one in graves.get(stream, ()))
    alive = all(grave.versions is not None for grave in own)
    return replace(event, alive=alive, buried=frozenset(others))


def _head(row: JsonObject) -> Head:
    if type(row["position"]) is not int or not 0 < row["position"] <= POSITION_MAX:
        raise invalid(f"position must be an integer from 1 to {POSITION_MAX}", field="position")
    return Head.from_bytes(canonical(row["structure"] | {"commitment": row["commitment"]}))


@contextmanager
def _shaped(number: int) -> Iterator[None]:
    """Tell of which line it is that something is wrong with."""
    try:
        yield
    except MemorandaError as refusal:
        said = f"line {number}: {refusal.message}"
        raise invalid(said, field=refusal.field, reason=refusal.reason) from None
    except CorruptEventError as error:
        raise invalid(f"line {number}: {error}", field="FILE") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        raise invalid(f"line {number} is no row of an export", field="FILE") from None
