"""The words of a segment: posting lists in a Whoosh directory, read by us block by block.

Whoosh's own way to a score costs a hundred times as much (ADR 0025). What is used of it inside is
its directory (TOC, codec, term dictionary) and its posting blocks; each name of it that is not
public stands under a test of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from whoosh.codec.whoosh3 import W3LeafMatcher
from whoosh.filedb.filestore import FileStorage, RamStorage, Storage
from whoosh.index import TOC

from projections.lexical.parameters import CACHED_POSTINGS
from projections.lexical.posting_cache import PostingCache
from projections.lexical.postings import Found, Word
from projections.lexical.segment_files import SegmentError, size_of

INDEX: Final = "MAIN"
FIELD: Final = "text"
SMALL_BYTES: Final = 1 << 20
"""Up to this size a segment is read whole when it is opened; that is about 3 000 memories."""


class Words:
    """The posting lists of one segment, those that were asked for last in memory."""

    def __init__(self, folder: Path, rows: int) -> None:
        storage = _storage(folder)
        toc = TOC.read(storage, INDEX)
        if len(toc.segments) != 1 or toc.segments[0].doc_count_all() != rows:
            raise SegmentError(folder.name, "has other words than rows")
        self._name = folder.name
        self._format = toc.schema[FIELD].format
        self._codec = toc.segments[0].codec()
        self._terms: Any = self._codec.terms_reader(storage, toc.segments[0])
        self._cache = PostingCache(CACHED_POSTINGS)
        self._closing = weakref.finalize(self, self._terms.close)

    @property
    def postings(self) -> int:
        """How many postings there are. Raises SegmentError."""
        with self._told():
            return sum(info.doc_frequency() for _, info in self._terms.items())

    def find(self, term: str) -> Found | None:
        """The rows that have a term, ascending, and its frequency in each; None for none.

        Raises SegmentError.
        """
        known = self._cache.get(term)
        if known is not None:
            return known
        with self._told():
            found = self._found(encoded(term))
        if found is not None:
            self._cache.keep(term, found)
        return found

    def terms(self) -> Iterator[str]:
        """All terms in code-point order. Raises SegmentError."""
        with self._told():
            for _, term in self._terms.terms():
                yield term.decode("utf-8", "surrogatepass")

    def words(self) -> Iterator[Word]:
        """All terms in code-point order, with what `find` says of each. Raises SegmentError.

        Files are read from begin to end: to find every term by itself takes several times as long.
        """
        with self._told():
            for (_, term), info in self._terms.items():
                yield Word(term.decode("utf-8", "surrogatepass"), self._postings(term, info))

    def close(self) -> None:
        """Close the files; that happens by itself when nobody has this any more."""
        self._closing()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Whatever Whoosh may raise over damaged bytes is told as one thing."""
        try:
            yield
        except Exception as error:
            raise SegmentError(self._name, f"cannot be read: {type(error).__name__}") from error

    def _found(self, term: bytes) -> Found | None:
        if (FIELD, term) not in self._terms:
            return None
        return self._postings(term, self._terms.term_info(FIELD, term))

    def _postings(self, term: bytes, info: Any) -> Found:
        matcher: W3LeafMatcher = self._codec.postings_reader(
            self._terms._postfile,  # noqa: SLF001
            info,
            self._format,
            term=(FIELD, term),
        )
        steps: list[NDArray[np.int64]] = []
        frequencies: list[NDArray[np.float64]] = []
        while matcher.is_active():
            # The block as it is stored: differences of row numbers, and single precision weights,
            # of which equal ones stand for all and none for 1.
            matcher._read_data()  # noqa: SLF001
            differences, weights = matcher._data[:2]  # noqa: SLF001
            block = np.array(differences, dtype=np.int64)
            steps.append(np.cumsum(block))
            often = np.array(1.0 if weights is None else weights, dtype=np.float64)
            frequencies.append(np.broadcast_to(often, block.shape))
            matcher._next_block()  # noqa: SLF001
        return Found(np.concatenate(steps), np.concatenate(frequencies))


def _storage(folder: Path) -> Storage:
    """Of a small segment the bytes, so that a thousand of them take no file descriptors."""
    if size_of(folder) > SMALL_BYTES:
        # With mmap Whoosh copies the whole file into memory for each reader.
        return FileStorage(str(folder), supports_mmap=False, readonly=True)
    storage = RamStorage()
    storage.files.update({path.name: path.read_bytes() for path in folder.iterdir()})
    return storage


def encoded(term: str) -> bytes:
    """A term as Whoosh stores it; the order of the bytes is that of the code points."""
    return term.encode("utf-8", "surrogatepass")
