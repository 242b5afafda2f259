"""What the versions of a tangled memory mean at a basis, from the read models (ADR 0029).

A tangled memory is one whose stream holds what no command makes. Its rows keep the structure of
its events, of which the resolver's own parts make the answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row

from domain.instants import Micros
from domain.resolver.eligibility import Excluded, Reason
from domain.steps import Step
from domain.tangled import Meaning


class Branch(NamedTuple):
    """A statement that nothing has corrected; `value` is what it says, None where that is gone."""

    version: int
    from_us: Micros
    until_us: Micros
    value: bytes | None


class TangledView:
    """One memory, from all of its rows that are known at a basis, in their order."""

    def __init__(self, rows: Sequence[Row[Any]]) -> None:
        self._tangles = {row.version: json.loads(row.tangle) for row in rows}
        self._meaning = Meaning(rows[-1].memory_id, [self._step(row) for row in rows])
        self.shown = self._meaning.shown()
        """The version whose text the memory has; None while it was not remembered."""

    def exclusions(self, as_of_us: Micros) -> dict[int, Excluded]:
        """By version why a statement is no answer, whatever else there is."""
        found = {one.id: one for one in self._meaning.exclusions(as_of_us)}
        return {
            version: found[name]
            for version in sorted(self._meaning.steps)
            if (name := self._meaning.name(version)) in found
        }

    def branches(self) -> list[Branch]:
        """What is to be chosen from, the preferred one first; several are a fork."""
        return [self._branch(version) for version in self._meaning.tips()]

    def holding(self, as_of_us: Micros) -> list[Branch]:
        """The branches that hold at an instant, the one that answers first."""
        why = self.exclusions(as_of_us)
        return [one for one in self.branches() if one.version not in why]

    def answering(self, as_of_us: Micros) -> int | None:
        """The version that the memory says at an instant: of those that hold the best, else the
        one that it shows.
        """
        return next((one.version for one in self.holding(as_of_us)), self.shown)

    def lost(self, as_of_us: Micros) -> list[Excluded]:
        """The other branches that hold at an instant, and that the one which answers stands before
        them.
        """
        holding = self.holding(as_of_us)
        return [self._lost_to(holding[0], one) for one in holding[1:]]

    def _lost_to(self, first: Branch, branch: Branch) -> Excluded:
        same = first.value is not None and first.value == branch.value
        name = self._meaning.name
        said: Reason = "same_value" if same else "shadowed"
        return Excluded(name(branch.version), said, name(first.version))

    def shows(self, version: int) -> int | None:
        """The statement whose text a version had."""
        shown: int | None = self._tangles[version]["shows"]
        return shown

    def slot_of(self, version: int) -> str:
        """The slot that a statement says to be about; empty for none."""
        return self._meaning.steps[version].slot_ref

    def grave(self, version: int) -> str | None:
        """The event that forgot a statement, if it is known."""
        found = self._meaning.grave(version)
        return None if found is None else found[0].id

    def hidden_by(self, lifecycle: str) -> str | None:
        """The event that gave the memory a lifecycle in which it does not answer."""
        said = [one for one in self._meaning.own if one.said.get("lifecycle") == lifecycle]
        return self._meaning.name(said[-1].version) if said else None

    def _step(self, row: Row[Any]) -> Step:
        tangle = self._tangles[row.version]
        return Step(row.version, row.topic, row.recorded_us, tangle["said"], tangle["says"])

    def _branch(self, version: int) -> Branch:
        place = self._meaning.lineages.place(self._meaning.name(version))
        value = self._tangles[version]["value"]
        return Branch(
            version,
            place.span.from_us,
            place.span.until_us,
            None if value is None else value.encode(),
        )
