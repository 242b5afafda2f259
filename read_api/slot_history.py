"""The history of a slot over both axes of time (spec/policy.md §2.3, §3.1).

Along what was known: each event that changed the answer. Along validity: the intervals in which the
answer was the same. Every version of the slot's memories is a row with the position at which it
came and the one at which it ended, so the answer of each position is made again from them, by the
functions that answer about a slot at one basis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, and_, bindparam, or_, select

from domain.canonical import JsonObject
from domain.errors import MemorandaError, invalid
from domain.instants import FOREVER, Micros, server_time
from domain.resolver.policies import SURFACE_ALL, policy_named
from domain.visibility import ANSWERING
from projections.columns import BIG, Words
from projections.lexical.eligibility import Filters
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, known
from read_api.exclusion_view import ExclusionView
from read_api.slot_answers import Answer, conflict_told
from read_api.slot_members import Member, holding, members
from read_api.slot_seats import was_gone

STANDING_MAX: Final = 1000
"""Memories that may stand in a slot at once."""
ROWS_MAX: Final = 4 * STANDING_MAX
"""Versions that are read for one page, those that stood before it included."""
JUDGED_MAX: Final = 500_000
"""Candidates that are judged for one page, about a second; then it ends with the entry it has."""

_ROW: Final = MEMORY_VERSION.c
_MEMBER: Final = MEMORY_VERSION.alias("member")
_MEMBERS: Final = select(_MEMBER.c.memory_id).where(
    _MEMBER.c.workspace == bindparam("basis_workspace", type_=Words),
    _MEMBER.c.slot_ref == bindparam("ref", type_=Words),
)
_VERSIONS: Final = (
    select(MEMORY_VERSION)
    .where(
        known(MEMORY_VERSION),
        _ROW.memory_id.in_(_MEMBERS),
        or_(
            _ROW.position > bindparam("after", type_=BIG),
            and_(
                or_(_ROW.to_position.is_(None), _ROW.to_position > bindparam("after", type_=BIG)),
                _ROW.lifecycle.in_(ANSWERING),
            ),
        ),
    )
    .order_by(_ROW.position)
    .limit(bindparam("most", type_=BIG))
)


class Told(NamedTuple):
    """Entries of a history; `next_after` is where to go on, None at the end."""

    entries: list[JsonObject]
    next_after: int | None


class _Interval(NamedTuple):
    """Instants with one answer: `from_us` on, before `until_us`."""

    from_us: Micros
    until_us: Micros
    selected: list[JsonObject]
    conflicts: list[JsonObject]

    def wire(self) -> JsonObject:
        return {
            "from": server_time(self.from_us),
            "until": None if self.until_us == FOREVER else server_time(self.until_us),
            "selected": self.selected,
            "conflicts": self.conflicts,
        }


@dataclass(frozen=True, slots=True)
class SlotHistory:
    """The history of one slot, as its answers are told at a basis: what was forgotten by it is
    nowhere in it.
    """

    connection: Connection
    basis: Basis
    policy: str
    ref: str

    def after(self, position: int, limit: int) -> Told:
        """Up to `limit` changes after a position; INVALID_REQUEST for a slot that is too crowded.

        An entry is `{position, event, recorded_at, answers}`; the `appended_at` is the log's.
        """
        binds = {**self.basis.binds, "ref": self.ref, "after": position, "most": ROWS_MAX + 1}
        rows = self.connection.execute(_VERSIONS, binds).all()
        more = len(rows) > ROWS_MAX
        tangled = {row.memory_id for row in rows if row.tangle is not None}
        view = ExclusionView(self.connection, self.basis, Filters())
        lineages = {lineage[-1].memory_id: lineage for lineage in view.tangled(tangled)}
        walk = _Walk(self.policy, self.ref, lineages)
        for row in rows:
            if row.position <= position:
                walk.step(row)
        entries: list[JsonObject] = []
        before, last = walk.answers(), position
        for row in (one for one in rows[:ROWS_MAX] if one.position > position):
            if len(entries) == limit or (entries and walk.judged > JUDGED_MAX):
                return Told(entries, last)
            walk.step(row)
            now, last = walk.answers(), row.position
            if now != before:
                entries.append(_entry(row, now))
            before = now
        return Told(entries, last if more else None)


class _Walk:
    """The versions that stand, event after event, and the answers that they give."""

    def __init__(self, policy: str, ref: str, lineages: Mapping[str, Sequence[Row[Any]]]) -> None:
        self._policy = policy
        self._choose = policy_named(policy)
        self._ref = ref
        self._lineages = lineages
        self._standing: dict[str, list[Member]] = {}
        self.judged = 0

    def step(self, row: Row[Any]) -> None:
        """A version came, and the one before it ended."""
        if not self._may_answer(row):
            self._standing.pop(row.memory_id, None)
            return
        of_memory = self._lineages.get(row.memory_id, ())
        known = [one for one in of_memory if one.version <= row.version]
        self.judged += len(known)
        self._standing[row.memory_id] = members(row, known)
        if len(self._standing) > STANDING_MAX:
            raise _crowded()

    def answers(self) -> list[_Interval]:
        """What is answered for which instants; for none of the others anything is."""
        standing = [one for of_memory in self._standing.values() for one in of_memory]
        bounds = {bound for one in standing for bound in (one.seat.from_us, one.ends_us)}
        found = [self._between(start, end) for start, end in pairwise(sorted({*bounds, FOREVER}))]
        return list(_joined(one for one in found if one.selected or one.conflicts))

    def _may_answer(self, row: Row[Any]) -> bool:
        """Whether there may be an instant for which a version is a candidate."""
        if row.slot_ref != self._ref or row.lifecycle not in ANSWERING:
            return False
        gone = row.erased or row.forgotten is not None
        return not (gone and was_gone(row))

    def _between(self, start: Micros, end: Micros) -> _Interval:
        self.judged += len(self._standing)
        held = [one for each in self._standing.values() for one in self._held(each, start)]
        if not held:
            return _Interval(start, end, [], [])
        verdict = self._choose([one.seat.candidate(one.value) for one in held])
        answer = Answer.among((one.seat for one in held), {one.id for one in verdict.excluded})
        told = [] if verdict.conflict is None else [conflict_told(verdict.conflict)]
        return _Interval(start, end, answer.versions, told)

    def _held(self, of_memory: Sequence[Member], at_us: Micros) -> list[Member]:
        """The candidates of one memory, as in `slot_choice`: where all are surfaced it has one
        that is there, and what was forgotten since stands before nobody.
        """
        held = holding(of_memory, at_us)
        if self._policy != SURFACE_ALL:
            return held
        return [one for one in held[:1] if not one.seat.gone]


def _joined(intervals: Iterable[_Interval]) -> Iterator[_Interval]:
    """Neighbours with the same answer as one."""
    last: _Interval | None = None
    for one in intervals:
        if last is not None and last.until_us == one.from_us and last[2:] == one[2:]:
            last = last._replace(until_us=one.until_us)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _entry(row: Row[Any], answers: Iterable[_Interval]) -> JsonObject:
    return {
        "position": row.position,
        "event": f"{row.memory_id}@{row.version}",
        "recorded_at": server_time(row.recorded_us),
        "answers": [one.wire() for one in answers],
    }


def _crowded() -> MemorandaError:
    return invalid(
        f"the slot holds more than {STANDING_MAX} memories at once: ask for its answer at a basis",
        field="slot",
    )
