"""Looking into views.db, and filling it in whatever pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Engine, select

from domain.ports import LogReader
from projections.catalogue import CATALOGUE
from projections.database import part_in, reading, writing
from projections.schema import CHECKPOINT, MEMORY_VERSION, METADATA
from tests.projections.databases import new_views
from workers.catch_up import catch_up

__all__ = ["all_text", "deliver", "follow", "new_views", "positions", "rows", "tables"]


def follow(log: LogReader, engine: Engine, batch: int = 500) -> int:
    """Bring all projections to the head of the log."""
    return min(
        catch_up(projection, part, log, engine, batch)
        for projection in CATALOGUE
        for part in _parts(log, engine)
    )


def _parts(log: Any, engine: Engine) -> list[int]:
    """The parts that hold something; one at least."""
    workspaces = getattr(log, "workspaces", {"acme"})
    return sorted({part_in(engine, workspace) for workspace in workspaces or {"acme"}})


def deliver(log: LogReader, engine: Engine, pages: Iterable[tuple[int, int]]) -> None:
    """Hand out all events in overlapping pages of (events once more, new events)."""
    for projection in CATALOGUE:
        events = log.after(0, 10**6, topics=projection.topics)
        done = 0
        for back, new in [*pages, (0, len(events))]:
            page = events[max(0, done - back) : done + new]
            done = min(done + new, len(events))
            with writing(engine) as connection:
                projection.apply(connection, page, log)


def tables(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables but the checkpoints, in the order of their keys."""
    with reading(engine) as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(select(table).order_by(*table.primary_key.columns))
            ]
            for table in METADATA.sorted_tables
            if table is not CHECKPOINT
        }


def rows(engine: Engine, table: Any = MEMORY_VERSION, **where: Any) -> list[dict[str, Any]]:
    """Rows with these values, in the order of their keys."""
    query = select(table).filter_by(**where).order_by(*table.primary_key.columns)
    with reading(engine) as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def positions(engine: Engine) -> dict[str, int]:
    """The checkpoint of each projection."""
    return {row["projection"]: row["position"] for row in rows(engine, CHECKPOINT)}


def all_text(engine: Engine, skip: Sequence[str] = ()) -> str:
    """Everything that the tables hold, to look for what must not be there."""
    return "\n".join(repr(rows) for name, rows in tables(engine).items() if name not in skip)
