"""The read model `evidence`: every version of every relationship, and the degrees of its ends.

An edge stays when an end is forgotten: whether the ends may be seen is judged when reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import Connection

from domain.events import RelationshipRelated, RelationshipRevised, RelationshipUpdated
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from domain.relationship import apply_relationship
from projections.dialects import Upsert
from projections.lineages import VersionTable, by_lineage, chain, unseen
from projections.rows import Row, edge_columns, edge_event_columns, edge_state
from projections.schema import DEGREE, EDGE_VERSION

TOPICS: Final = (
    RelationshipRelated.TOPIC,
    RelationshipRevised.TOPIC,
    RelationshipUpdated.TOPIC,
)
_VERSIONS: Final = VersionTable(EDGE_VERSION)
_ADD_DEGREES: Final = Upsert(DEGREE, lambda new: {"edges": DEGREE.c.edges + new.edges})


def apply(connection: Connection, events: Sequence[RecordedEvent], _: LogReader) -> None:
    """Fold a batch of relationship events, in the order of the log; known versions are skipped."""
    lineages = by_lineage(events)
    known = _VERSIONS.current(connection, lineages)
    rows: list[Row] = []
    for lineage, delivered in lineages.items():
        before = known.get(lineage)
        rows.extend(
            _versions(before, unseen(delivered, 0 if before is None else before["version"]))
        )
    _VERSIONS.write(connection, rows, known.values())
    # A first version is written once, in the transaction that counts it: so is its degree.
    _count(connection, [row for row in rows if row["version"] == 1])


def _versions(before: Row | None, fresh: list[RecordedEvent]) -> list[Row]:
    state = None if before is None else edge_state(before)
    rows: list[Row] = []
    for event in fresh:
        state = apply_relationship(state, event)
        created_by = event.context.actor if before is None else before["created_by"]
        before = edge_event_columns(event, created_by) | edge_columns(state)
        rows.append(before)
    chain(rows)
    return rows


def _count(connection: Connection, first: Iterable[Row]) -> None:
    edges = Counter(
        (row["workspace"], node, row["owner"] if row["visibility"] == "private" else "")
        for row in first
        for node in {row["source_id"], row["target_id"]}
    )
    if edges:
        _ADD_DEGREES.put(
            connection,
            [
                {"workspace": workspace, "node": node, "scope": scope, "edges": count}
                for (workspace, node, scope), count in edges.items()
            ],
        )
