"""Exact BM25 over the eligible rows: no other text influences a score (design.md §5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from projections.lexical.analyzer import Term
from projections.lexical.columns import BoolArray
from projections.lexical.parameters import K1, SCORED_BLOCK, B
from projections.lexical.postings import Found

Scores: TypeAlias = NDArray[np.float64]


class SearchStopped(Exception):
    """The search was asked to stop before every eligible match had its score."""


def inverse_document_frequency(documents: int, having: int) -> float:
    """Lucene's idf, which is positive for every term: ln(1 + (N - n + 1/2) / (n + 1/2))."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def bm25(
    terms: Iterable[Term],
    find: Callable[[str], Found | None],
    lengths: NDArray[np.float64],
    mask: BoolArray,
    should_stop: Callable[[], bool],
) -> Scores:
    """The score of each row; 0 where no term matches and where the mask excludes the row.

    N, document frequencies and the mean length are counted over the rows of the mask. Terms are
    added in code-point order, a term that is given twice counts once, with its greater weight;
    so equal documents have equal scores to the bit. Raises SearchStopped soon after
    `should_stop` says so: it is asked before each term and each block of postings.
    """
    scores = np.zeros(len(mask), dtype=np.float64)
    documents = int(np.count_nonzero(mask))
    # Frequencies are multiples of 1/8, so this sum is exact in whatever order numpy makes it.
    total = float(lengths[mask].sum())
    if total == 0:
        return scores
    norms = K1 * (1 - B + B * lengths / (total / documents))
    weights: dict[str, float] = {}
    for term in terms:
        weights[term.text] = max(term.weight, weights.get(term.text, 0.0))
    for text in sorted(weights):
        _go_on(should_stop)
        found = find(text)
        if found is None:
            continue
        eligible = mask[found.rows]
        rows, frequencies = found.rows[eligible], found.frequencies[eligible]
        factor = weights[text] * inverse_document_frequency(documents, len(rows)) * (K1 + 1)
        for start in range(0, len(rows), SCORED_BLOCK):
            _go_on(should_stop)
            block = rows[start : start + SCORED_BLOCK]
            often = frequencies[start : start + SCORED_BLOCK]
            scores[block] += factor * often / (often + norms[block])
    return scores


def best(scores: Scores, limit: int | None) -> NDArray[np.intp]:
    """The rows with a score, in no order: all, or the `limit` best and whatever ties with them."""
    rows: NDArray[np.intp] = np.flatnonzero(scores)
    if limit is None or limit >= len(rows):
        return rows
    found = scores[rows]
    last = np.partition(found, len(found) - limit)[len(found) - limit]
    return np.compress(found >= last, rows)


def _go_on(should_stop: Callable[[], bool]) -> None:
    if should_stop():
        raise SearchStopped
