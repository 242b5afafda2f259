"""A part of an import file that came over HTTP: executed as the whole file would be."""

from __future__ import annotations

from dataclasses import asdict
from io import BytesIO
from typing import Final

from domain.canonical import Json, JsonObject
from domain.errors import invalid
from ops.import_entries import Reader
from ops.import_ledger import Ledger, RefusedLine
from ops.import_run import Batches, ImportStoppedError
from ops.import_source import lines_of
from ops.importer import take
from ops.memoranda import Memoranda

PART_LINES_MAX: Final = 500
"""Lines of one request, empty ones included."""


class _Part(Ledger):
    """Keeps all refusals: a part is small."""

    def __init__(self) -> None:
        super().__init__(None)
        self.refusals: list[RefusedLine] = []

    def refuse(self, refused: RefusedLine, said: Json) -> None:
        super().refuse(refused, said)
        self.refusals.append(refused)


def import_part(memoranda: Memoranda, reader: Reader, body: bytes, first: int) -> JsonObject:
    """Execute the lines of a body, of which the first has the number `first`; how they ended.

    INVALID_REQUEST for too many. What cannot go on now is said in `stopped`, and nothing after
    `done` was tried.
    """
    if body.count(b"\n") + (not body.endswith(b"\n")) > PART_LINES_MAX:
        raise invalid(f"at most {PART_LINES_MAX} lines at a time: send the rest after them")
    ledger = _Part()
    batches = Batches(memoranda, ledger)
    stopped: str | None = None
    try:
        for raw in lines_of(BytesIO(body), first):
            take(batches, reader, raw)
        batches.flush()
    except ImportStoppedError as stop:
        stopped = str(stop)
    report = ledger.report
    return {
        "done": batches.done,
        "accepted": report.accepted,
        "replayed": report.replayed,
        "refused": report.refused,
        "refusals": [asdict(refused) for refused in ledger.refusals],
        "stopped": stopped,
    }
