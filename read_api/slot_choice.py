"""What a policy chooses in the slots of a workspace, before anything is ranked (policy.md §2.9).

The choice itself is `domain.resolver.policies`; here its candidates are made of rows. Among them
are memories that were forgotten after the basis: as what was the answer then, such a one still
stands before the others of its slot (§2.5), and is not shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Connection, func, select

from domain.events import MemoryForgotten
from domain.resolver.policies import SURFACE_ALL, Conflict, Verdict, policy_named
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, known, of_ids, parts_of
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.exclusion_view import Exclusion, ExclusionView
from read_api.memory_view import MemoryView
from read_api.slot_seats import Seat, forked_slots, gone_since, seats_in, seats_of, with_branches
from read_api.tangled_view import TangledView

_HEAD: Final = 2**62
"""Later than every position."""
_ROW: Final = MEMORY_VERSION.c
_GRAVES: Final = (
    select(_ROW.memory_id, func.max(_ROW.version))
    .where(known(MEMORY_VERSION), _ROW.topic == MemoryForgotten.TOPIC, of_ids(_ROW.memory_id))
    .group_by(_ROW.memory_id)
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

        def value(seat: Seat) -> bytes | None:
            return seat.value if seat.branch else values.get(seat.memory_id)

        return {
            ref: choose([seat.candidate(value(seat)) for seat in self.slots[ref]]) for ref in wanted
        }

    def exclusions(
        self, connection: Connection, basis: Basis, verdicts: Mapping[str, Verdict]
    ) -> list[Exclusion]:
        """Who lost, and to whom; and what won, but was forgotten since, by what forgot it.

        `by` names an event, `<id>@<version>`.
        """
        seats = {seat.id: seat for ref in verdicts for seat in self.slots[ref]}
        found = [
            Exclusion(
                seats[one.id].memory_id,
                seats[one.id].version,
                one.reason,
                one.by and seats[one.by].name,
            )
            for verdict in verdicts.values()
            for one in verdict.excluded
        ]
        winners = [seats[one.id] for verdict in verdicts.values() for one in verdict.selected]
        gone = [seat for seat in winners if seat.gone]
        graves = _graves(connection, basis, gone)
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
    if deadline.expired():
        return None
    basis, index = chosen.basis, chosen.index
    gone = gone_since(connection, basis, filters) if index.position > basis.position else []
    at = basis.in_index
    also = {seat.slot_ref for seat in gone} | forked_slots(connection, basis)
    crowded = index.crowded(at, filters, also, deadline)
    if crowded is None:
        return None
    found: defaultdict[str, list[Seat]] = defaultdict(list)
    for part in parts_of(crowded):
        for seat in seats_of(connection, basis, part):
            found[seat.slot_ref].append(seat)
    for seat in gone:
        found[seat.slot_ref].append(seat)
    return _chosen(policy, with_branches(connection, basis, found))


def choose_of_slots(
    connection: Connection, basis: Basis, policy: str, refs: Iterable[str]
) -> SlotChoice:
    """What a policy chooses in some slots, whoever is in them; the same as for a recall."""
    found: defaultdict[str, list[Seat]] = defaultdict(list)
    for part in parts_of(refs):
        for seat in seats_in(connection, basis, part):
            # Where all are surfaced, what is forgotten stands before nobody.
            if not (seat.gone and policy == SURFACE_ALL):
                found[seat.slot_ref].append(seat)
    if policy != SURFACE_ALL:
        return _chosen(policy, with_branches(connection, basis, found))
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
    return {ref: list({seat.id: seat for seat in seats}.values()) for ref, seats in slots.items()}


def conflict_wire(conflict: Conflict, slot: str | None) -> dict[str, Any]:
    """A conflict of a recall's explanation."""
    return {
        "slot": slot,
        "winner": conflict.winner,
        "losers": list(conflict.losers),
        "candidates": list(conflict.candidates),
        "decided_by": conflict.decided_by,
    }


def _graves(connection: Connection, basis: Basis, gone: Sequence[Seat]) -> dict[str, str]:
    """Of forgotten memories the event that forgot them, whenever that was."""
    ids, now = [seat.memory_id for seat in gone], replace(basis, position=_HEAD)
    found = {
        memory_id: f"{memory_id}@{version}"
        for part in parts_of(ids)
        for memory_id, version in connection.execute(_GRAVES, {**now.binds, "ids": part})
    }
    versions = {seat.memory_id: seat.version for seat in gone}
    for lineage in ExclusionView(connection, now, Filters()).tangled(ids):
        grave = TangledView(lineage).grave(versions[lineage[-1].memory_id])
        if grave is not None:
            found[lineage[-1].memory_id] = grave
    return found
