"""What stands around a memory in its session: the memories written just before and after it.

A turn of a talk often leaves out the word that the turn before it was about, so a memory that
matches a question may take such a word from its neighbours (design.md §5; `scoring` says how).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import BoolArray
from projections.lexical.parameters import NEIGHBOURS

Rows: TypeAlias = NDArray[np.int64]

NOBODY: Final = -1
"""In the place of a neighbour where the session has no further memory on that side."""

_ONE_BY_ONE: Final = 8
"""Rows are put in one by one while those that are there already are this many times as many."""


class SessionOrder:
    """The rows of an index session by session, each session in the order of the log.

    Which rows are neighbours follows from sessions and log positions alone, never from how the
    rows are numbered. Not thread-safe.
    """

    def __init__(self) -> None:
        self._rows: Rows = np.zeros(0, dtype=np.int64)
        self._sessions: Rows = np.zeros(0, dtype=np.int64)
        self._positions: Rows = np.zeros(0, dtype=np.int64)
        self._place_of: Rows = np.zeros(0, dtype=np.int64)

    def follow(self, sessions: NDArray[np.integer[Any]], positions: Rows) -> None:
        """Take in the rows that two growing columns have gained since.

        `sessions` has a number for each session; what becomes of it in a row that was taken in is
        not looked at. `positions` are those of the events that made the versions.
        """
        known, rows = len(self._rows), len(sessions)
        if rows == known:
            return
        if known < _ONE_BY_ONE * (rows - known):
            self._rows = np.lexsort((positions, sessions))
            self._sessions = sessions[self._rows].astype(np.int64)
            self._positions = positions[self._rows]
        else:
            self._insert(known, sessions[known:].astype(np.int64), positions[known:])
        self._place_of = np.empty(rows, dtype=np.int64)
        self._place_of[self._rows] = np.arange(rows)

    def _insert(self, first: int, sessions: Rows, positions: Rows) -> None:
        order = np.lexsort((positions, sessions))
        places = [self._place(int(sessions[row]), int(positions[row])) for row in order]
        self._rows = np.insert(self._rows, places, order + first)
        self._sessions = np.insert(self._sessions, places, sessions[order])
        self._positions = np.insert(self._positions, places, positions[order])

    def _place(self, session: int, position: int) -> int:
        start, end = np.searchsorted(self._sessions, [session, session + 1])
        return int(start + np.searchsorted(self._positions[start:end], position, side="right"))

    def earliest(self, rows: Rows, count: int) -> Rows:
        """Of some rows those whose versions were written first, in no order."""
        if count >= len(rows):
            return rows
        positions = self._positions[self._place_of[rows]]
        return rows[np.argpartition(positions, count)[:count]]

    def neighbours(self, rows: Rows, mask: BoolArray) -> Rows:
        """Of each row of the mask its neighbours in the mask, one column for each `NEIGHBOURS`."""
        eligible = np.flatnonzero(mask[self._rows])
        at = np.searchsorted(eligible, self._place_of[rows])
        found = np.full((len(rows), len(NEIGHBOURS)), NOBODY, dtype=np.int64)
        for column, neighbour in enumerate(NEIGHBOURS):
            other = at + neighbour.distance
            inside = (other >= 0) & (other < len(eligible))
            place = eligible[np.where(inside, other, at)]
            inside &= self._sessions[place] == self._sessions[eligible[at]]
            found[inside, column] = self._rows[place[inside]]
        return found
