"""The masks that were asked for last, kept as long as they are what would come out again.

Most questions of a workspace are about now, and between two of them hardly anything changes: the
instant has moved on, but over no bound of any version, and a few versions were added or closed.
Over a million versions a mask takes longer than the scores of a question, so what is kept is
corrected where rows have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from projections.lexical.columns import ALL, BoolArray, Rows

Bounds: TypeAlias = Sequence[NDArray[np.int64]]
"""Of each row the instants over which it comes into a mask, or falls out of it."""

_EARLIEST: Final = int(np.iinfo(np.int64).min)
_LATEST: Final = int(np.iinfo(np.int64).max)
_KEPT_MAX: Final = 4
"""A byte for each row is kept of each."""
_CHANGES_MAX: Final = 4096
"""Rows that may have changed since a mask was made; with more of them it is made anew."""


class _Kept(NamedTuple):
    """A mask, and the instants for which it is that: from `since` on, before `until`."""

    since: int
    until: int
    mask: BoolArray
    changes: int
    """How many changes there had been when it was made."""


class KeptMasks:
    """Keeps the masks of a few keys. Not thread-safe: its owner holds a lock."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}
        self._asked: dict[Hashable, None] = {}
        self._changed: list[int] = []

    def changed(self, row: int) -> None:
        """The row was added, or may be in other masks than before."""
        if len(self._changed) == _CHANGES_MAX:
            self.forget()
        self._changed.append(row)

    def forget(self) -> None:
        """Keep nothing that was asked for so far."""
        self._kept.clear()
        self._changed.clear()
        self._asked.clear()

    def of(
        self,
        key: Hashable,
        as_of_us: int,
        made: Callable[[Rows | slice], BoolArray],
        bounds: Bounds,
    ) -> BoolArray:
        """The mask of a key at an instant; not to be changed.

        `made` says of some rows which are in the mask.
        """
        kept = self._kept.pop(key, None)
        if kept is None or not kept.since <= as_of_us < kept.until:
            return self._anew(key, as_of_us, made(ALL), bounds)
        if kept.changes < len(self._changed):
            kept = self._corrected(kept, as_of_us, made, bounds)
        self._keep(key, kept)
        return kept.mask

    def _anew(self, key: Hashable, as_of_us: int, mask: BoolArray, bounds: Bounds) -> BoolArray:
        """It is kept once it is asked for twice: to look through the bounds takes as long."""
        if key in self._asked:
            self._keep(key, _Kept(*_around(as_of_us, bounds), mask, len(self._changed)))
        self._asked[key] = None
        _shorten(self._asked)
        return mask

    def _corrected(
        self,
        kept: _Kept,
        as_of_us: int,
        made: Callable[[Rows | slice], BoolArray],
        bounds: Bounds,
    ) -> _Kept:
        """The kept mask with what has changed since; the bounds of before still hold others."""
        rows = np.unique(np.array(self._changed[kept.changes :], dtype=np.int64))
        mask = np.zeros(len(bounds[0]), dtype=np.bool_)
        mask[: len(kept.mask)] = kept.mask
        mask[rows] = made(rows)
        since, until = _around(as_of_us, [values[rows] for values in bounds])
        return _Kept(
            max(since, kept.since), min(until, kept.until), mask, changes=len(self._changed)
        )

    def _keep(self, key: Hashable, kept: _Kept) -> None:
        kept.mask.flags.writeable = False
        self._kept[key] = kept
        _shorten(self._kept)


def _shorten(keys: dict[Hashable, Any]) -> None:
    """Drop the one that was put in first where there are too many."""
    if len(keys) > _KEPT_MAX:
        del keys[next(iter(keys))]


def _around(as_of_us: int, bounds: Bounds) -> tuple[int, int]:
    """The last bound that was passed at an instant, and the first one that was not."""
    since, until = _EARLIEST, _LATEST
    for values in bounds:
        passed = values <= as_of_us
        since = max(since, int(np.where(passed, values, _EARLIEST).max(initial=_EARLIEST)))
        until = min(until, int(np.where(passed, _LATEST, values).min(initial=_LATEST)))
    return since, until
