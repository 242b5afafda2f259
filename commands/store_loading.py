"""What `LogStore.load` is asked and answers, in the words of a table, for every adapter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from commands.store_rows import StoredRow, originator_id

# In a string of canonical JSON a quote is escaped, so this finds a member of the head alone.
_STREAM: Final = re.compile(rb'"stream":"([a-z]+_[0-9a-z]{26})"')


def by_originator(wanted: Mapping[str, int]) -> dict[str, int]:
    """The lowest version wanted of each originator; what is no id of a stream is left out."""
    after: dict[str, int] = {}
    for stream, version in wanted.items():
        originator = originator_id(stream)
        if originator is not None:
            after[originator] = min(version, after.get(originator, version))
    return after


def by_stream(wanted: Mapping[str, int], rows: Iterable[StoredRow]) -> dict[str, list[StoredRow]]:
    """The rows of each stream after the version wanted, in the order in which they come."""
    found: dict[str, list[StoredRow]] = {}
    for row in rows:
        found.setdefault(row.originator_id, []).append(row)
    loaded: dict[str, list[StoredRow]] = {}
    for stream, version in wanted.items():
        events = found.get(originator_id(stream) or "", ())
        events = [row for row in events if row.version > version]
        if events and not _is_another(events[0], stream):
            loaded[stream] = events
    return loaded


def _is_another(row: StoredRow, stream: str) -> bool:
    """Whether the event is of a stream with the same 16 bytes and another prefix."""
    named = _STREAM.search(row.state)
    if named is None:
        return False
    said = named.group(1).decode()
    return said != stream and originator_id(said) == row.originator_id
