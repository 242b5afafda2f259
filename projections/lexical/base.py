"""The segments that an index begins with, as one row space: one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from projections.lexical.frozen import Frozen, FrozenColumns
from projections.lexical.parameters import CACHED_POSTINGS, JOINED_POSTINGS
from projections.lexical.places import FrozenPlaces
from projections.lexical.posting_cache import PostingCache
from projections.lexical.postings import Found, Word, all_of
from projections.lexical.segment import Segment

_TERM: Final = attrgetter("term")


class Base:
    """Segments in the order of the log. Nothing of them changes here."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        self.segments = tuple(segments)
        self.rows = sum(len(one.frozen) for one in segments)
        self._cache = PostingCache(CACHED_POSTINGS + JOINED_POSTINGS * self.rows)

    @property
    def frozen(self) -> list[Frozen]:
        """The rows of each segment."""
        return [one.frozen for one in self.segments]

    @property
    def columns(self) -> list[FrozenColumns]:
        """What decides whether a row may be an answer."""
        return [one.frozen.columns for one in self.segments]

    @property
    def lengths(self) -> list[NDArray[np.float64]]:
        """The exact length of each row."""
        return [one.frozen.lengths for one in self.segments]

    @property
    def places(self) -> list[FrozenPlaces]:
        """Where the versions of memories stand."""
        return [one.places for one in self.segments]

    @property
    def postings(self) -> int:
        """How many postings there are."""
        return sum(one.postings for one in self.segments)

    def find(self, term: str) -> Found | None:
        """The postings of a term in all segments, or None. Raises SegmentError."""
        if len(self.segments) == 1:
            return self.segments[0].find(term)
        known = self._cache.get(term)
        if known is not None:
            return known
        found = self._joined(term)
        if found is not None:
            self._cache.keep(term, found)
        return found

    def _joined(self, term: str) -> Found | None:
        offset, parts = 0, list[Found]()
        for segment in self.segments:
            found = segment.find(term)
            if found is not None:
                parts.append(found.moved_by(offset))
            offset += len(segment.frozen)
        return all_of(parts) if parts else None

    def terms_with(self, others: Iterator[str]) -> Iterator[str]:
        """All terms, and other ones, each once, in code-point order. Raises SegmentError."""
        last: str | None = None
        for term in merge(*(one.terms() for one in self.segments), others):
            if term != last:
                yield term
            last = term

    def words_with(self, others: Iterator[Word]) -> Iterator[Word]:
        """All terms in code-point order, each once, with all that is found of it, and that of
        `others`, whose rows are behind these. Raises SegmentError.
        """
        offset, streams = 0, list[Iterator[Word]]()
        for segment in self.segments:
            streams.append(_moved(segment.words(), offset))
            offset += len(segment.frozen)
        # Of equal terms those of an earlier segment come first.
        for term, words in groupby(merge(*streams, others, key=_TERM), key=_TERM):
            yield Word(term, all_of([word.found for word in words]))


def _moved(words: Iterator[Word], offset: int) -> Iterator[Word]:
    return (Word(term, found.moved_by(offset)) for term, found in words)


NO_BASE: Final = Base()
"""An index that lives in memory alone."""
