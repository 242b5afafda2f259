"""What projections made of the log: every event applied once and in order, or parked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import psycopg
from sqlalchemy import select

from domain.recorded import RecordedEvent
from projections.catalogue import CATALOGUE, Projection
from projections.database import reading, writing
from projections.lineages import lineage_of
from projections.schema import PARKED
from tests.chaos.product import is_poison
from tests.chaos.verdict import differences
from tests.projections.databases import Postgres
from workers.site import Site

NOT_COMPARED: Final = ("checkpoint", "parked", "attempt")
"""Tables that say how it came about."""


@dataclass
class Ledger:
    """Events that projections were to handle, and what became of them."""

    written: int = 0
    applied: int = 0
    parked: int = 0
    poison: int = 0
    doubled: int = 0
    out_of_order: int = 0
    wrong: list[str] = field(default_factory=list)


def balance(events: Sequence[RecordedEvent], site: Site, url: str, mark: str) -> Ledger:
    """Compare the whole log with the witness, the parked streams and the read models."""
    ledger = Ledger()
    for projection in CATALOGUE:
        mine = [one for one in events if one.topic in projection.topics]
        ledger.wrong += _of_projection(projection, mine, site, url, mark, ledger)
    ledger.wrong += _read_models(events, site, url)
    return ledger


def _of_projection(
    projection: Projection,
    events: Sequence[RecordedEvent],
    site: Site,
    url: str,
    mark: str,
    ledger: Ledger,
) -> Iterator[str]:
    name = projection.name
    applied = _witnessed(projection, url)
    times = Counter(position for position, _ in applied)
    parked = _parked(projection, site)
    written = {event.position: event for event in events}
    ledger.written += len(written)
    ledger.applied += len(times)
    ledger.parked += len(parked)
    ledger.poison += sum(is_poison(event, mark) for event in events)
    for position in sorted(written.keys() | times.keys() | parked):
        if position not in written:
            yield f"{name}: position {position} is not of this log"
        elif times[position] + (position in parked) == 0:
            yield f"{name}: lost: {written[position].name} at {position}"
        elif times[position] > 1 or (position in times and position in parked):
            ledger.doubled += 1
            also = ", and is parked" * (position in parked)
            yield f"{name}: doubled: {position} was handled {times[position]} times{also}"
        elif position in times and is_poison(written[position], mark):
            yield f"{name}: position {position} was handled, which nothing can"
    for stream, before, after in _out_of_order(applied):
        ledger.out_of_order += 1
        yield f"{name}: out of order: {stream} at {after} after {before}"


def _witnessed(projection: Projection, url: str) -> list[tuple[int, str]]:
    """(position, stream) in the order in which they were handled."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT position, stream FROM public.witness WHERE projection = %s ORDER BY seq",
            [projection.name],
        ).fetchall()


def _parked(projection: Projection, site: Site) -> set[int]:
    query = select(PARKED.c.position).where(PARKED.c.projection == projection.name)
    with reading(site.views) as connection:
        return set(connection.execute(query).scalars())


def _out_of_order(applied: Sequence[tuple[int, str]]) -> Iterator[tuple[str, int, int]]:
    """Streams of which a later event was handled before an earlier one: that, and its successor."""
    streams: defaultdict[str, list[int]] = defaultdict(list)
    for position, stream in applied:
        streams[stream].append(position)
    for stream, positions in streams.items():
        for before, after in pairwise(positions):
            if after < before:
                yield stream, before, after


def _read_models(events: Sequence[RecordedEvent], site: Site, url: str) -> Iterator[str]:
    """They are what a fold of the log makes that meets no trouble, without what is parked."""
    again = Postgres(url)
    try:
        with again.new_views() as folded:
            for projection in CATALOGUE:
                hidden = _parked_streams(projection, site)
                shown = [
                    one
                    for one in events
                    if one.topic in projection.topics and lineage_of(one) not in hidden
                ]
                with writing(folded) as connection:
                    projection.apply(connection, shown, site.log)
            yield from differences(site.views, folded, NOT_COMPARED)
    finally:
        again.close()


def _parked_streams(projection: Projection, site: Site) -> set[tuple[str, str]]:
    query = select(PARKED.c.workspace, PARKED.c.stream).where(
        PARKED.c.projection == projection.name
    )
    with reading(site.views) as connection:
        return {(row.workspace, row.stream) for row in connection.execute(query)}
