"""What the terms of a question count in rows."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import BoolArray
from projections.lexical.context import NOBODY, Rows

Scores: TypeAlias = NDArray[np.float64]
_DENSE: Final = 16
"""Looking up one row costs about as much as putting so many in their places."""


class Counted(NamedTuple):
    """What a term counts in each eligible row that has it; rows ascend."""

    rows: Rows
    scores: Scores


class Chosen:
    """Some rows, ascending, and what one term after the other counts in them."""

    def __init__(self, chosen: BoolArray) -> None:
        self.rows = np.flatnonzero(chosen)
        self._aside = len(self.rows) + 1
        self._places = np.full(len(chosen), self._aside, dtype=np.int64)
        self._places[self.rows] = np.arange(len(self.rows))
        self._counts = np.zeros(len(self.rows) + 2, dtype=np.float64)

    def places(self, rows: Rows) -> Rows:
        """Where each of some of the rows stands here; NOBODY stands behind the last one."""
        return np.where(rows == NOBODY, len(self.rows), self._places[rows])

    def counts(self, counted: Counted) -> Scores:
        """By place what a term counts, 0 for NOBODY; good until the next call."""
        if len(counted.rows) > _DENSE * len(self.rows):
            at = np.minimum(np.searchsorted(counted.rows, self.rows), len(counted.rows) - 1)
            has = counted.rows[at] == self.rows
            self._counts[:-2] = np.where(has, counted.scores[at], 0.0)
        else:
            # All others share one place, which nobody looks at.
            self._counts[:-1] = 0.0
            self._counts[self._places[counted.rows]] = counted.scores
        return self._counts
