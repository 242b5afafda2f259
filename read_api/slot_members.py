"""Who may answer about a slot by one version of a memory, and when (spec/policy.md §2.9)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Row

from domain.instants import Micros
from domain.resolver.holding import ended
from domain.slots import value_of
from read_api.slot_seats import Seat
from read_api.tangled_view import TangledView


class Member(NamedTuple):
    """A candidate for some instants, with what it says; None where that was forgotten since."""

    seat: Seat
    value: bytes | None
    until_us: Micros
    expires_us: Micros

    @property
    def ends_us(self) -> Micros:
        """Where its validity or its retention ends."""
        return min(self.until_us, self.expires_us)

    def holds(self, at_us: Micros) -> bool:
        """Whether it is a candidate at an instant."""
        return ended(self.seat.from_us, self.until_us, self.expires_us, at_us) is None


def members(row: Row[Any], lineage: Sequence[Row[Any]]) -> list[Member]:
    """Those of a version: one, or of a fork its branches, the preferred one first.

    `lineage` are all versions of a tangled memory up to that one.
    """
    if row.tangle is None:
        value = None if _is_gone(row) else value_of(json.loads(row.record)["content"])
        seat = _seat(row, row.version, row.from_us, row.recorded_us, gone=value is None)
        return [Member(seat, value, row.until_us, row.expires_us)]
    found: list[Member] = []
    for rank, branch in enumerate(TangledView(lineage).branches()):
        value = None if row.forgotten is not None else branch.value
        # What was recorded when is compared within the memory alone, where it is decided.
        seat = _seat(row, branch.version, branch.from_us, -rank, gone=value is None)
        found.append(Member(seat, value, branch.until_us, row.expires_us))
    return found


def holding(of_memory: Sequence[Member], at_us: Micros) -> list[Member]:
    """Those of one memory that are candidates at an instant: the first is what it answers, the
    others are branches that lose to it.
    """
    held = [one for one in of_memory if one.holds(at_us)]
    others = (one._replace(seat=one.seat._replace(branch=True)) for one in held[1:])
    return [*held[:1], *others]


def _is_gone(row: Row[Any]) -> bool:
    return bool(row.erased) or row.forgotten is not None


def _seat(row: Row[Any], version: int, from_us: Micros, recorded_us: Micros, *, gone: bool) -> Seat:
    return Seat(
        memory_id=row.memory_id,
        version=version,
        slot_ref=row.slot_ref,
        from_us=from_us,
        recorded_us=recorded_us,
        root_us=row.root_us,
        session=row.session,
        gone=gone,
    )
