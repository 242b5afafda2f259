"""Import: JSON Lines of operations, with the times at which they were recorded elsewhere.

Each line is `{"context": {"recorded_at": …}, …envelope}`. Lines are executed in order, up to 200
in one transaction; a line that is refused costs only itself and is reported with its number, code,
field and reason. Starting the same import again replays what stands and goes on with the rest.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

from rich.console import Console

from domain.canonical import Json, canonical, parse_json
from domain.errors import MemorandaError
from ops.import_entries import Reader
from ops.import_ledger import REFUSED_SUFFIX, ImportReport, Ledger, ResumePoint
from ops.import_run import Batches
from ops.import_source import ImportSource, RawLine, too_long
from ops.memoranda import Memoranda
from ops.progress import OnProgress, progress_bar
from ops.settings import local_actor

POINT_SECONDS: Final = 0.5
"""How often the resume point is kept."""


def import_file(
    memoranda: Memoranda,
    path: Path,
    *,
    workspace: str = "default",
    actor: str | None = None,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Import a file of JSON Lines, plain or gzipped.

    Lines that name no workspace or actor get those given here (the actor of the command line by
    default). `on_progress` is told lines done and lines in all. Refused lines, with the reason, are
    in `<path>.refused.jsonl`, which is written anew. Raises UnreadableFileError, LedgerError, and
    ImportStoppedError where the store cannot go on.
    """
    source = ImportSource.scan(path)
    reader = Reader(workspace, actor or local_actor(), source.digest)
    refused_file = path.with_name(path.name + REFUSED_SUFFIX)
    point = ResumePoint(_point_path(memoranda, reader))
    known = point.read(memoranda.log.head(), refused_file)
    with closing(Ledger(refused_file)) as ledger:
        ledger.begin(known)
        batches = Batches(memoranda, ledger)
        kept_at = time.monotonic()
        for raw in source.read(0 if known is None else known["line"]):
            done = batches.done
            take(batches, reader, raw)
            if batches.done > done:
                _tell(on_progress, batches.done, source.lines)
                if time.monotonic() - kept_at >= POINT_SECONDS:
                    _keep(point, memoranda, batches, ledger)
                    kept_at = time.monotonic()
        batches.flush()
        _tell(on_progress, source.lines, source.lines)
    point.clear()
    return ledger.report


def import_lines_into(
    memoranda: Memoranda,
    lines: Iterable[Mapping[str, object]],
    *,
    name: str,
    workspace: str,
    actor: str,
    console: Console | None = None,
) -> ImportReport:
    """Import lines that are in memory or made on the way, as `import_file` does.

    `name` stands for the file; a bar is shown on `console`. The first refusals are in the report.
    """
    reader = Reader(workspace, actor, hashlib.sha256(name.encode()).hexdigest())
    ledger = Ledger(None)
    batches = Batches(memoranda, ledger)
    bar = nullcontext(None) if console is None else progress_bar(console, f"Importing {name}")
    with bar as on_progress:
        for number, line in enumerate(lines, 1):
            _execute(batches, reader, number, dict(line), size=0)
            _tell(on_progress, batches.done, None)
        batches.flush()
    return ledger.report


def take(batches: Batches, reader: Reader, raw: RawLine) -> None:
    """A line of a file: malformed ones are refused lines, never an end."""
    try:
        if raw.too_long:
            raise too_long()
        line = parse_json(raw.text)
    except MemorandaError as refusal:
        batches.refuse(raw.number, refusal, raw.text.decode(errors="backslashreplace"))
        return
    _execute(batches, reader, raw.number, line, size=len(raw.text))


def _execute(batches: Batches, reader: Reader, number: int, line: Json, *, size: int) -> None:
    try:
        entry = reader.entry(number, line)
    except MemorandaError as refusal:
        batches.refuse(number, refusal, line)
        return
    batches.add(entry, size, line)


def _point_path(memoranda: Memoranda, reader: Reader) -> Path:
    """One point for each content, workspace and actor."""
    said = canonical([reader.seed, reader.workspace, reader.actor])
    name = hashlib.sha256(said).hexdigest()
    return memoranda.folder.path / "imports" / f"{name}.json"


def _keep(point: ResumePoint, memoranda: Memoranda, batches: Batches, ledger: Ledger) -> None:
    position = memoranda.log.head()
    point.write({"line": batches.done, "position": position, **ledger.state()})


def _tell(on_progress: OnProgress | None, done: int, total: int | None) -> None:
    if on_progress is not None:
        on_progress(done, total)
