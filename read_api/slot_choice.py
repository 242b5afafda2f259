"""What a policy chooses in the slots of a workspace, before anything is ranked (policy.md §2.9).

The choice itself is `domain.resolver.policies`; here its candidates are made of rows. Among them
are memories that were forgotten after the basis: as what was the answer then, such a one still
stands before the others of its slot (§2.5), and is not shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, and_, func, not_, or_, select

from domain.events import MemoryForgotten
from domain.resolver.policies import SURFACE_ALL, Candidate, Conflict, Verdict, policy_named
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import IDS, Basis, holding, known, parts_of
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.exclusion_view import Exclusion
from read_api.memory_view import MemoryView

_ROW: Final = MEMORY_VERSION.c
_ROOT: Final = MEMORY_VERSION.alias("root")
_SEATS: Final = (
    select(
        _ROW.memory_id,
        _ROW.version,
        _ROW.slot_ref,
        _ROW.from_us,
        _ROW.recorded_us,
        _ROOT.c.recorded_us,
        _ROW.session,
        _ROW.erased,
        _ROW.forgotten,
    )
    .join(
        _ROOT,
        and_(
            _ROOT.c.workspace == _ROW.workspace,
            _ROOT.c.memory_id == _ROW.memory_id,
            _ROOT.c.version == 1,
        ),
    )
    .where(holding(MEMORY_VERSION))
)
_OF_MEMORIES: Final = _SEATS.where(_ROW.memory_id.in_(IDS))
_IS_GONE: Final = or_(_ROW.forgotten.is_not(None), _ROW.erased.is_(True))
# Of a version that was erased by the basis, the version itself knows which are dead.
_GONE_SINCE: Final = _SEATS.where(
    _ROW.slot_ref.is_not(None),
    _IS_GONE,
    _ROW.dead_versions.is_(None),
)
_IN_SLOTS: Final = _SEATS.where(
    _ROW.slot_ref.in_(IDS), or_(not_(_IS_GONE), _ROW.dead_versions.is_(None))
)
_GRAVES: Final = (
    select(_ROW.memory_id, func.max(_ROW.version))
    .where(known(MEMORY_VERSION), _ROW.topic == MemoryForgotten.TOPIC, _ROW.memory_id.in_(IDS))
    .group_by(_ROW.memory_id)
)


class Seat(NamedTuple):
    """A memory that was an answer at the basis; `gone` where it was forgotten since."""

    memory_id: str
    version: int
    slot_ref: str
    from_us: int
    recorded_us: int
    root_us: int
    session: str
    gone: bool

    @property
    def name(self) -> str:
        """The event that made the version: `<id>@<version>`."""
        return f"{self.memory_id}@{self.version}"

    def candidate(self, value: bytes | None) -> Candidate:
        """What a policy sees of it; of each memory that is one version, so its id is enough."""
        return Candidate(
            id=self.memory_id,
            root_id=self.memory_id,
            root_recorded_us=self.root_us,
            from_us=self.from_us,
            recorded_us=self.recorded_us,
            value=value,
        )


@dataclass(frozen=True, slots=True)
class SlotChoice:
    """The slots in which a policy chose, or chose what is forgotten now, with all candidates.

    `losers` are the memories that are no answer because of it.
    """

    policy: str
    slots: Mapping[str, Sequence[Seat]] = field(default_factory=dict)
    losers: Collection[str] = frozenset()

    def slots_of(self, memories: Collection[str]) -> list[str]:
        """The slots in which one of the memories is a candidate."""
        return [
            ref
            for ref, seats in self.slots.items()
            if any(seat.memory_id in memories for seat in seats)
        ]

    def verdicts(self, memories: MemoryView, refs: Iterable[str]) -> dict[str, Verdict]:
        """The verdicts of some of the slots once more, with the values of their candidates."""
        wanted = [ref for ref in dict.fromkeys(refs) if ref in self.slots]
        live = [seat.memory_id for ref in wanted for seat in self.slots[ref] if not seat.gone]
        rows = memories.recallable(live)
        values = {memory: row.value for memory, row in rows.items()}
        choose = policy_named(self.policy)
        return {
            ref: choose([seat.candidate(values.get(seat.memory_id)) for seat in self.slots[ref]])
            for ref in wanted
        }

    def exclusions(
        self, connection: Connection, basis: Basis, verdicts: Mapping[str, Verdict]
    ) -> list[Exclusion]:
        """Who lost, and to whom; and what won, but was forgotten since, by what forgot it.

        `by` names an event, `<id>@<version>`.
        """
        seats = {seat.memory_id: seat for ref in verdicts for seat in self.slots[ref]}
        found = [
            Exclusion(one.id, seats[one.id].version, one.reason, one.by and seats[one.by].name)
            for verdict in verdicts.values()
            for one in verdict.excluded
        ]
        winners = [seats[one.id] for verdict in verdicts.values() for one in verdict.selected]
        gone = [seat for seat in winners if seat.gone]
        graves = _graves(connection, basis, [seat.memory_id for seat in gone])
        return found + [
            Exclusion(seat.memory_id, seat.version, "payload_erased", graves.get(seat.memory_id))
            for seat in gone
        ]


def choose_in_slots(
    connection: Connection, chosen: Chosen, policy: str, filters: Filters, deadline: Deadline
) -> SlotChoice | None:
    """What a policy leaves out among the eligible memories; None where time is up.

    Values do not decide who wins, so none is read here.
    """
    if policy == SURFACE_ALL:
        return SlotChoice(policy)
    basis, index = chosen.basis, chosen.index
    gone = _gone_since(connection, basis, filters) if index.position > basis.position else []
    at = basis.in_index
    crowded = index.crowded(at, filters, {seat.slot_ref for seat in gone}, deadline)
    if crowded is None:
        return None
    found: defaultdict[str, list[Seat]] = defaultdict(list)
    for part in parts_of(crowded):
        for seat in _seats(connection, _OF_MEMORIES, {**basis.binds, "ids": part}):
            found[seat.slot_ref].append(seat)
    for seat in gone:
        found[seat.slot_ref].append(seat)
    return _chosen(policy, found)


def choose_of_slots(
    connection: Connection, basis: Basis, policy: str, refs: Iterable[str]
) -> SlotChoice:
    """What a policy chooses in some slots, whoever is in them; the same as for a recall."""
    found: defaultdict[str, list[Seat]] = defaultdict(list)
    for part in parts_of(refs):
        for seat in _seats(connection, _IN_SLOTS, {**basis.binds, "ids": part}):
            # Where all are surfaced, what is forgotten stands before nobody.
            if not (seat.gone and policy == SURFACE_ALL):
                found[seat.slot_ref].append(seat)
    return _chosen(policy, found)


def _chosen(policy: str, found: Mapping[str, Iterable[Seat]]) -> SlotChoice:
    slots = _each_once(found)
    choose = policy_named(policy)
    losers = {
        one.id
        for members in slots.values()
        for one in choose([seat.candidate(None) for seat in members]).excluded
    }
    return SlotChoice(policy, slots, losers)


def _each_once(slots: Mapping[str, Iterable[Seat]]) -> dict[str, Sequence[Seat]]:
    """A memory that was forgotten while this is asked may have been found twice."""
    return {
        ref: list({seat.memory_id: seat for seat in seats}.values()) for ref, seats in slots.items()
    }


def conflict_wire(conflict: Conflict, slot: str | None) -> dict[str, Any]:
    """A conflict of a recall's explanation."""
    return {
        "slot": slot,
        "winner": conflict.winner,
        "losers": list(conflict.losers),
        "candidates": list(conflict.candidates),
        "decided_by": conflict.decided_by,
    }


def _gone_since(connection: Connection, basis: Basis, filters: Filters) -> list[Seat]:
    """What was an answer at the basis and was forgotten since.

    Of what other filters ask about it nothing is left, so it is within none of them.
    """
    if filters != Filters(session_id=filters.session_id, slot=filters.slot):
        return []
    return [
        seat
        for seat in _seats(connection, _GONE_SINCE, basis.binds)
        if filters.session_id in {None, seat.session} and filters.slot in {None, seat.slot_ref}
    ]


def _seats(connection: Connection, query: Select[Any], binds: Mapping[str, Any]) -> Iterable[Seat]:
    for *seat, erased, forgotten in connection.execute(query, binds):
        yield Seat._make([*seat, erased or forgotten is not None])


def _graves(connection: Connection, basis: Basis, ids: Sequence[str]) -> dict[str, str]:
    """Of forgotten memories the event that forgot them, whenever that was."""
    binds = {**basis.binds, "basis_position": 2**62}
    return {
        memory_id: f"{memory_id}@{version}"
        for part in parts_of(ids)
        for memory_id, version in connection.execute(_GRAVES, {**binds, "ids": part})
    }
