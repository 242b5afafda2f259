"""Where claims are read: in a transaction of the read models, at a basis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from sqlalchemy import Connection

from domain.claims.chains import Limits
from domain.claims.gaps import PolicyStanding, gaps
from domain.claims.gathering import Gathered, gather
from domain.claims.statuses import DAMAGED, Latest, latest_assessment
from domain.envelope import CorruptEventError
from domain.ports import LogReader
from domain.validation.policies import PoliciesState
from read_api.basis import Basis
from read_api.decisions import Decisions
from read_api.known_in_views import KnownInViews

PoliciesAt: TypeAlias = Callable[[str, int], PoliciesState]
"""(workspace, position) → the validation policies as they stood there."""

GLANCE: Final = Limits(depth=8, nodes=2_000, edges=500)
"""How far evidence is followed for the gaps of an answer that is about something else."""


@dataclass(frozen=True, slots=True)
class ClaimSite:
    """One reading of claims."""

    connection: Connection
    basis: Basis
    decisions: Decisions
    policies: PoliciesState

    @classmethod
    def at(
        cls, connection: Connection, basis: Basis, log: LogReader, policies: PoliciesAt
    ) -> ClaimSite:
        """A reading at a basis."""
        decisions = Decisions(log, basis.workspace, basis.viewer, basis.position)
        return cls(connection, basis, decisions, policies(basis.workspace, basis.position))

    @property
    def standing(self) -> PolicyStanding:
        """What the names of policies stand for."""
        return self.policies.standing

    @property
    def records(self) -> KnownInViews:
        """The records that evidence is made of."""
        return KnownInViews(self.connection, self.basis, self.decisions)

    def gathered(
        self,
        ids: Iterable[str],
        *,
        without: Sequence[str] = (),
        reviewed: bool = False,
        challenged: bool = False,
        limits: Limits | None = None,
    ) -> dict[str, Gathered]:
        """The claims among the ids, with their evidence."""
        return gather(
            self.records,
            ids,
            self.basis.as_of_us,
            without=without,
            reviewed=reviewed,
            challenged=challenged,
            limits=limits or Limits(),
        )

    def latest(self, found: Gathered) -> Latest:
        """The latest assessment of what a claim states now.

        Where an answer is about many things, one decision that cannot be read spoils no other one.
        """
        claim = found.memory[-1].state.id
        try:
            return latest_assessment(found.memory, self.decisions.newest_assessments(claim))
        except CorruptEventError:
            return DAMAGED

    def gaps(self, ids: Iterable[str]) -> dict[str, tuple[str, ...] | None]:
        """The gaps of the claims among the ids; None where there is too much evidence to tell."""
        return {
            one: gaps(found.evidence, self.latest(found), self.standing)
            if found.evidence.complete
            else None
            for one, found in self.gathered(ids, challenged=True, limits=GLANCE).items()
        }
