"""The mask that was asked for last, kept as long as it is what would come out again.

Most questions of a workspace are about now, and between two of them hardly anything changes: the
instant has moved on, but over no bound of any version. Over a million versions a mask takes longer
than the scores of a question.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import BoolArray

_EARLIEST: Final = int(np.iinfo(np.int64).min)
_LATEST: Final = int(np.iinfo(np.int64).max)


class _Kept(NamedTuple):
    """A mask, and the instants for which it is that: from `since` on, before `until`."""

    key: Hashable
    since: int
    until: int
    mask: BoolArray


class KeptMask:
    """Keeps one mask. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._kept: _Kept | None = None
        self._asked: Hashable = None

    def of(self, key: Hashable, as_of_us: int) -> BoolArray | None:
        """The mask of a key at an instant, if it is kept; it cannot be written to."""
        kept = self._kept
        if kept is None or kept.key != key or not kept.since <= as_of_us < kept.until:
            return None
        return kept.mask

    def offer(
        self, key: Hashable, as_of_us: int, mask: BoolArray, bounds: Iterable[NDArray[np.int64]]
    ) -> None:
        """Keep a mask that was made of bounds, once it is asked for twice: to look through the
        bounds takes as long as to make it.
        """
        if self._asked != key:
            self._asked, self._kept = key, None
            return
        since, until = _EARLIEST, _LATEST
        for values in bounds:
            passed = values <= as_of_us
            since = max(since, int(np.max(values, initial=_EARLIEST, where=passed)))
            until = min(until, int(np.min(values, initial=_LATEST, where=~passed)))
        mask.flags.writeable = False
        self._kept = _Kept(key, since, until, mask)
