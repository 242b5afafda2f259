"""What the pages before one gave, as it was recorded of them."""

from __future__ import annotations

from collections.abc import Sequence

from domain.events import RecallRecorded
from domain.ports import LogReader
from read_api.basis import parts_of
from read_api.pages import Given
from read_api.recordings import returned


def given_by(log: LogReader, workspace: str, pages: Sequence[str]) -> Given | None:
    """What the recalls of some pages gave and skipped; None where one of them is not there."""
    items: set[str] = set()
    skipped: set[str] = set()
    found = {
        page: events
        for part in parts_of(pages)
        for page, events in log.streams(workspace, part).items()
    }
    for page in pages:
        facts = [fact for event in found.get(page, ()) for fact in event.facts]
        if not facts:
            return None
        for fact in facts:
            if isinstance(fact, RecallRecorded):
                items.update(record for record, _ in returned(fact).items)
                skipped.update(record for record, _ in returned(fact).skipped)
    return Given(items, skipped)
