"""Which rows have a term, and how often."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """The postings of one term: rows in ascending order, and a weighted frequency for each."""

    rows: NDArray[np.int64]
    frequencies: NDArray[np.float64]

    def moved_by(self, offset: int) -> Found:
        """The same, the rows counted from an earlier one."""
        return Found(self.rows + offset, self.frequencies) if offset else self


class Word(NamedTuple):
    """A term with its postings."""

    term: str
    found: Found


class PostingList:
    """The rows of one term. Arrays of the standard library: numpy has no quick append."""

    __slots__ = ("frequencies", "rows", "term")

    def __init__(self, term: str) -> None:
        self.term = term
        self.rows = array("i")
        self.frequencies = array("f")


class Postings:
    """An inverted index; rows are added in ascending order, and begin anywhere."""

    def __init__(self) -> None:
        self._lists: dict[str, PostingList] = {}
        self.size = 0

    def __len__(self) -> int:
        """How many terms there are."""
        return len(self._lists)

    def __iter__(self) -> Iterator[str]:
        """The terms in code-point order."""
        return iter(sorted(self._lists))

    def add(self, row: int, terms: Mapping[str, float]) -> tuple[PostingList, ...]:
        """Add a row; returns the lists that now have it, which `remove` wants back."""
        touched = []
        for term, frequency in terms.items():
            found = self._lists.get(term)
            if found is None:
                found = self._lists[term] = PostingList(term)
            found.rows.append(row)
            found.frequencies.append(frequency)
            touched.append(found)
        self.size += len(touched)
        return tuple(touched)

    def remove(self, row: int, touched: tuple[PostingList, ...]) -> None:
        """Take a row out; terms that only it had are gone, the strings included."""
        for found in touched:
            at = bisect_left(found.rows, row)
            del found.rows[at]
            del found.frequencies[at]
            if not found.rows:
                del self._lists[found.term]
        self.size -= len(touched)

    def frequency(self, row: int, found: PostingList) -> float:
        """How often a row has a term that it has."""
        return found.frequencies[bisect_left(found.rows, row)]

    def find(self, term: str) -> Found | None:
        """A copy of the postings of a term, or None; later changes do not touch it."""
        found = self._lists.get(term)
        if found is None:
            return None
        return Found(
            np.array(found.rows, dtype=np.int64), np.array(found.frequencies, dtype=np.float64)
        )

    def words(self) -> Iterator[Word]:
        """The terms in code-point order, with what `find` says of each."""
        return (Word(term, found) for term in self if (found := self.find(term)))

    def rows(self, term: str) -> NDArray[np.int64]:
        """The rows that have a term."""
        found = self._lists.get(term)
        return np.array(found.rows if found else (), dtype=np.int64)


def all_of(parts: Sequence[Found]) -> Found:
    """The postings of a term in parts of an index, the rows of each behind those of the last."""
    if len(parts) == 1:
        return parts[0]
    return Found(
        np.concatenate([one.rows for one in parts]),
        np.concatenate([one.frequencies for one in parts]),
    )
