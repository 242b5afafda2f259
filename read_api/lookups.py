"""What is asked of a full-text index, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from projections.lexical.analyzer import Term
from projections.lexical.columns import BoolArray
from projections.lexical.eligibility import Filters
from projections.lexical.memtable import Hit, TermPart
from read_api.deadlines import Deadline

Explain: TypeAlias = Callable[[Sequence[Hit], Deadline], "list[list[TermPart]] | None"]
"""What the scores of some matches of a look are made of; None where that cannot be said in time."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked up: terms, how many matches are wanted at most (None for all), and filters.

    `without` are memories that are not eligible, whatever they hold: the policy chose others.
    `prefer_repo` names the repo whose memories are told apart; None where none is preferred.
    """

    terms: Sequence[Term]
    limit: int | None
    filters: Filters
    prefer_repo: str | None = None
    without: Collection[str] = frozenset()


class Look:
    """One look at the index: the matches, best first, and which memories are eligible.

    `stopped` says that time was up before all matches had their score; there are none then.
    """

    def __init__(
        self,
        row_at: Callable[[str], int | None],
        eligible: BoolArray,
        preferred: BoolArray,
        hits: list[Hit],
        *,
        explain: Explain,
        stopped: bool,
    ) -> None:
        self._row_at = row_at
        self._eligible = eligible
        self._preferred = preferred
        self.hits = hits
        self.explain = explain
        self.stopped = stopped

    @classmethod
    def out_of_time(cls) -> Look:
        """A look that has seen nothing."""
        nothing = np.zeros(0, dtype=np.bool_)
        return cls(
            lambda _: None, nothing, nothing, [], explain=lambda _hits, _until: None, stopped=True
        )

    def eligible(self, memory_id: str) -> bool:
        """Whether a memory is recallable at the basis and within the filters."""
        return self._in(self._eligible, memory_id)

    def preferred(self, memory_id: str) -> bool:
        """Whether an eligible memory is of the preferred repo."""
        return self._in(self._preferred, memory_id)

    def _in(self, mask: BoolArray, memory_id: str) -> bool:
        if not len(mask):
            return False
        row = self._row_at(memory_id)
        return row is not None and row < len(mask) and bool(mask[row])
