"""Who is a candidate in the slots of a workspace at a basis, made of rows (policy.md §2.9).

Of a tangled memory whose stream has a fork these are all branches that hold: within one lineage
the larger by (own valid_from, own recorded_at, id) is preferred (§2.4).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, Select, or_, select

from domain.resolver.policies import Candidate
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, holding, of_ids
from read_api.exclusion_view import ExclusionView
from read_api.standing import Standing, standing
from read_api.tangled_view import TangledView

_ROW: Final = MEMORY_VERSION.c
_SEATS: Final = select(
    _ROW.memory_id,
    _ROW.version,
    _ROW.slot_ref,
    _ROW.from_us,
    _ROW.until_us,
    _ROW.recorded_us,
    _ROW.root_us,
    _ROW.session,
    _ROW.erased,
    _ROW.forgotten,
    _ROW.dead_versions,
    _ROW.tangle,
).where(holding(MEMORY_VERSION))
_OF_MEMORIES: Final = _SEATS.where(of_ids(_ROW.memory_id))
# Of a tangled memory that what is shown is there does not say that what stands in for it is.
_IS_GONE: Final = or_(_ROW.forgotten.is_not(None), _ROW.erased.is_(True), _ROW.tangle.is_not(None))
_GONE_SINCE: Final = _SEATS.where(_ROW.slot_ref.is_not(None), _IS_GONE)
_IN_SLOTS: Final = _SEATS.where(of_ids(_ROW.slot_ref))
_FORKED: Final = _SEATS.where(_ROW.slot_ref.is_not(None), _ROW.tangle.is_not(None))


class Seat(NamedTuple):
    """A memory that was an answer at the basis; `gone` where it was forgotten since.

    Of a tangled memory it is a statement; where that is a branch of a fork that does not answer,
    it is a `branch` and has its `value`.
    """

    memory_id: str
    version: int
    slot_ref: str
    from_us: int
    recorded_us: int
    root_us: int
    session: str
    gone: bool
    branch: bool = False
    value: bytes | None = None

    @property
    def id(self) -> str:
        """What it is called among the candidates: the memory, or a branch of it by its event."""
        return self.name if self.branch else self.memory_id

    @property
    def name(self) -> str:
        """The event that made the version: `<id>@<version>`."""
        return f"{self.memory_id}@{self.version}"

    def candidate(self, value: bytes | None) -> Candidate:
        """What a policy sees of it."""
        return Candidate(
            id=self.id,
            root_id=self.memory_id,
            root_recorded_us=self.root_us,
            from_us=self.from_us,
            recorded_us=self.recorded_us,
            value=value,
        )


def gone_since(connection: Connection, basis: Basis, filters: Filters) -> list[Seat]:
    """What was an answer at the basis and was forgotten since.

    Of what other filters ask about it nothing is left, so it is within none of them.
    """
    if filters != Filters(session_id=filters.session_id, slot=filters.slot):
        return []
    return [
        seat
        for seat in _seats(connection, _GONE_SINCE, basis.binds)
        if seat.gone
        and filters.session_id in {None, seat.session}
        and filters.slot in {None, seat.slot_ref}
    ]


def seats_of(connection: Connection, basis: Basis, ids: Sequence[str]) -> Iterable[Seat]:
    """Those of the memories, at most `IDS_AT_ONCE`, that were answers at the basis."""
    return _seats(connection, _OF_MEMORIES, {**basis.binds, "ids": ids})


def seats_in(connection: Connection, basis: Basis, refs: Sequence[str]) -> Iterable[Seat]:
    """What was an answer in some of the slots, at most `IDS_AT_ONCE`."""
    return _seats(connection, _IN_SLOTS, {**basis.binds, "ids": refs})


def _seats(connection: Connection, query: Select[Any], binds: Mapping[str, Any]) -> Iterable[Seat]:
    for row in connection.execute(query, binds).all():
        said = standing(row, binds["basis_as_of"])
        if said is None:
            continue
        gone = said.erased or row.forgotten is not None
        if not (gone and was_gone(row)):
            yield seat_of(row, said, gone=gone)


def seat_of(row: Row[Any], said: Standing, *, gone: bool) -> Seat:
    """That of a version and what it says at an instant."""
    return Seat(
        memory_id=row.memory_id,
        version=said.shows,
        slot_ref=row.slot_ref,
        from_us=said.from_us,
        recorded_us=row.recorded_us,
        root_us=row.root_us,
        session=row.session,
        gone=gone,
    )


def was_gone(row: Row[Any]) -> bool:
    """Whether a version that has no text had none either by the basis at which it stands."""
    if row.tangle is not None:
        return bool(json.loads(row.tangle)["dead"])
    # Of a version that was erased by the basis, the version itself knows which are dead.
    return row.dead_versions is not None


def forked_slots(connection: Connection, basis: Basis) -> set[str]:
    """Slots with a memory of which several corrections correct the same version."""
    return {
        row.slot_ref
        for row in connection.execute(_FORKED, basis.binds)
        if json.loads(row.tangle)["tips"] > 1
    }


def with_branches(
    connection: Connection, basis: Basis, found: Mapping[str, Sequence[Seat]]
) -> Mapping[str, Sequence[Seat]]:
    """The seats, with those of a fork that are not preferred in it."""
    of_fork = _branches(connection, basis, [seat for seats in found.values() for seat in seats])
    return {
        ref: [one for seat in seats for one in (of_fork.get(seat.memory_id) or [seat])]
        for ref, seats in found.items()
    }


def _branches(connection: Connection, basis: Basis, seats: Sequence[Seat]) -> dict[str, list[Seat]]:
    """Of tangled memories the branches that hold at the basis, the one that answers first."""
    made = {seat.memory_id: seat for seat in seats}
    view = ExclusionView(connection, basis, Filters())
    found: dict[str, list[Seat]] = {}
    for lineage in view.tangled(made):
        told, seat = TangledView(lineage), made[lineage[-1].memory_id]
        why, answering = told.exclusions(basis.as_of_us), told.answering(basis.as_of_us)
        found[seat.memory_id] = [
            seat._replace(
                version=one.version,
                from_us=one.from_us,
                recorded_us=-rank,  # compared within the memory alone, where it is decided
                gone=seat.gone if one.version == answering else one.value is None,
                branch=one.version != answering,
                value=one.value,
            )
            for rank, one in enumerate(told.branches())
            if one.version == answering or one.version not in why
        ]
    return found
