"""A segment: a part of an index on disk, written once and never modified (design.md §5).

It is a complete Whoosh directory of one segment for the words, and beside it two files of ours for
the rows. Whoosh has no checksums and reads pickles, so nothing of a directory is opened before its
bytes are those that the manifest names.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from projections.lexical.frozen import Frozen
from projections.lexical.places import FrozenPlaces
from projections.lexical.postings import Found, Word
from projections.lexical.segment_files import SegmentError, digest_of
from projections.lexical.segment_rows import read_rows
from projections.lexical.segment_words import Words


class Segment:
    """An open segment, in memory but for its words, of which those that were asked for are kept.

    Not thread-safe: the words are read from one place in one file.
    """

    def __init__(self, name: str, frozen: Frozen, words: Words) -> None:
        self.name = name
        self.frozen = frozen
        self.places = FrozenPlaces(frozen)
        self._words = words

    @classmethod
    def open(cls, folder: Path, digest: str) -> Segment:
        """Open a directory whose files have this digest. Raises SegmentError for any other."""
        if digest_of(folder) != digest:
            raise SegmentError(folder.name, "is not what was written")
        try:
            frozen = read_rows(folder)
            words = Words(folder, len(frozen))
        except SegmentError:
            raise
        except Exception as error:
            # Whatever a reader of damaged bytes may raise: it is told as one thing, and rebuilt.
            raise SegmentError(folder.name, f"cannot be read: {type(error).__name__}") from error
        return cls(folder.name, frozen, words)

    @property
    def postings(self) -> int:
        """How many postings there are."""
        return self._words.postings

    def find(self, term: str) -> Found | None:
        """The rows that have a term, the first row here being 0; or None. Raises SegmentError."""
        return self._words.find(term)

    def terms(self) -> Iterator[str]:
        """All terms in code-point order. Raises SegmentError."""
        return self._words.terms()

    def words(self) -> Iterator[Word]:
        """All terms in code-point order, with what `find` says of each. Raises SegmentError."""
        return self._words.words()

    def close(self) -> None:
        """Close its files."""
        self._words.close()
