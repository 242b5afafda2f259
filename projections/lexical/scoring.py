"""Exact BM25 over the eligible rows: no other text influences a score (design.md §5).

A row's own score is the sum of what each term of the question counts in it. The best rows then
take, for each term that they lack, the best of what it counts in their neighbours (`context`),
weighted. Only rows with a term of their own take anything, and nothing is added to what they have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from projections.lexical.analyzer import Term
from projections.lexical.columns import BoolArray
from projections.lexical.context import NOBODY, Rows, SessionOrder
from projections.lexical.counting import Chosen, Counted, Scores
from projections.lexical.parameters import (
    FILLED_MAX,
    K1,
    KEPT_POSTINGS,
    NEIGHBOURS,
    SCORED_BLOCK,
)
from projections.lexical.postings import Found
from projections.lexical.statistics import Statistics

_SHARES: Final = np.array([neighbour.share for neighbour in NEIGHBOURS])


class SearchStopped(Exception):
    """The search was asked to stop before every eligible match had its score."""


class Text(NamedTuple):
    """What is searched: postings by term, how long rows are, and which rows stand together.

    `find` gives rows in ascending order, ineligible ones too; `statistics` are those of a mask.
    `sessions` has taken in all rows.
    """

    find: Callable[[str], Found | None]
    statistics: Callable[[BoolArray], Statistics]
    sessions: SessionOrder


class Part(NamedTuple):
    """What a term counts in the score of a row; `source` is the row in whose text it stands."""

    term: str
    score: float
    source: int


def inverse_document_frequency(documents: int, having: int) -> float:
    """Lucene's idf, which is positive for every term: ln(1 + (N - n + 1/2) / (n + 1/2))."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def bm25(
    terms: Iterable[Term], text: Text, mask: BoolArray, should_stop: Callable[[], bool]
) -> Scores:
    """The score of each row; 0 where no term matches and where the mask excludes the row.

    N, document frequencies, the mean length and neighbours are those of the rows of the mask.
    Terms are added in code-point order, a term that is given twice counts once, with its greater
    weight; so equal documents have equal scores to the bit. Raises SearchStopped soon after
    `should_stop` says so: it is asked before each term and each block of postings.
    """
    search = _Search(terms, text, mask, should_stop)
    scores = search.own_scores()
    filled = search.filled(scores)
    if len(filled):
        totals = np.zeros(len(filled), dtype=np.float64)
        for taken in search.taken(filled):
            totals += taken.scores
        scores[filled] = totals
    return scores


def parts(
    rows: Sequence[int],
    terms: Iterable[Term],
    text: Text,
    mask: BoolArray,
    should_stop: Callable[[], bool],
) -> list[list[Part]]:
    """What the score of each of some rows is made of, in the order in which `bm25` adds it up.

    Raises SearchStopped as `bm25` does.
    """
    search = _Search(terms, text, mask, should_stop)
    scores = search.own_scores()
    filled = search.filled(scores)
    asked = np.array(rows, dtype=np.int64)
    asked = asked[scores[asked] > 0]
    made: dict[int, list[Part]] = {int(row): [] for row in asked}
    takes = np.isin(asked, filled)
    for taken in search.taken(asked):
        counts = (taken.scores > 0) & (takes | (taken.sources == asked))
        for at in np.flatnonzero(counts):
            part = Part(taken.term, float(taken.scores[at]), int(taken.sources[at]))
            made[int(asked[at])].append(part)
    return [made.get(row, []) for row in rows]


def best(scores: Scores, limit: int | None) -> Rows:
    """The rows with a score, in no order: all, or the `limit` best and whatever ties with them."""
    rows: Rows = np.flatnonzero(scores > 0)
    if limit is None or limit >= len(rows):
        return rows
    found = scores[rows]
    last = np.partition(found, len(found) - limit)[len(found) - limit]
    return np.compress(found >= last, rows)


class _Taken(NamedTuple):
    """What a term counts for some rows, in their own text or in that of `sources`; 0 for none."""

    term: str
    scores: Scores
    sources: Rows


class _Search:
    """One question over the rows of one mask."""

    def __init__(
        self, terms: Iterable[Term], text: Text, mask: BoolArray, should_stop: Callable[[], bool]
    ) -> None:
        self._text = text
        self._mask = mask
        self._should_stop = should_stop
        self._weights: dict[str, float] = {}
        for term in terms:
            self._weights[term.text] = max(term.weight, self._weights.get(term.text, 0.0))
        self._matching: list[str] = []
        self._kept: dict[str, Counted] = {}
        self._statistics = text.statistics(mask)

    def own_scores(self) -> Scores:
        """What the words of each row count."""
        scores = np.zeros(len(self._mask), dtype=np.float64)
        left = KEPT_POSTINGS
        for term in sorted(self._weights):
            counted = self._count(term)
            if counted is None:
                continue
            scores[counted.rows] += counted.scores
            self._matching.append(term)
            left -= len(counted.rows)
            if left >= 0:
                self._kept[term] = counted
        return scores

    def filled(self, scores: Scores) -> Rows:
        """The rows that take terms from their neighbours: the best ones, the earlier of equals."""
        if len(self._matching) < 2:
            return np.zeros(0, dtype=np.int64)
        rows = best(scores, FILLED_MAX)
        if len(rows) <= FILLED_MAX:
            return rows
        last = scores[rows].min()
        better, equal = rows[scores[rows] > last], rows[scores[rows] == last]
        earliest = self._text.sessions.earliest(equal, FILLED_MAX - len(better))
        return np.concatenate([better, earliest])

    def taken(self, rows: Rows) -> Iterator[_Taken]:
        """What each term counts for some rows, terms in code-point order."""
        self._go_on()
        near = self._text.sessions.neighbours(rows, self._mask)
        wanted = np.zeros(len(self._mask), dtype=np.bool_)
        wanted[rows] = True
        wanted[near[near != NOBODY]] = True
        together = Chosen(wanted)
        here, there = together.places(rows), together.places(near)
        every = np.arange(len(rows))
        for term in self._matching:
            counted = self._kept.get(term) or self._count(term)
            if counted is None:
                continue
            counts = together.counts(counted)
            own, lent = counts[here], counts[there] * _SHARES
            nearest = lent.argmax(axis=1)
            has = own > 0
            yield _Taken(
                term,
                np.where(has, own, lent[every, nearest]),
                np.where(has, rows, near[every, nearest]),
            )

    def _count(self, term: str) -> Counted | None:
        """What a term counts; None where no eligible row has it."""
        self._go_on()
        found = self._text.find(term)
        if found is None:
            return None
        rows, frequencies = found
        eligible = self._mask[rows]
        if not eligible.all():
            rows, frequencies = rows[eligible], frequencies[eligible]
        if not len(rows):
            return None
        idf = inverse_document_frequency(self._statistics.documents, len(rows))
        factor = self._weights[term] * idf * (K1 + 1)
        norms = self._statistics.norms
        scores = np.empty(len(rows), dtype=np.float64)
        for start in range(0, len(rows), SCORED_BLOCK):
            self._go_on()
            block = slice(start, start + SCORED_BLOCK)
            often = frequencies[block]
            scores[block] = factor * often / (often + norms[rows[block]])
        return Counted(rows, scores)

    def _go_on(self) -> None:
        if self._should_stop():
            raise SearchStopped
