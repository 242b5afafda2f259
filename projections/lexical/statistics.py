"""What BM25 needs to know of all rows of a mask: how many there are, and how long."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from projections.lexical.columns import BoolArray
from projections.lexical.counting import Scores
from projections.lexical.parameters import K1, B


class Statistics(NamedTuple):
    """`documents` is N; `norms` is k1 (1 - b + b × length / mean length) of each row."""

    documents: int
    norms: Scores

    @classmethod
    def of(cls, mask: BoolArray, lengths: Scores) -> Statistics:
        """The statistics of the rows of a mask, and of no other row."""
        documents = int(np.count_nonzero(mask))
        # Frequencies are multiples of 1/8, so this sum is exact in whatever order numpy makes it.
        total = float(np.einsum("i,i->", lengths, mask))
        norms = B * lengths
        norms /= total / documents if total else 1.0
        norms += 1 - B
        norms *= K1
        return cls(documents, norms)


class KeptStatistics:
    """Those of the last mask that cannot change any more. Not thread-safe."""

    def __init__(self) -> None:
        self._mask: BoolArray | None = None
        self._known: Statistics | None = None

    def of(self, mask: BoolArray, lengths: Scores) -> Statistics:
        """The statistics of a mask; `lengths` are those of rows that are there with their mask."""
        if self._known is not None and mask is self._mask:
            return self._known
        found = Statistics.of(mask, lengths)
        if not mask.flags.writeable:
            self._mask, self._known = mask, found
        return found
