"""The full-text index of one workspace in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from projections.lexical.analyzer import Term
from projections.lexical.columns import BoolArray, Column
from projections.lexical.context import SessionOrder
from projections.lexical.documents import Document
from projections.lexical.eligibility import Basis, Eligibility, Filters
from projections.lexical.forms import forget_cached_words
from projections.lexical.postings import PostingList, Postings
from projections.lexical.scoring import Text, best, bm25, parts


class Hit(NamedTuple):
    """A version that matches, with its score."""

    memory_id: str
    version: int
    score: float


class TermPart(NamedTuple):
    """What a term counts in the score of a hit.

    It stands in the text of the version itself, or of a neighbour that lent it.
    """

    term: str
    score: float
    memory_id: str
    version: int


class Counts(NamedTuple):
    """How much an index holds; a purged document is a place without words."""

    memories: int
    documents: int
    purged: int
    terms: int
    postings: int


class _Place(NamedTuple):
    """Where a version of a memory stands, and since when it is the known one."""

    version: int
    from_position: int
    row: int


class Memtable:
    """Every version of the memories of ONE workspace, found by exact BM25 (design.md §5).

    A mask has one place for each document, in the order in which `add` took them.

    Not thread-safe: the owner holds a lock over each call, and one lock over `eligible` and the
    `search` or `ids` that takes its mask, since a mask is good for the rows of its moment only.
    """

    def __init__(self) -> None:
        self._places: dict[str, list[_Place]] = {}
        self._memory_of: list[tuple[str, int]] = []
        self._eligibility = Eligibility()
        self._postings = Postings()
        self._sessions = SessionOrder()
        self._terms_of: list[tuple[PostingList, ...]] = []
        self._lengths = Column(np.float64)
        self._dead: set[str | tuple[str, int]] = set()
        self._purged: set[int] = set()

    def add(self, document: Document) -> None:
        """Add a version; it closes the one before it at its own position.

        Versions of a memory come in their order; a version that is known already changes nothing.
        ValueError for one that would come before the newest. A version of a buried memory is
        known, and never eligible.
        """
        places = self._places.setdefault(document.memory_id, [])
        if places:
            newest = places[-1]
            if document.version <= newest.version and self._knows(document):
                return
            if newest.version >= document.version or newest.from_position >= document.from_position:
                raise ValueError("versions of a memory are added in the order of the log")
            self._eligibility.close(newest.row, document.from_position)
        row = len(self._memory_of)
        places.append(_Place(document.version, document.from_position, row))
        self._memory_of.append((document.memory_id, document.version))
        self._eligibility.append(document)
        self._terms_of.append(self._postings.add(row, document.terms))
        self._lengths.append(sum(document.terms.values()))
        if self._dead & {document.memory_id, (document.memory_id, document.version)}:
            self._purge(row)
            forget_cached_words()

    def bury(self, memory_id: str, version: int | None = None) -> None:
        """A forgotten memory, or one version of it: eligible at no basis any more, nor later."""
        self._dead.add(memory_id if version is None else (memory_id, version))
        for row in self._rows(memory_id, version):
            self._eligibility.bury(row)

    def purge(self, memory_id: str, version: int | None = None) -> None:
        """Bury, and take the words out: no string stays that only this memory, or version, had.

        Ids, versions and positions stay, so that what is added later is buried too. The words
        that the analyzer keeps for speed are dropped, for all workspaces.
        """
        self.bury(memory_id, version)
        for row in self._rows(memory_id, version):
            self._purge(row)
        forget_cached_words()

    def eligible(self, basis: Basis, filters: Filters) -> BoolArray:
        """The documents that are recallable at the basis and within the filters."""
        return self._eligibility.mask(basis, filters)

    def search(
        self,
        terms: Iterable[Term],
        mask: BoolArray,
        limit: int | None,
        should_stop: Callable[[], bool],
    ) -> list[Hit]:
        """The documents of the mask that have a term, best first, ties by memory id.

        Every one of them is scored, and counted in nobody's statistics but the mask's own; `limit`
        (at least 1, None for all) only cuts the list. Raises SearchStopped soon after
        `should_stop` says so, ValueError for a mask of another moment.
        """
        if len(mask) != len(self._memory_of) or (limit is not None and limit < 1):
            raise ValueError("a search takes a mask of this moment and a limit of at least 1")
        scores = bm25(terms, self._text(), mask, should_stop)
        hits = [self._hit(row, float(scores[row])) for row in best(scores, limit)]
        hits.sort(key=lambda hit: (-hit.score, hit.memory_id, hit.version))
        return hits[:limit]

    def explain(
        self,
        hits: Sequence[Hit],
        terms: Iterable[Term],
        mask: BoolArray,
        should_stop: Callable[[], bool],
    ) -> list[list[TermPart]]:
        """What the score of each of some hits of a search is made of; it is the sum in this order.

        `terms` and `mask` are those of the search. Raises what `search` raises, and KeyError for
        a version that is not here.
        """
        if len(mask) != len(self._memory_of):
            raise ValueError("an explanation takes a mask of this moment")
        rows = [self._row(hit.memory_id, hit.version) for hit in hits]
        made = parts(rows, terms, self._text(), mask, should_stop)
        return [
            [TermPart(one.term, one.score, *self._memory_of[one.source]) for one in of_hit]
            for of_hit in made
        ]

    def ids(self, mask: BoolArray) -> list[str]:
        """The memories with a document in the mask, in the order of their ids."""
        return sorted({self._memory_of[row][0] for row in np.flatnonzero(mask)})

    def version_at(self, memory_id: str, position: int) -> int | None:
        """The version known at a log position, eligible or not; None before the first."""
        places = self._places.get(memory_id, [])
        known = bisect_right(places, position, key=lambda place: place.from_position)
        return places[known - 1].version if known else None

    def counts(self) -> Counts:
        """How much this index holds."""
        return Counts(
            memories=len(self._places),
            documents=len(self._memory_of),
            purged=len(self._purged),
            terms=len(self._postings),
            postings=self._postings.size,
        )

    def _text(self) -> Text:
        self._sessions.follow(*self._eligibility.sessions())
        return Text(self._postings.find, self._lengths.values, self._sessions)

    def _row(self, memory_id: str, version: int) -> int:
        rows = self._rows(memory_id, version)
        if not rows:
            raise KeyError(memory_id, version)
        return rows[0]

    def _knows(self, document: Document) -> bool:
        return any(p.version == document.version for p in self._places[document.memory_id])

    def _hit(self, row: int, score: float) -> Hit:
        memory_id, version = self._memory_of[row]
        return Hit(memory_id, version, score)

    def _rows(self, memory_id: str, version: int | None) -> list[int]:
        places = self._places.get(memory_id, [])
        return [place.row for place in places if version in {None, place.version}]

    def _purge(self, row: int) -> None:
        self._eligibility.clear(row)
        self._postings.remove(row, self._terms_of[row])
        self._terms_of[row] = ()
        self._lengths.values[row] = 0
        self._purged.add(row)
