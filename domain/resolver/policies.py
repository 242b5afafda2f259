"""The named policies: which candidates of one slot are selected (spec/policy.md §2.9).

A policy sees candidates only: values that are eligible already. The resolver makes them of
statements, and a reader of projections of its rows. A name is written into every basis and keeps
its meaning for ever; another meaning is another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

from domain.errors import invalid
from domain.instants import Micros
from domain.resolver.eligibility import Excluded

DecidedBy: TypeAlias = Literal["recorded_at", "valid_from", "event_id", "correction_order"]


class Candidate(NamedTuple):
    """An eligible statement of a slot.

    `value` is what is compared, None where it was erased: equal to nothing then, not even to
    another erased one, since equality would tell of the text. `from_us` is its own or inherited
    start of validity.
    """

    id: str
    root_id: str
    root_recorded_us: Micros
    from_us: Micros
    recorded_us: Micros
    value: bytes | None

    @property
    def precedence(self) -> tuple[Micros, Micros, str, Micros, str]:
        """The larger wins. Ids are the last resort: the same on every replica."""
        return self.root_recorded_us, self.from_us, self.root_id, self.recorded_us, self.id

    def says(self, other: Candidate) -> bool:
        """Whether both are known to have the same value."""
        return self.value is not None and self.value == other.value


class Conflict(NamedTuple):
    """Candidates of one slot with different values, by id; values are not repeated.

    Without a winner nothing was decided, and all of them are surfaced.
    """

    candidates: tuple[str, ...]
    winner: str | None
    decided_by: DecidedBy | None

    @property
    def losers(self) -> tuple[str, ...]:
        """Those that the winner outranks with another value."""
        return tuple(one for one in self.candidates if one != self.winner) if self.winner else ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy makes of one slot; `selected` are in precedence, the first one first."""

    selected: tuple[Candidate, ...]
    excluded: tuple[Excluded, ...] = ()
    conflict: Conflict | None = None


SlotPolicy: TypeAlias = Callable[[Sequence[Candidate]], Verdict]
"""Of one or more candidates of a slot, in any order."""


def decided_by(winner: Candidate, loser: Candidate) -> DecidedBy:
    """The first component of the precedence that tells them apart; within a lineage their order."""
    if winner.root_id == loser.root_id:
        return "correction_order"
    if winner.root_recorded_us != loser.root_recorded_us:
        return "recorded_at"
    return "event_id" if winner.from_us == loser.from_us else "valid_from"


def _newest_recorded(candidates: Sequence[Candidate]) -> Verdict:
    """One winner; equal values corroborate, others are shadowed and named as a conflict."""
    winner, *others = _ranked(candidates)
    against = [one for one in others if not winner.says(one)]
    shadowed = {one.id for one in against}
    excluded = tuple(
        Excluded(one.id, "shadowed" if one.id in shadowed else "same_value", winner.id)
        for one in others
    )
    if not against:
        return Verdict((winner,), excluded)
    by_id = tuple(sorted([winner.id, *shadowed]))
    # The closest of the others is the one that the winner had to beat.
    conflict = Conflict(by_id, winner.id, decided_by(winner, against[0]))
    return Verdict((winner,), excluded, conflict)


def _surface_all(candidates: Sequence[Candidate]) -> Verdict:
    """Every candidate; where values differ a conflict without a winner."""
    ranked = _ranked(candidates)
    first = ranked[0]
    if all(first.says(one) for one in ranked[1:]):
        return Verdict(tuple(ranked))
    ids = tuple(sorted(one.id for one in ranked))
    return Verdict(tuple(ranked), conflict=Conflict(ids, winner=None, decided_by=None))


def _ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda one: one.precedence, reverse=True)


PolicyName: TypeAlias = Literal["surface-all/v1", "newest-recorded/v1"]
"""The names that the contract and the settings of a workspace take."""

NEWEST_RECORDED: Final = "newest-recorded/v1"
SURFACE_ALL: Final = "surface-all/v1"

POLICIES: Final[dict[str, SlotPolicy]] = {
    SURFACE_ALL: _surface_all,
    NEWEST_RECORDED: _newest_recorded,
}


def policy_named(name: str) -> SlotPolicy:
    """A registered policy. Raises INVALID_REQUEST with the field `policy` and the known names."""
    policy = POLICIES.get(name)
    if policy is None:
        known = ", ".join(sorted(POLICIES))
        raise invalid(f"policy is not known here: use one of {known}", field="policy")
    return policy
