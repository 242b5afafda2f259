"""Which statements may answer, and the first reason why the others may not (policy.md §2.8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from domain.instants import Micros
from domain.resolver.deletion import deletions
from domain.resolver.events import Statement, Tombstone
from domain.resolver.expiry import Retention, retentions
from domain.resolver.holding import Ended, ended
from domain.resolver.knowledge import Known
from domain.resolver.lineages import Lineages
from domain.resolver.supersession import superseded

Reason: TypeAlias = (
    Ended
    | Literal[
        "deleted",
        "target_unknown",
        "key_mismatch",
        "corrected",
        "superseded",
        "shadowed",
        "same_value",
        "payload_erased",
        "no_lexical_match",
        "rank_cutoff",
    ]
)


class Excluded(NamedTuple):
    """A statement that is no answer, the first reason that applies, and the event that caused it.

    `by` is None where time or the question alone decides.
    """

    id: str
    reason: Reason
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known at a basis, judged for one instant."""

    lineages: Lineages
    deleted: dict[str, Tombstone]
    behind: dict[str, str]
    retained: dict[str, Retention]
    as_of_us: Micros

    def exclusion(self, statement: Statement) -> Excluded | None:
        """Why a statement may not answer, whatever else is in its slot; None where it may."""
        place = self.lineages.place(statement.id)
        grave = self.deleted.get(statement.id)
        if grave is not None:
            return Excluded(statement.id, "deleted", grave.id)
        if place.root is None:
            return Excluded(statement.id, "target_unknown", place.lineage)
        if place.inert:
            return Excluded(statement.id, "key_mismatch", statement.target)
        correction = self.lineages.correction_of(statement.id)
        if correction is not None:
            return Excluded(statement.id, "corrected", correction.id)
        front = self.behind.get(place.lineage)
        if front is not None:
            return Excluded(statement.id, "superseded", front)
        return self._outside(statement.id)

    def _outside(self, statement_id: str) -> Excluded | None:
        place = self.lineages.place(statement_id)
        inherited = Retention(place.span.expires_us, by=None)
        retained = self.retained.get(place.lineage, inherited)
        span = place.span
        reason = ended(span.from_us, span.until_us, retained.expires_us, self.as_of_us)
        if reason is None:
            return None
        return Excluded(statement_id, reason, retained.by if reason == "expired" else None)


def standing(known: Known, as_of_us: Micros) -> Standing:
    """Everything that decides about the known statements, each in O(n log n)."""
    lineages = Lineages(known.statements)
    return Standing(
        lineages=lineages,
        deleted=deletions(known.copies, known.tombstones, lineages),
        behind=superseded(known.supersessions, lineages),
        retained=retentions(known.expiries, lineages),
        as_of_us=as_of_us,
    )


def erasures(known: Known) -> dict[str, Tombstone]:
    """The statements whose payload may be in no answer, at whatever basis is asked."""
    return deletions(known.copies, known.tombstones, Lineages(known.statements))


def sorted_out(
    statements: Iterable[Statement], standing: Standing
) -> tuple[list[Statement], list[Excluded]]:
    """The statements that may answer, and the exclusions of the others."""
    eligible: list[Statement] = []
    excluded: list[Excluded] = []
    for statement in statements:
        exclusion = standing.exclusion(statement)
        if exclusion is None:
            eligible.append(statement)
        else:
            excluded.append(exclusion)
    return eligible, excluded
