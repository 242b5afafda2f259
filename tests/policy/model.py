"""The rules once more, each as a search through all events: slow, and written only to compare.

It knows ids that mean one thing only, current knowledge, and the policy `newest-recorded/v1`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from domain.resolver.events import (
    Expiry,
    Inherited,
    Payload,
    PolicyEvent,
    Statement,
    Supersession,
    Tombstone,
)


class Model:
    """What is true of a set of events of one session, asked for at an instant."""

    def __init__(self, events: Sequence[PolicyEvent], as_of: int) -> None:
        self.events = events
        self.as_of = as_of
        self.statements = {one.id: one for one in events if isinstance(one, Statement)}

    def answer(self, slot: str) -> dict[str, str]:
        """Of each statement of a slot `selected`, or its reason."""
        members = [one for one in self.statements.values() if one.slot_ref == slot]
        said = {one.id: self.reason(one) for one in members}
        eligible = [one for one in members if said[one.id] == ""]
        if eligible:
            winner = max(eligible, key=self.rank)
            for one in eligible:
                said[one.id] = "same_value" if _value(one) == _value(winner) else "shadowed"
            said[winner.id] = "selected"
        return said

    def chain(self, one: Statement) -> list[Statement] | None:
        """The statement and all that it corrects, up to an assertion; None where none is."""
        found = [one]
        while found[-1].target is not None:
            above = self.statements.get(found[-1].target)
            if above is None or above in found:
                return None
            found.append(above)
        return found

    def kin(self, one: str) -> set[str]:
        """All ids that reach the same id as this one."""
        return {other for other in self._ids() if self._reached(other) & self._reached(one)}

    def reason(self, one: Statement) -> str:
        if any(self._covers(event, one) for event in self.events if isinstance(event, Tombstone)):
            return "deleted"
        chain = self.chain(one)
        if chain is None:
            return "target_unknown"
        if len({other.slot_ref for other in chain}) > 1:
            return "key_mismatch"
        for other in self.statements.values():
            if other.target == one.id and other.slot_ref == one.slot_ref:
                return "corrected"
        root = chain[-1].id
        for event in self.events:
            if isinstance(event, Supersession) and root not in self.kin(event.canonical):
                if any(root in self.kin(target) for target in event.targets):
                    return "superseded"
        return self._outside(one, chain)

    def rank(self, one: Statement) -> tuple[int, int, str, int, str]:
        root = (self.chain(one) or [one])[-1]
        return root.recorded_us, self._from(one), root.id, one.recorded_us, one.id

    def _outside(self, one: Statement, chain: list[Statement]) -> str:
        until = self._bound(chain, "valid_until")
        expires = self._bound(chain, "expires_at")
        bounds = [
            (event.recorded_us, event.id, _open(event.expires_us))
            for event in self.events
            if isinstance(event, Expiry) and chain[-1].id in self.kin(event.target)
        ]
        if bounds:
            expires = max(bounds)[2]
        if self.as_of < self._from(one):
            return "not_yet_valid"
        if self.as_of >= until and until <= expires:
            return "validity_ended"
        return "expired" if self.as_of >= expires else ""

    def _from(self, one: Statement) -> int:
        for other in self.chain(one) or [one]:
            if not isinstance(other.valid_from, Inherited):
                return other.recorded_us if other.valid_from is None else other.valid_from
        raise AssertionError(one)

    def _bound(self, chain: list[Statement], name: str) -> float:
        said = [getattr(one, name) for one in chain]
        return _open(next(bound for bound in said if not isinstance(bound, Inherited)))

    def _covers(self, grave: Tombstone, one: Statement) -> bool:
        if grave.scope == "event":
            return grave.target == one.id
        if grave.scope == "key":
            return grave.target == one.slot_ref and one.recorded_us <= grave.recorded_us
        return one.id in self.kin(grave.target)

    def _ids(self) -> set[str]:
        return {*self.statements, *(one.target for one in self.statements.values() if one.target)}

    def _reached(self, one: str) -> set[str]:
        """The ends of the chain above an id: an assertion, an unknown id, or a whole cycle."""
        seen: list[str] = []
        at = one
        while at not in seen:
            seen.append(at)
            known = self.statements.get(at)
            if known is None or known.target is None:
                return {at}
            at = known.target
        return set(seen[seen.index(at) :])


def _open(bound: int | None) -> float:
    return float("inf") if bound is None else bound


def _value(one: Statement) -> object:
    assert isinstance(one.payload, Payload)
    said = one.payload.value
    return unicodedata.normalize("NFC", said) if isinstance(said, str) else said
