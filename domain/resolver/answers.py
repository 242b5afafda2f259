"""One answer and its explanation (spec/policy.md §2.10)."""

from __future__ import annotations

from dataclasses import dataclass

from domain.canonical import Json, JsonObject
from domain.instants import FOREVER, Micros, server_time
from domain.resolver.eligibility import Excluded
from domain.resolver.policies import Conflict


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer is a function of.

    `position` is the last known event of the session, the exact bound; `as_known_us` the clock
    that was asked for, if any. `ranker` is None where no text was asked for.
    """

    position: int
    as_of_us: Micros
    as_known_us: Micros | None
    ranker: str | None

    def as_wire(self) -> JsonObject:
        """As an answer shows it, in UTC."""
        return {
            "position": self.position,
            "as_of": server_time(self.as_of_us),
            "as_known": _time(self.as_known_us),
            "ranker": self.ranker,
        }


@dataclass(frozen=True, slots=True)
class Item:
    """A selected statement; `score` is None where no text was asked for."""

    id: str
    lineage: str
    key: str
    value: Json
    source: str | None
    recorded_us: Micros
    from_us: Micros
    until_us: Micros
    score: float | None

    def as_wire(self) -> JsonObject:
        """As an answer shows it; an open end is null."""
        return {
            "id": self.id,
            "lineage": self.lineage,
            "key": self.key,
            "value": self.value,
            "source": self.source,
            "recorded_at": server_time(self.recorded_us),
            "valid_from": server_time(self.from_us),
            "valid_until": _time(None if self.until_us == FOREVER else self.until_us),
            "score": self.score,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What is selected, in order, and why everything else in scope is not.

    `excluded` is in the order of ids, `conflicts` in that of their first candidates.
    """

    policy: str
    basis: Basis
    items: tuple[Item, ...]
    excluded: tuple[Excluded, ...]
    conflicts: tuple[Conflict, ...]

    @property
    def selected(self) -> tuple[str, ...]:
        """The ids of the items, in order."""
        return tuple(item.id for item in self.items)

    def as_wire(self) -> JsonObject:
        """The JSON object of the specification."""
        return {
            "policy": self.policy,
            "basis": self.basis.as_wire(),
            "selected": list(self.selected),
            "items": [item.as_wire() for item in self.items],
            "excluded": [_excluded(one) for one in self.excluded],
            "conflicts": [
                {
                    "winner": one.winner,
                    "losers": list(one.losers),
                    "decided_by": one.decided_by,
                    **({"candidates": list(one.candidates)} if one.winner is None else {}),
                }
                for one in self.conflicts
            ],
        }


def _excluded(one: Excluded) -> JsonObject:
    by = {} if one.by is None else {"by": one.by}
    return {"id": one.id, "reason": one.reason, **by}


def _time(at: Micros | None) -> str | None:
    return None if at is None else server_time(at)
