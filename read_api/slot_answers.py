"""What a policy answers about slots at a basis, by the functions of a recall (policy.md §2.9).

A slot that no text names at the basis is not listed; who names it is told which memories were its.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from domain.canonical import JsonObject
from domain.context import Context
from domain.resolver.policies import Conflict
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, of_ids, parts_of, recallable
from read_api.exclusion_view import Exclusion, ExclusionView, joined
from read_api.memory_view import MemoryView
from read_api.record_doors import MEMORIES, shown_records
from read_api.slot_choice import SlotChoice, choose_of_slots
from read_api.slot_seats import Seat
from read_api.standing import standing_row

_RECORDS: Final = select(MEMORY_VERSION).where(
    recallable(MEMORY_VERSION),
    MEMORY_VERSION.c.forgotten.is_(None),
    of_ids(MEMORY_VERSION.c.memory_id),
)


class Answer(NamedTuple):
    """What is said about one slot; `selected` in precedence, `candidates` by id."""

    selected: Sequence[Seat] = ()
    candidates: Sequence[str] = ()

    @classmethod
    def among(cls, seats: Iterable[Seat], losers: Collection[str]) -> Answer:
        """Of the candidates of a slot; what was forgotten since is not in it."""
        live = [seat for seat in seats if not seat.gone]
        ranked = sorted(live, key=lambda seat: seat.candidate(None).precedence, reverse=True)
        selected = [seat for seat in ranked if seat.id not in losers]
        return cls(selected, sorted(seat.id for seat in live))

    @property
    def versions(self) -> list[JsonObject]:
        """The selected versions."""
        return [{"id": seat.memory_id, "version": seat.version} for seat in self.selected]

    def differs(self, other: Answer) -> bool:
        """Whether other versions are selected there."""
        return self._named() != other._named()

    def _named(self) -> set[str]:
        return {seat.name for seat in self.selected}


@dataclass(frozen=True, slots=True)
class SlotAnswers:
    """The answers about some slots, by reference."""

    connection: Connection
    basis: Basis
    choice: SlotChoice

    @classmethod
    def at(
        cls, connection: Connection, basis: Basis, policy: str, refs: Iterable[str]
    ) -> SlotAnswers:
        """About slots that a text names at the basis."""
        return cls(connection, basis, choose_of_slots(connection, basis, policy, refs))

    def of(self, ref: str) -> Answer:
        """The answer about one slot."""
        return Answer.among(self.choice.slots.get(ref, ()), self.choice.losers)

    def conflicts(self, refs: Iterable[str]) -> Mapping[str, Conflict]:
        """Those of the slots in which different things are said. Reads what is said."""
        crowded = [ref for ref in refs if len(self.choice.slots.get(ref, ())) > 1]
        verdicts = self.choice.verdicts(MemoryView(self.connection, self.basis), crowded)
        return {
            ref: verdict.conflict
            for ref, verdict in verdicts.items()
            if verdict.conflict is not None
        }

    def excluded(self, refs: Sequence[str]) -> list[JsonObject]:
        """Every version of the slots that is no answer, as `explain` of a recall lists them."""
        memories = MemoryView(self.connection, self.basis)
        verdicts = self.choice.verdicts(memories, refs)
        view = ExclusionView(self.connection, self.basis, Filters())
        found = joined(
            view.of_slots(refs), self.choice.exclusions(self.connection, self.basis, verdicts)
        )

        def order(one: Exclusion) -> tuple[str, int]:
            return one.memory_id, one.version

        return [
            {"id": one.memory_id, "version": one.version, "reason": one.reason, "by": one.by}
            for one in sorted(found, key=order)
        ]

    def records(self, context: Context, ids: Sequence[str]) -> list[JsonObject]:
        """Selected memories as they stood at the basis, in the order of these ids."""
        found = (
            row
            for part in parts_of(ids)
            for row in self.connection.execute(
                _RECORDS, {**self.basis.binds, "ids": part}
            ).mappings()
        )
        rows = {row["memory_id"]: standing_row(row, self.basis.as_of_us) for row in found}
        ordered = [rows[memory] for memory in ids]
        return shown_records(self.connection, MEMORIES, context, ordered)


def conflict_told(conflict: Conflict) -> JsonObject:
    """A conflict as an answer about its slot tells it."""
    return {
        "winner": conflict.winner,
        "losers": list(conflict.losers),
        "candidates": list(conflict.candidates),
        "decided_by": conflict.decided_by,
    }
