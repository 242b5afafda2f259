"""The read model `bundles`: concepts, claims with their citations, and windows.

A forget of a memory changes what several streams say. So a stream is folded whole, as far as it was
delivered, whenever something of it comes, or goes. Citations are put behind what is there: there
may be thousands of them (`bundle_citations`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from sqlalchemy import Connection, bindparam, delete

from domain.bundle_events import (
    CitationAdded,
    ConceptOpened,
    TakeawayAdded,
    TakeawayMoved,
    WindowRecorded,
    WindowResolved,
)
from domain.bundles.concepts import apply_concept
from domain.bundles.takeaways import apply_takeaway
from domain.bundles.windows import apply_window
from domain.events import MemoryForgotten
from domain.ids import CLAIM, CONCEPT, MEMORY, WINDOW
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from projections.bundle_citations import append
from projections.bundle_forgets import Forgets, learn, note_naming, streams_naming, unlearn
from projections.bundle_rows import (
    citation_columns,
    claim_columns,
    concept_columns,
    window_columns,
)
from projections.bundle_tables import (
    BUNDLE_CITATION,
    BUNDLE_CLAIM,
    BUNDLE_CONCEPT,
    BUNDLE_NAMING,
    BUNDLE_STREAM,
    BUNDLE_WINDOW,
)
from projections.columns import Words
from projections.dialects import Selection, replacing
from projections.lineages import Lineage, by_lineage, unseen
from projections.rows import Row

TOPICS: Final = (
    ConceptOpened.TOPIC,
    TakeawayAdded.TOPIC,
    TakeawayMoved.TOPIC,
    CitationAdded.TOPIC,
    WindowRecorded.TOPIC,
    WindowResolved.TOPIC,
    MemoryForgotten.TOPIC,
)
PREFIXES: Final = (CONCEPT, CLAIM, WINDOW, MEMORY)
State = TypeVar("State")
_STREAMS_AT_ONCE: Final = 500
_W: Final = bindparam("w", type_=Words)
_ID: Final = bindparam("id", type_=Words)
_KNOWN: Final = Selection(BUNDLE_STREAM, BUNDLE_STREAM.c.stream, BUNDLE_STREAM.c.workspace == _W)
_PUT_STREAMS: Final = replacing(BUNDLE_STREAM)
_SHOWN: Final = {
    CONCEPT: (BUNDLE_CONCEPT,),
    CLAIM: (BUNDLE_CLAIM, BUNDLE_CITATION),
    WINDOW: (BUNDLE_WINDOW,),
}
_PUTS: Final = {table: replacing(table) for tables in _SHOWN.values() for table in tables}
_DELETES: Final = {
    prefix: [
        delete(table).where(table.c.workspace == _W, list(table.primary_key.columns)[1] == _ID)
        for table in tables
    ]
    for prefix, tables in _SHOWN.items()
}
_FORGET_STREAM: Final = [
    delete(table).where(table.c.workspace == _W, table.c.stream == _ID)
    for table in (BUNDLE_STREAM, BUNDLE_NAMING)
]


def apply(connection: Connection, events: Sequence[RecordedEvent], log: LogReader) -> None:
    """Fold a batch, in the order of the log; what is known is skipped.

    `log` is asked for the whole streams of which something comes, and of those that name a
    memory which is forgotten.
    """
    forgotten = learn(connection, events)
    lineages = by_lineage(one for one in events if one.topic != MemoryForgotten.TOPIC)
    touched = streams_naming(connection, forgotten)
    known = _known(connection, touched.union(lineages))
    fresh = {
        lineage: new
        for lineage, delivered in lineages.items()
        if (new := unseen(delivered, known.get(lineage, 0)))
    }
    note_naming(connection, (event for new in fresh.values() for event in new))
    done = append(connection, {one: new for one, new in fresh.items() if one not in touched})
    until = {lineage: known[lineage] for lineage in touched if lineage in known}
    until |= {lineage: new[-1].version for lineage, new in fresh.items() if lineage not in done}
    _write(connection, _whole(until, fresh, log))


def withdraw(connection: Connection, workspace: str, stream: str) -> None:
    """Leave nothing of a stream. Of a memory, which may be forgotten: of what names it."""
    if not stream.startswith(MEMORY):
        _hide(connection, workspace, stream)
        for statement in _FORGET_STREAM:
            connection.execute(statement, {"w": workspace, "id": stream})
        return
    # How far these streams were folded stays known, so that they come again with the memory.
    for naming in unlearn(connection, workspace, stream):
        _hide(connection, workspace, naming)


def _hide(connection: Connection, workspace: str, stream: str) -> None:
    for statement in _DELETES.get(_prefix(stream), ()):
        connection.execute(statement, {"w": workspace, "id": stream})


def _prefix(stream: str) -> str:
    return stream[: stream.find("_") + 1]


def _known(connection: Connection, lineages: Iterable[Lineage]) -> dict[Lineage, int]:
    """The version up to which each of the streams was folded before."""
    streams: dict[str, list[str]] = {}
    for workspace, stream in sorted(lineages):
        streams.setdefault(workspace, []).append(stream)
    return {
        (workspace, row["stream"]): row["version"]
        for workspace, ids in streams.items()
        for row in _KNOWN.of(connection, ids, {"w": workspace})
    }


def _whole(
    until: Mapping[Lineage, int], fresh: Mapping[Lineage, list[RecordedEvent]], log: LogReader
) -> list[list[RecordedEvent]]:
    """The events of each stream up to a version: the log may be further on than this batch."""
    found: list[list[RecordedEvent]] = []
    wanted: dict[str, list[str]] = {}
    for lineage in until:
        if lineage in fresh and fresh[lineage][0].version == 1:
            found.append(fresh[lineage])
        else:
            wanted.setdefault(lineage[0], []).append(lineage[1])
    for workspace, streams in wanted.items():
        for start in range(0, len(streams), _STREAMS_AT_ONCE):
            part = log.streams(workspace, streams[start : start + _STREAMS_AT_ONCE])
            for stream, events in part.items():
                last = until[workspace, stream]
                found.append([event for event in events if event.version <= last])
    return found


def _write(connection: Connection, streams: Sequence[Sequence[RecordedEvent]]) -> None:
    forgets = Forgets(connection, [event for events in streams for event in events])
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for events in streams:
        last = events[-1]
        rows[BUNDLE_STREAM.name].append(
            {
                "workspace": last.context.workspace,
                "stream": last.stream,
                "version": last.version,
                "position": last.position,
            }
        )
        for name, row in _told(forgets.hidden(events)):
            rows[name].append(row)
    if streams:
        _PUT_STREAMS.put(connection, rows[BUNDLE_STREAM.name])
    for table, put in _PUTS.items():
        if rows[table.name]:
            put.put(connection, rows[table.name])


def _told(events: Sequence[RecordedEvent]) -> list[tuple[str, Row]]:
    """The rows that a stream becomes, each with the name of its table; none for an odd stream."""
    return _TELLERS[_prefix(events[0].stream)](events)


def _concept(events: Sequence[RecordedEvent]) -> list[tuple[str, Row]]:
    state = _folded(apply_concept, events)
    return [] if state is None else [(BUNDLE_CONCEPT.name, concept_columns(state, events))]


def _claim(events: Sequence[RecordedEvent]) -> list[tuple[str, Row]]:
    state = _folded(apply_takeaway, events)
    if state is None:
        return []
    cited = [(BUNDLE_CITATION.name, row) for row in citation_columns(state, events)]
    return [(BUNDLE_CLAIM.name, claim_columns(state, events)), *cited]


def _window(events: Sequence[RecordedEvent]) -> list[tuple[str, Row]]:
    state = _folded(apply_window, events)
    return [] if state is None else [(BUNDLE_WINDOW.name, window_columns(state, events))]


def _folded(
    step: Callable[[State | None, RecordedEvent], State | None], events: Iterable[RecordedEvent]
) -> State | None:
    state: State | None = None
    for event in events:
        state = step(state, event)
    return state


_TELLERS: Final = {CONCEPT: _concept, CLAIM: _claim, WINDOW: _window}
