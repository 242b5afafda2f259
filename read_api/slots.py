"""Slots and what is known about them, on both axes of time (design.md §7, spec/policy.md §2.9)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine, bindparam, func, select

from domain import checks
from domain.canonical import Json, JsonObject, canonical
from domain.context import Context
from domain.instants import server_time
from domain.ports import Clock, LogReader
from domain.resolver.policies import SURFACE_ALL
from projections.columns import BIG, Words
from projections.database import reading
from projections.schema import MEMORY_VERSION
from read_api.basis import Basis, shown
from read_api.list_cursors import read_cursor, write_cursor
from read_api.past_basis import PastBases, told
from read_api.record_doors import MEMORIES, seen_position
from read_api.selecting import NO_SLOT, Keyed
from read_api.slot_answers import Answer, SlotAnswers, conflict_told
from read_api.slot_history import SlotHistory
from read_api.slot_questions import (
    SLOT_BYTES_MAX,
    HistoryQuestion,
    SlotFilters,
    SlotQuestion,
    basis_before,
)

SCANNED_MAX: Final = 500
"""Slots that are looked at for one page: with filters a page may be short, and yet have a next."""

_ROW: Final = MEMORY_VERSION.c
# The name is that of any version whose text is there: all of them mean the same slot.
_NAMED: Final = (
    select(_ROW.slot_ref, func.max(_ROW.slot).label("name"))
    .where(
        shown(MEMORY_VERSION),
        _ROW.erased.is_(False),
        _ROW.slot_ref.is_not(None),
        _ROW.slot_ref > bindparam("after", type_=Words),
    )
    .group_by(_ROW.slot_ref)
    .order_by(_ROW.slot_ref)
    .limit(bindparam("most", type_=BIG))
)


class _Place(NamedTuple):
    """Where a page begins: behind a slot, at the bases and by the policy of the first page."""

    after: str
    now: Basis
    before: Basis | None
    policy: str


@dataclass(frozen=True, slots=True)
class Slots:
    """Reads slots; safe to share between threads. `seen` as for `Records`."""

    views: Engine
    log: LogReader
    clock: Clock
    secrets: Keyed
    seen: Callable[[str], int]

    def one(self, context: Context, slot: str, asked: SlotQuestion) -> JsonObject:
        """The answer about a slot; an empty one where nobody who may be seen wrote to it.

        `items` are the records of the first `limit` selected ones.
        """
        checks.not_blank(slot, "slot", SLOT_BYTES_MAX)
        asked.check()
        ref = self.secrets.slot_ref(context.workspace, slot) or NO_SLOT
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            position = seen_position(connection, MEMORIES, context, seen)
            basis = PastBases(self.log, self.clock).choose(context, asked, position)
            refs = [] if ref == NO_SLOT else [ref]
            policy = asked.policy_in(context)
            answers = SlotAnswers.at(connection, basis, policy, refs)
            selected = [seat.memory_id for seat in answers.of(ref).selected]
            return {
                "slot": slot,
                "policy": policy,
                "basis": told(basis),
                "selected": selected,
                "items": answers.records(context, selected[: asked.limit]),
                "conflicts": [conflict_told(one) for one in answers.conflicts(refs).values()],
                "excluded": answers.excluded(refs),
                "position": position,
            }

    def history(self, context: Context, slot: str, asked: HistoryQuestion) -> JsonObject:
        """`{slot, policy, entries, next_after, position}`: what changed the answer, oldest first.

        Of a position the last entry up to it says what is answered there, for every instant; see
        `SlotHistory.after`.
        """
        checks.not_blank(slot, "slot", SLOT_BYTES_MAX)
        policy = asked.policy_in(context)
        ref = self.secrets.slot_ref(context.workspace, slot) or NO_SLOT
        seen = self.seen(context.workspace)
        with reading(self.views) as connection:
            position = seen_position(connection, MEMORIES, context, seen)
            basis = Basis(context.workspace, context.actor, position, 0, context.viewer.session)
            found = SlotHistory(connection, basis, policy, ref).after(asked.after, asked.limit)
        for entry in found.entries:
            entry["appended_at"] = server_time(self.log.appended_at(entry["position"]))
        return {"slot": slot, "policy": policy, **found._asdict(), "position": position}

    def page(self, context: Context, asked: SlotFilters) -> JsonObject:
        """`{items, policy, basis, since, next_cursor, position}`: slots by their reference.

        All pages of a question have its first basis. At most `SCANNED_MAX` slots are looked at.
        """
        asked.check()
        seen = self.seen(context.workspace)
        secret = self.secrets.page_tokens(context.workspace)
        with reading(self.views) as connection:
            position = seen_position(connection, MEMORIES, context, seen)
            place = self._place(context, asked, secret, position)
            most = SCANNED_MAX if asked.narrow else asked.limit
            scan = _Scan(connection, place, most)
            found = scan.within(asked)
            items = scan.items(found[: asked.limit])
        last = found[asked.limit - 1] if len(found) >= asked.limit else scan.last
        cursor = None
        if secret is not None and scan.goes_on(last):
            cursor = write_cursor(secret, _question(asked), _written(place, last))
        return {
            "items": items,
            "policy": place.policy,
            "basis": told(place.now),
            "since": None if place.before is None else told(place.before),
            "next_cursor": cursor,
            "position": position,
        }

    def _place(
        self, context: Context, asked: SlotFilters, secret: bytes | None, position: int
    ) -> _Place:
        bases = PastBases(self.log, self.clock)
        if asked.cursor is None:
            now = bases.choose(context, asked, position)
            before = basis_before(bases, context, asked, position)
            return _Place("", now, before, asked.policy_in(context))

        def again(known: int, as_of_us: int) -> Basis:
            at = min(known, position)
            return Basis(context.workspace, context.actor, at, as_of_us, context.viewer.session)

        said = json.loads(read_cursor(secret, _question(asked), asked.cursor))
        after, first, since, *policy = said
        now, before = again(*first), None if since is None else again(*since)
        # A cursor from before workspaces had a policy of their own names none.
        return _Place(after, now, before, policy[0] if policy else asked.policy or SURFACE_ALL)


class _Scan:
    """The first slots behind a place, and what is said of them at its bases."""

    def __init__(self, connection: Connection, place: _Place, most: int) -> None:
        now = _names(connection, place.now, place.after, most + 1)
        before: Mapping[str, str | None] = {}
        if place.before is not None:
            before = _names(connection, place.before, place.after, most + 1)
        self._names = {ref: now.get(ref) or before.get(ref) for ref in {**now, **before}}
        ahead = sorted(self._names)
        self._refs, self._more = ahead[:most], len(ahead) > most
        self._now = self._answers(connection, place.now, place.policy, now)
        self._before: SlotAnswers | None = None
        if place.before is not None:
            self._before = self._answers(connection, place.before, place.policy, before)

    def _answers(
        self, connection: Connection, basis: Basis, policy: str, names: Mapping[str, str | None]
    ) -> SlotAnswers:
        refs = [ref for ref in self._refs if ref in names]
        return SlotAnswers.at(connection, basis, policy, refs)

    @property
    def last(self) -> str:
        """The last slot that was looked at; empty where there was none."""
        return self._refs[-1] if self._refs else ""

    def goes_on(self, ref: str) -> bool:
        """Whether there are slots behind one that was looked at."""
        return self._more or ref < self.last

    def within(self, asked: SlotFilters) -> list[str]:
        """The slots that were looked at and are within the filters."""
        refs = self._refs
        if self._before is not None:
            refs = [ref for ref in refs if self._now.of(ref).differs(self._before.of(ref))]
        if asked.conflicts:
            disputed = self._now.conflicts(refs)
            refs = [ref for ref in refs if ref in disputed]
        return refs

    def items(self, refs: list[str]) -> list[JsonObject]:
        """What a page says of slots."""
        disputed = self._now.conflicts(refs)
        items: list[JsonObject] = []
        for ref in refs:
            answer: Answer = self._now.of(ref)
            conflict = disputed.get(ref)
            item: JsonObject = {
                "slot": self._names[ref],
                "selected": answer.versions,
                "candidates": list(answer.candidates),
                "conflict": None if conflict is None else conflict_told(conflict),
            }
            if self._before is not None:
                item["before"] = self._before.of(ref).versions
            items.append(item)
        return items


def _names(connection: Connection, basis: Basis, after: str, most: int) -> dict[str, str | None]:
    """Slots behind `after` that a text names at a basis: the name by reference, in its order."""
    binds = {**basis.binds, "after": after, "most": most}
    return {row.slot_ref: row.name for row in connection.execute(_NAMED, binds)}


def _question(asked: SlotFilters) -> Json:
    return ["slots", asked.question()]


def _written(place: _Place, last: str) -> str:
    bases = (
        None if basis is None else [basis.position, basis.as_of_us]
        for basis in (place.now, place.before)
    )
    return canonical([last, *bases, place.policy]).decode()
