"""All projections that follow the log into views.db.

A projection's name and version are part of the stored data: a changed one begins at position 0,
in a file that is rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Table

from domain.ports import LogReader
from domain.recorded import RecordedEvent
from projections import evidence, records
from projections.schema import EDGE_VERSION, MEMORY_VERSION


@dataclass(frozen=True, slots=True)
class Projection:
    """A fold over the events of some topics.

    `apply` writes a batch of them, in the order of the log, in the transaction of its connection.
    It is idempotent by (stream, version) and has no effect elsewhere. `table` holds the versions
    with their positions.
    """

    name: str
    version: int
    topics: tuple[str, ...]
    table: Table
    apply: Callable[[Connection, Sequence[RecordedEvent], LogReader], None]


CATALOGUE: Final = (
    Projection("records", 1, records.TOPICS, MEMORY_VERSION, records.apply),
    Projection("evidence", 1, evidence.TOPICS, EDGE_VERSION, evidence.apply),
)
