"""What both read models do with a batch: sort it by stream, skip what is known, write versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from sqlalchemy import Connection, Table, bindparam, select

from domain.recorded import RecordedEvent
from projections.dialects import Changes, Selection, replacing
from projections.rows import Row

Lineage: TypeAlias = tuple[str, str]
"""Workspace and stream of one record."""


class ProjectionGapError(Exception):
    """An event came before its predecessor in the stream: the log was not read in order."""


def lineage_of(event: RecordedEvent) -> Lineage:
    """The record that an event belongs to."""
    return event.context.workspace, event.stream


def by_lineage(events: Iterable[RecordedEvent]) -> dict[Lineage, list[RecordedEvent]]:
    """The events of a batch by record, each list in the order of the batch."""
    sorted_out: dict[Lineage, list[RecordedEvent]] = {}
    for event in events:
        sorted_out.setdefault(lineage_of(event), []).append(event)
    return sorted_out


def unseen(events: Sequence[RecordedEvent], known: int) -> list[RecordedEvent]:
    """The events of one record after version `known`, each once.

    A version that is known is skipped, whatever delivered it again. Raises ProjectionGapError
    where a version is missing in between.
    """
    fresh: list[RecordedEvent] = []
    for event in events:
        if event.version > known + 1:
            raise ProjectionGapError(
                f"{event.name} at position {event.position} comes after version {known}: "
                "read the log in order, from the checkpoint on"
            )
        if event.version == known + 1:
            fresh.append(event)
            known += 1
    return fresh


def chain(rows: Sequence[Row]) -> None:
    """Tell each version where its successor stands; the last one stays current."""
    for row, successor in pairwise(rows):
        row["to_position"] = successor["position"]


class VersionTable:
    """One table of versions with the primary key (workspace, id, version)."""

    def __init__(self, table: Table) -> None:
        self.table = table
        workspace, record, version = table.primary_key.columns
        self._id = record
        self._all = select(table).where(workspace == bindparam("w"), record == bindparam("r"))
        self._current = Selection(
            table, record, workspace == bindparam("w"), table.c.to_position.is_(None)
        )
        self._ends = Changes(
            {"w": workspace, "r": record, "v": version}, {"next": table.c.to_position}
        )
        self._versions = replacing(table)

    def current(self, connection: Connection, lineages: Iterable[Lineage]) -> dict[Lineage, Row]:
        """The current version of each record that the table knows."""
        streams: dict[str, list[str]] = {}
        for workspace, stream in lineages:
            streams.setdefault(workspace, []).append(stream)
        return {
            (workspace, row[self._id.name]): dict(row)
            for workspace, ids in streams.items()
            for row in self._current.of(connection, ids, {"w": workspace})
        }

    def versions(self, connection: Connection, lineage: Lineage) -> list[Row]:
        """All versions of one record, in order."""
        workspace, stream = lineage
        found = connection.execute(self._all, {"w": workspace, "r": stream}).mappings()
        return sorted((dict(row) for row in found), key=lambda row: row["version"])

    def write(self, connection: Connection, rows: Sequence[Row], before: Iterable[Row]) -> None:
        """Put versions, new or rewritten, and end those of `before` where the new ones begin.

        A record's rows are in order and end with its current version.
        """
        first = {
            (row["workspace"], row[self._id.name], row["version"]): row["position"] for row in rows
        }
        ended = [
            {"w": workspace, "r": stream, "v": version, "next": position}
            for row in before
            for workspace, stream, version in [self._key(row)]
            if (position := first.get((workspace, stream, version + 1))) is not None
        ]
        if ended:
            self._ends.make(connection, ended)
        if rows:
            self._versions.put(connection, rows)

    def _key(self, row: Row) -> tuple[str, str, int]:
        return row["workspace"], row[self._id.name], row["version"]
