"""Streams that a projection could not go on with: parked, passed by an operator, released.

A stream is parked with the first event of it that cannot be handled; later ones are parked behind
it, in order. All functions work in the transaction of a connection, which holds the checkpoint.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, func, insert, select, update

from domain.instants import Micros
from domain.recorded import RecordedEvent
from projections.catalogue import Projection
from projections.lineages import Lineage, lineage_of
from projections.schema import ATTEMPT, PARKED

State: TypeAlias = Literal["parked", "passed", "skipped"]
TRIES_MAX: Final = 3
"""How often an event is tried before its stream is parked."""
_STREAMS_AT_ONCE: Final = 500
_ROW: Final = PARKED.c


@dataclass(frozen=True, slots=True)
class Standing:
    """Why events of a stream are not handled: its state, and the position that it stands for."""

    state: State
    position: int


@dataclass(frozen=True, slots=True)
class Culprit:
    """An event that cannot be handled, and the streams that it may belong to."""

    position: int
    lineages: tuple[Lineage, ...]
    error: str
    """The name of the error's class: its message could quote what is stored."""


class Parking:
    """What is parked of one projection in one part."""

    def __init__(self, projection: Projection, part: int) -> None:
        self._withdraw = projection.withdraw
        self._key = {"projection": projection.name, "version": projection.version, "part": part}
        self._parked = _mine(PARKED, self._key)
        self._attempted = _mine(ATTEMPT, self._key)

    def is_clear(self, connection: Connection) -> bool:
        """Whether nothing is parked and no event has failed: the usual case, at the least price."""
        found = select(
            select(_ROW.position).where(self._parked, _ROW.state != "skipped").exists(),
            select(ATTEMPT.c.position).where(self._attempted).exists(),
        )
        return not any(connection.execute(found).one())

    def standing(
        self, connection: Connection, lineages: Collection[Lineage]
    ) -> dict[Lineage, Standing]:
        """Those of the streams whose events are not handled."""
        streams = sorted({stream for _, stream in lineages})
        found: dict[Lineage, Standing] = {}
        for start in range(0, len(streams), _STREAMS_AT_ONCE):
            query = (
                select(_ROW.workspace, _ROW.stream, _ROW.state, func.min(_ROW.position))
                .where(
                    self._parked,
                    _ROW.state != "skipped",
                    _ROW.stream.in_(streams[start : start + _STREAMS_AT_ONCE]),
                )
                .group_by(_ROW.workspace, _ROW.stream, _ROW.state)
            )
            for workspace, stream, state, position in connection.execute(query):
                found[workspace, stream] = Standing(state, position)
        return {lineage: found[lineage] for lineage in lineages if lineage in found}

    def count_try(self, connection: Connection, culprit: Culprit, now_us: Micros) -> int:
        """One more failure of an event; how many there are."""
        at = and_(self._attempted, ATTEMPT.c.position == culprit.position)
        tries = connection.scalar(select(ATTEMPT.c.tries).where(at)) or 0
        connection.execute(delete(ATTEMPT).where(at))
        row = {"position": culprit.position, "tries": tries + 1, "error": culprit.error}
        connection.execute(insert(ATTEMPT), {**self._key, **row, "updated_us": now_us})
        return tries + 1

    def forget_tries(self, connection: Connection, until: int) -> None:
        """The events up to a position were handled, or are parked."""
        connection.execute(delete(ATTEMPT).where(self._attempted, ATTEMPT.c.position <= until))

    def park(self, connection: Connection, culprit: Culprit, now_us: Micros) -> None:
        """Park the streams of an event, and take what was made of them from the read model."""
        known = self.standing(connection, culprit.lineages)
        for lineage in culprit.lineages:
            if lineage not in known:
                self._withdraw(connection, *lineage)
                self._put(
                    connection,
                    lineage,
                    culprit.position,
                    state="parked",
                    error=culprit.error,
                    parked_us=now_us,
                )
            elif known[lineage].state == "parked":
                self._behind(connection, lineage, culprit.position, known[lineage], now_us)

    def skip_event(self, connection: Connection, culprit: Culprit, now_us: Micros) -> None:
        """Note that an event is left out; its streams go on."""
        for lineage in culprit.lineages:
            self._put(
                connection,
                lineage,
                culprit.position,
                state="skipped",
                error=culprit.error,
                parked_us=now_us,
            )

    def park_behind(
        self,
        connection: Connection,
        events: Iterable[RecordedEvent],
        known: dict[Lineage, Standing],
        now_us: Micros,
    ) -> None:
        """Of some events, park those of parked streams behind the one that these stand for."""
        for event in events:
            lineage = lineage_of(event)
            if lineage in known and known[lineage].state == "parked":
                self._behind(connection, lineage, event.position, known[lineage], now_us)

    def clear(self, connection: Connection, lineage: Lineage) -> None:
        """Nothing of a stream is parked or passed any more, and nothing of it is shown."""
        self._withdraw(connection, *lineage)
        connection.execute(delete(PARKED).where(self._parked, *_of(lineage)))

    def pass_by(
        self, connection: Connection, lineage: Lineage, position: int, now_us: Micros
    ) -> None:
        """An operator gave a stream up at a position: its events are passed from here on."""
        self.clear(connection, lineage)
        self._put(connection, lineage, position, state="passed", error="", parked_us=now_us)

    def retry_failed(self, connection: Connection, culprit: Culprit, now_us: Micros) -> None:
        """A released stream failed again: it stays as it was, with what it failed with now."""
        known = self.standing(connection, culprit.lineages)
        for lineage in culprit.lineages:
            if lineage not in known:
                self.park(connection, culprit, now_us)
            connection.execute(
                update(PARKED)
                .where(self._parked, *_of(lineage), _ROW.blocked_by.is_(None))
                .values(error=culprit.error)
            )

    def _behind(
        self,
        connection: Connection,
        lineage: Lineage,
        position: int,
        first: Standing,
        now_us: Micros,
    ) -> None:
        # Events that are delivered again stand where they stood; earlier ones were withdrawn.
        if position > first.position:
            self._put(
                connection,
                lineage,
                position,
                state="parked",
                error="",
                parked_us=now_us,
                blocked_by=first.position,
            )

    def _put(
        self,
        connection: Connection,
        lineage: Lineage,
        position: int,
        **said: Any,
    ) -> None:
        connection.execute(
            delete(PARKED).where(self._parked, *_of(lineage), _ROW.position == position)
        )
        row = {"workspace": lineage[0], "stream": lineage[1], "position": position, **said}
        connection.execute(insert(PARKED), {"blocked_by": None, **self._key, **row})


def _mine(table: Table, key: dict[str, Any]) -> ColumnElement[bool]:
    return and_(*(table.c[name] == value for name, value in key.items()))


def _of(lineage: Lineage) -> Sequence[ColumnElement[bool]]:
    return _ROW.workspace == lineage[0], _ROW.stream == lineage[1]
