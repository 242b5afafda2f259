"""What stands around a memory in its session: the memories written just before and after it.

A turn of a talk often leaves out the word that the turn before it was about, so a memory that
matches a question may take such a word from its neighbours (design.md §5; `scoring` says how).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import BoolArray
from projections.lexical.parameters import NEIGHBOURS

Rows: TypeAlias = NDArray[np.int64]
Sessions: TypeAlias = NDArray[np.integer[Any]]

NOBODY: Final = -1
"""In the place of a neighbour where the session has no further memory on that side."""

_LATE_MAX: Final = 4096
"""Rows that are ordered by themselves; with more of them all rows are ordered anew."""


class _Order(NamedTuple):
    """Rows from `first` on, session by session, each session in the order of the log."""

    first: int
    rows: Rows
    sessions: Sessions
    place_of: Rows
    """Of a row, counted from `first`, its index in `rows` and `sessions`."""

    @classmethod
    def of(cls, sessions: Sessions, positions: Rows, first: int = 0) -> _Order:
        """The order of the rows from `first` on; the two columns are those of all rows."""
        order = np.lexsort((positions[first:], sessions[first:]))
        place_of = np.empty(len(order), dtype=np.int64)
        place_of[order] = np.arange(len(order))
        rows = order + first
        return cls(first, rows, sessions[rows], place_of)


class SessionOrder:
    """The rows of an index session by session, each session in the order of the log.

    Which rows are neighbours follows from sessions and log positions alone, never from how the
    rows are numbered. Most rows were ordered once. The late ones, whose positions come after all
    of those, have an order of their own: in their sessions they stand behind, so that a row more
    costs nothing that grows with the rows that there are. Not thread-safe.
    """

    def __init__(self) -> None:
        nothing: Rows = np.zeros(0, dtype=np.int64)
        self._positions = nothing
        self._early = self._late = _Order.of(nothing, nothing)
        self._last = -1

    def follow(self, sessions: Sessions, positions: Rows) -> None:
        """Take in the rows that two growing columns have gained since.

        `sessions` has a number for each session; what becomes of it in a row that was taken in is
        not looked at. `positions` are those of the events that made the versions.
        """
        if len(positions) == len(self._positions):
            return
        self._positions = positions
        first = len(self._early.rows)
        late = positions[first:]
        if len(late) > _LATE_MAX or int(late.min()) < self._last:
            self._early, first = _Order.of(sessions, positions), len(positions)
            self._last = int(positions.max())
        self._late = _Order.of(sessions, positions, first)

    def earliest(self, rows: Rows, count: int) -> Rows:
        """Of some rows those whose versions were written first, in no order."""
        if count >= len(rows):
            return rows
        return rows[np.argpartition(self._positions[rows], count)[:count]]

    def neighbours(self, rows: Rows, mask: BoolArray) -> Rows:
        """Of each row of the mask its neighbours in the mask, one column for each `NEIGHBOURS`."""
        merged = _Merged(self._early, self._late, mask)
        at, sessions = merged.places(rows)
        found = np.full((len(rows), len(NEIGHBOURS)), NOBODY, dtype=np.int64)
        for column, neighbour in enumerate(NEIGHBOURS):
            other = at + neighbour.distance
            inside = (other >= 0) & (other < merged.count)
            there, session = merged.rows(np.where(inside, other, at))
            inside &= session == sessions
            found[inside, column] = there[inside]
        return found


class _Merged:
    """The rows of a mask in one order: of each session the early ones, then the late ones."""

    def __init__(self, early: _Order, late: _Order, mask: BoolArray) -> None:
        self._early, self._late = early, late
        self._early_at = np.flatnonzero(mask[early.rows])
        self._late_at = np.flatnonzero(mask[late.rows])
        self._late_sessions = late.sessions[self._late_at]
        before = np.searchsorted(early.sessions, self._late_sessions, side="right")
        self._late_places = np.searchsorted(self._early_at, before) + np.arange(len(self._late_at))
        self.count = len(self._early_at) + len(self._late_at)

    def places(self, rows: Rows) -> tuple[Rows, Sessions]:
        """Where some rows of the mask stand, and in which session each is."""
        places = np.empty(len(rows), dtype=np.int64)
        sessions = np.empty(len(rows), dtype=self._early.sessions.dtype)
        is_late = rows >= self._late.first
        at = self._late.place_of[rows[is_late] - self._late.first]
        sessions[is_late] = self._late.sessions[at]
        places[is_late] = self._late_places[np.searchsorted(self._late_at, at)]
        at = self._early.place_of[rows[~is_late]]
        sessions[~is_late] = session = self._early.sessions[at]
        passed = np.searchsorted(self._late_sessions, session)
        places[~is_late] = np.searchsorted(self._early_at, at) + passed
        return places, sessions

    def rows(self, places: Rows) -> tuple[Rows, Sessions]:
        """Which rows stand at some places, and in which session each is."""
        passed = np.searchsorted(self._late_places, places)
        is_late = np.isin(places, self._late_places)
        rows = np.empty(len(places), dtype=np.int64)
        sessions = np.empty(len(places), dtype=self._early.sessions.dtype)
        at = self._late_at[passed[is_late]]
        rows[is_late], sessions[is_late] = self._late.rows[at], self._late.sessions[at]
        at = self._early_at[places[~is_late] - passed[~is_late]]
        rows[~is_late], sessions[~is_late] = self._early.rows[at], self._early.sessions[at]
        return rows, sessions
