"""The read model `records`: every version of every memory, without what was forgotten.

A forget reaches back: the text leaves the rows of all covered versions in the transaction that
learns of it. The rows are the same whether the text was still readable when it was folded or its
key had been destroyed before, since of a covered version only structure is ever kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection

from domain.events import (
    MemoryForgotten,
    MemoryRemembered,
    MemoryRevised,
    MemorySuperseded,
    MemoryUpdated,
)
from domain.memory import UNKNOWN, Forgotten, MemoryState
from domain.memory_events import apply_memory
from domain.memory_streams import memory_versions, tangles
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.stand_ins import without_stand_ins
from projections.labels import LabelTable, Relabelling
from projections.lineages import Lineage, VersionTable, by_lineage, chain, unseen
from projections.rows import Row, memory_columns, memory_event_columns, memory_state
from projections.schema import MEMORY_SOURCE, MEMORY_TAG, MEMORY_VERSION

TOPICS: Final = (
    MemoryRemembered.TOPIC,
    MemoryRevised.TOPIC,
    MemoryUpdated.TOPIC,
    MemoryForgotten.TOPIC,
    MemorySuperseded.TOPIC,
)
_VERSIONS: Final = VersionTable(MEMORY_VERSION)
_TAGS: Final = LabelTable(MEMORY_TAG)
_SOURCES: Final = LabelTable(MEMORY_SOURCE)


@dataclass(frozen=True, slots=True)
class _Change:
    """What a batch makes of one memory: its last state before and after, its rows to write."""

    lineage: Lineage
    before: MemoryState | None
    after: MemoryState
    rows: list[Row]


def apply(connection: Connection, events: Sequence[RecordedEvent], log: LogReader) -> None:
    """Fold a batch of memory events, in the order of the log; known versions are skipped.

    `log` is asked for whole streams where they have to be folded again: for a forget of scope
    `event`, and where they hold what no command makes.
    """
    lineages = by_lineage(events)
    known = _VERSIONS.current(connection, lineages)
    changes = [
        _change(connection, lineage, known.get(lineage), fresh, log)
        for lineage, delivered in lineages.items()
        if (fresh := unseen(delivered, _version(known.get(lineage))))
    ]
    _VERSIONS.write(connection, [row for change in changes for row in change.rows], known.values())
    _TAGS.write(connection, map(_tags, changes))
    _SOURCES.write(connection, map(_sources, changes))


def _version(row: Row | None) -> int:
    return 0 if row is None else row["version"]


def _change(
    connection: Connection,
    lineage: Lineage,
    known: Row | None,
    fresh: list[RecordedEvent],
    log: LogReader,
) -> _Change:
    before = None if known is None else memory_state(known)
    created_by = fresh[0].context.actor if known is None else known["created_by"]
    folded = _folded(before, fresh)
    whole = folded is None
    if folded is None:
        last = fresh[-1].version
        # The log may be further on than this batch; the rows say what the batch knows.
        fresh = [event for event in log.stream(*lineage) if event.version <= last]
        folded = memory_versions(fresh)
    states = folded
    rows = [
        memory_event_columns(event, created_by) | memory_columns(state)
        for event, state in zip(fresh, states, strict=True)
    ]
    after = states[-1]
    if after.forgotten not in {None, UNKNOWN}:
        older = [] if whole or known is None else _VERSIONS.versions(connection, lineage)
        rows = [_stripped(row, after.forgotten) for row in (*older, *rows)]
    chain(rows)
    return _Change(lineage, before, after, rows)


def _covers_versions(event: RecordedEvent) -> bool:
    return any(isinstance(fact, MemoryForgotten) and fact.targets for fact in event.facts)


def _folded(state: MemoryState | None, events: list[RecordedEvent]) -> list[MemoryState] | None:
    """The next states; None where the events change the meaning of earlier ones."""
    states: list[MemoryState] = []
    for event in events:
        if _covers_versions(event) or tangles(state, event):
            return None
        if state is not None and event.version in state.dead_versions:
            # Dead on arrival: covered before it came.
            event = event.without_payload()  # noqa: PLW2901 - the fold must not see the other one
        state = apply_memory(state, event)
        states.append(state)
    return states


def _stripped(row: Row, forgotten: Forgotten) -> Row:
    state = without_stand_ins(memory_state(row).without_text())._replace(forgotten=forgotten)
    return row | memory_columns(state)


def _tags(change: _Change) -> Relabelling:
    return _relabelling(change, lambda state: state.tags)


def _sources(change: _Change) -> Relabelling:
    return _relabelling(
        change, lambda state: (reference["source_id"] for reference in state.provenance)
    )


def _relabelling(change: _Change, labels: Callable[[MemoryState], Iterable[str]]) -> Relabelling:
    before, after = (
        frozenset() if state is None or state.forgotten else frozenset(labels(state.as_shown()))
        for state in (change.before, change.after)
    )
    return Relabelling(change.lineage, before, after)
