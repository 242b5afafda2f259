"""Looking into views.db, and filling it in whatever pages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, select

from domain.ports import LogReader
from projections.catalogue import CATALOGUE
from projections.database import open_views, writing
from projections.schema import CHECKPOINT, MEMORY_VERSION, METADATA
from workers.catch_up import catch_up


@contextmanager
def new_views() -> Iterator[Engine]:
    """A file of its own for one example."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_views(Path(folder) / "views.db")
        try:
            yield engine
        finally:
            engine.dispose()


def follow(log: LogReader, engine: Engine, batch: int = 500) -> int:
    """Bring all projections to the head of the log."""
    return min(catch_up(projection, 0, log, engine, batch) for projection in CATALOGUE)


def deliver(log: LogReader, engine: Engine, pages: Iterable[tuple[int, int]]) -> None:
    """Hand out all events in overlapping pages of (events once more, new events)."""
    for projection in CATALOGUE:
        events = log.after(0, 10**6, part=0, topics=projection.topics)
        done = 0
        for back, new in [*pages, (0, len(events))]:
            page = events[max(0, done - back) : done + new]
            done = min(done + new, len(events))
            with writing(engine) as connection:
                projection.apply(connection, page, log)


def tables(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables but the checkpoints, in the order of their keys."""
    with engine.connect() as connection:
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
    with engine.connect() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def positions(engine: Engine) -> dict[str, int]:
    """The checkpoint of each projection."""
    return {row["projection"]: row["position"] for row in rows(engine, CHECKPOINT)}


def all_text(engine: Engine, skip: Sequence[str] = ()) -> str:
    """Everything that the tables hold, to look for what must not be there."""
    return "\n".join(repr(rows) for name, rows in tables(engine).items() if name not in skip)
