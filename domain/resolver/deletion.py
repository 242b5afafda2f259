"""Which statements a set of tombstones covers (spec/policy.md §2.5)."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable

from domain.instants import Micros
from domain.resolver.events import Statement, Tombstone, age
from domain.resolver.lineages import Lineages


def deletions(
    copies: Iterable[Statement], tombstones: Iterable[Tombstone], lineages: Lineages
) -> dict[str, Tombstone]:
    """The covered statements by id, each with the earliest tombstone that covers it.

    A target that is not known yet is dead on arrival. Where several statements have one id, all
    are covered if one is: what was deleted never comes back under its own id.
    """
    graves = _Graves(tombstones, lineages)
    covered: dict[str, Tombstone] = {}
    for copy in copies:
        for grave in graves.of(copy):
            other = covered.get(copy.id)
            if other is None or age(grave) < age(other):
                covered[copy.id] = grave
    return covered


class _Graves:
    """Tombstones by what they cover; of equal ones the earliest."""

    def __init__(self, tombstones: Iterable[Tombstone], lineages: Lineages) -> None:
        self._lineages = lineages
        self._events: dict[str, Tombstone] = {}
        self._whole: dict[str, Tombstone] = {}
        self._slots: defaultdict[str, list[Tombstone]] = defaultdict(list)
        for one in sorted(tombstones, key=age):
            match one.scope:
                case "event":
                    self._events.setdefault(one.target, one)
                case "lineage":
                    self._whole.setdefault(lineages.of(one.target), one)
                case "key":
                    self._slots[one.target].append(one)

    def of(self, statement: Statement) -> Iterable[Tombstone]:
        """Of each scope the earliest tombstone that covers a statement, if any."""
        lineage = self._lineages.of(statement.id)
        for found in (self._events.get(statement.id), self._whole.get(lineage)):
            if found is not None:
                yield found
        later = self._slots.get(statement.slot_ref, [])
        first = bisect_left(later, statement.recorded_us, key=_recorded)
        yield from later[first : first + 1]


def _recorded(tombstone: Tombstone) -> Micros:
    return tombstone.recorded_us
