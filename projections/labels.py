"""Tables of labels: what the current version of a record is tagged with, or cites."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, Table

from projections.dialects import Insertion, Removal
from projections.lineages import Lineage


@dataclass(frozen=True, slots=True)
class Relabelling:
    """The distinct labels of one record before and after a batch."""

    lineage: Lineage
    before: frozenset[str]
    after: frozenset[str]


class LabelTable:
    """A table of (workspace, id, label), all of it primary key."""

    def __init__(self, table: Table) -> None:
        workspace, record, label = table.primary_key.columns
        self._names = (workspace.name, record.name, label.name)
        self._insert = Insertion(table)
        self._removal = Removal({"w": workspace, "r": record, "l": label})

    def write(self, connection: Connection, changes: Iterable[Relabelling]) -> None:
        """Take away and add what differs."""
        changed = [change for change in changes if change.before != change.after]
        gone = [
            dict(zip("wrl", key, strict=True))
            for change in changed
            for key in _keys(change.lineage, change.before - change.after)
        ]
        new = [
            dict(zip(self._names, key, strict=True))
            for change in changed
            for key in _keys(change.lineage, change.after - change.before)
        ]
        if gone:
            self._removal.make(connection, gone)
        if new:
            self._insert.put(connection, new)


def _keys(lineage: Lineage, labels: Collection[str]) -> Iterable[tuple[str, str, str]]:
    return ((*lineage, label) for label in labels)
