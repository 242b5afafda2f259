"""All projections that follow the log into views.db.

A projection's name and version are part of the stored data: a changed one begins at position 0,
in a file that is rebuilt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sqlalchemy import Connection, Table

from domain.ids import MEMORY, RELATIONSHIP
from domain.ports import LogReader
from domain.recorded import RecordedEvent
from projections import bundles, evidence, records, withdrawing
from projections.bundle_tables import BUNDLE_STREAM, NAME, VERSION
from projections.schema import EDGE_VERSION, MEMORY_VERSION

Poison: TypeAlias = Literal["stop", "park_stream", "skip_event"]
"""What becomes of an event that a projection cannot handle: it waits for it, it goes on without the
event's stream, or it goes on without the event."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A fold over the events of some topics.

    `apply` writes a batch of them, in the order of the log, in the transaction of its connection.
    It is idempotent by (stream, version) and has no effect elsewhere. `table` holds the versions
    with their positions; `withdraw` takes those of one stream (workspace, id) from it again, and
    all that was made from them. `prefixes` are those of the ids of its streams.
    """

    name: str
    version: int
    topics: tuple[str, ...]
    table: Table
    apply: Callable[[Connection, Sequence[RecordedEvent], LogReader], None]
    withdraw: Callable[[Connection, str, str], None]
    prefixes: tuple[str, ...]
    poison: Poison = "park_stream"


CATALOGUE: Final = (
    Projection(
        name="records",
        version=2,
        topics=records.TOPICS,
        table=MEMORY_VERSION,
        apply=records.apply,
        withdraw=withdrawing.withdraw_memory,
        prefixes=(MEMORY,),
    ),
    Projection(
        name="evidence",
        version=1,
        topics=evidence.TOPICS,
        table=EDGE_VERSION,
        apply=evidence.apply,
        withdraw=withdrawing.withdraw_edge,
        prefixes=(RELATIONSHIP,),
    ),
    Projection(
        name=NAME,
        version=VERSION,
        topics=bundles.TOPICS,
        table=BUNDLE_STREAM,
        apply=bundles.apply,
        withdraw=bundles.withdraw,
        prefixes=bundles.PREFIXES,
    ),
)
