"""The full-text index of one workspace: what its segments hold, and what came since, in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from domain.visibility import Viewer
from projections.lexical.analyzer import Term
from projections.lexical.base import NO_BASE, Base
from projections.lexical.columns import BoolArray, Column
from projections.lexical.context import SessionOrder
from projections.lexical.documents import Document
from projections.lexical.eligibility import Basis, Eligibility, Filters
from projections.lexical.forms import forget_cached_words
from projections.lexical.frozen import Frozen
from projections.lexical.places import Places, memory_of
from projections.lexical.postings import Found, PostingList, Postings, Word, all_of
from projections.lexical.scoring import Text, best, bm25, parts
from projections.lexical.statistics import KeptStatistics, Statistics


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
    """How much an index holds; a purged document is a place without words.

    Of segments `postings` counts those of purged documents until they are written anew.
    """

    memories: int
    documents: int
    purged: int
    terms: int
    postings: int


class Memtable:
    """Every version of the memories of ONE workspace, found by exact BM25 (design.md §5).

    A mask has one place for each document: those of the segments that it began with, then those
    that `add` took, in their order; that is the order of the log.

    A branch of a fork that answers for a time has documents of its own (`places.stand_in_id`), of
    which nobody outside is told: a hit names their memory.

    Not thread-safe: the owner holds a lock over each call, and one lock over `eligible` and the
    `search` or `ids` that takes its mask, since a mask is good for the rows of its moment only.
    """

    def __init__(self, base: Base = NO_BASE) -> None:
        self._base = base
        self.places = Places(base.places)
        """Where each version stands; may be asked without the lock."""
        self._eligibility = Eligibility(base.columns)
        closed, closing = self.places.closings()
        self._eligibility.close_all(closed, closing)
        self._postings = Postings()
        self._statistics = KeptStatistics()
        self._sessions = SessionOrder()
        self._terms_of: list[tuple[PostingList, ...]] = []
        self._lengths = Column(np.float64, base.lengths)
        self._dead: set[str | tuple[str, int]] = set()
        others = {self.places.name(int(row))[0] for row in self.places.stand_in_rows}
        self._memories = base.rows - len(closed) - len(others)

    def add(self, document: Document) -> None:
        """Add a version; it closes the one before it at its own position.

        Versions of a memory come in their order; a version that is known already changes nothing.
        ValueError for one that would come before the newest. A version of a buried memory is
        known, and never eligible.
        """
        places = self.places.of(document.memory_id)
        if places:
            newest = places[-1]
            if any(place.version == document.version for place in places):
                return
            if newest.version >= document.version or newest.from_position >= document.from_position:
                raise ValueError("versions of a memory are added in the order of the log")
            self._eligibility.close(newest.row, document.from_position)
        elif memory_of(document.memory_id) == document.memory_id:
            self._memories += 1
        row = self.places.add(document.memory_id, document.version, document.from_position)
        self._eligibility.append(document)
        self._terms_of.append(self._postings.add(row, document.terms))
        self._lengths.append(sum(document.terms.values()))
        own, whole = document.memory_id, memory_of(document.memory_id)
        if self._dead & {own, whole, (own, document.version)}:
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
        that the analyzer keeps for speed are dropped, for all workspaces. Of what stands in a
        segment the postings stay where they are until the segment is written anew.
        """
        self.purge_all([(memory_id, version)])

    def purge_all(self, wanted: Iterable[tuple[str, int | None]]) -> None:
        """`purge` many at once: memories, or one version of each."""
        for memory_id, version in wanted:
            self.bury(memory_id, version)
            for row in self._rows(memory_id, version):
                self._purge(row)
        forget_cached_words()

    def eligible(self, basis: Basis, filters: Filters) -> BoolArray:
        """The documents that are recallable at the basis and within the filters.

        The mask is shared with later questions, and not to be changed.
        """
        return self._eligibility.mask(basis, filters)

    def readable(self, basis: Basis) -> BoolArray:
        """The documents with words that the actor may see and that were known by the basis."""
        return self._eligibility.readable(basis) & (self._lengths.values > 0)

    def sharing_a_slot(self, mask: BoolArray, also: Iterable[str]) -> BoolArray:
        """The documents of the mask whose slot another one of it has, or that is one of `also`."""
        return self._eligibility.sharing_a_slot(mask, also)

    def rows_of(self, memories: Iterable[str], position: int) -> BoolArray:
        """The documents of memories as they were known at a log position."""
        found = np.zeros(len(self.places), dtype=np.bool_)
        found[self.places.rows_of(memories, position)] = True
        return found

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
        `should_stop` says so, ValueError for a mask of another moment, SegmentError for a segment
        that cannot be read.
        """
        if len(mask) != len(self.places) or (limit is not None and limit < 1):
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
        if len(mask) != len(self.places):
            raise ValueError("an explanation takes a mask of this moment")
        rows = [self._row(hit.memory_id, hit.version, mask) for hit in hits]
        made = parts(rows, terms, self._text(), mask, should_stop)
        return [
            [TermPart(one.term, one.score, *self._name(one.source)) for one in of_hit]
            for of_hit in made
        ]

    def find(self, term: str) -> Found | None:
        """The postings of a term, perhaps also in documents that are gone; None for none."""
        parts = [self._base.find(term), self._postings.find(term)]
        there = [one for one in parts if one is not None]
        return all_of(there) if there else None

    def ids(self, mask: BoolArray) -> list[str]:
        """The memories with a document in the mask, in the order of their ids."""
        return sorted({self._name(int(row))[0] for row in np.flatnonzero(mask)})

    def version_at(self, memory_id: str, position: int) -> int | None:
        """The version known at a log position, eligible or not; None before the first."""
        place = self.places.at(memory_id, position)
        return None if place is None else place.version

    def counts(self) -> Counts:
        """How much this index holds."""
        return Counts(
            memories=self._memories,
            documents=len(self.places),
            purged=int(np.count_nonzero(self._eligibility.gone)),
            terms=sum(1 for _ in self.terms()),
            postings=self._base.postings + self._postings.size,
        )

    def _text(self) -> Text:
        self._sessions.follow(*self._eligibility.sessions())
        return Text(self.find, self._statistics_of, self._sessions)

    def _statistics_of(self, mask: BoolArray) -> Statistics:
        return self._statistics.of(mask, self._lengths.values)

    def _row(self, memory_id: str, version: int, mask: BoolArray) -> int:
        """That of the mask; of a memory that has stand-ins no more than one is."""
        rows = self._rows(memory_id, version)
        for stand_in in self.places.stand_ins(memory_id):
            rows += self._rows(stand_in, version)
        if not rows:
            raise KeyError(memory_id, version)
        return next((row for row in rows if mask[row]), rows[0])

    # --- what is written of it, and what it is made anew from --------------------------------

    @property
    def tail(self) -> int:
        """How many documents were added."""
        return len(self._terms_of)

    @property
    def dead(self) -> frozenset[str | tuple[str, int]]:
        """What was buried or purged: memories, and (memory, version) pairs."""
        return frozenset(self._dead)

    @property
    def gone(self) -> BoolArray:
        """The documents whose words were taken out."""
        return self._eligibility.gone

    def holds_private_of(self, viewer: Viewer) -> bool:
        """Whether anything here is private to who looks."""
        return self._eligibility.owns(viewer)

    def terms(self) -> Iterator[str]:
        """All terms, each once, in code-point order; of segments also those of purged documents."""
        return self._base.terms_with(iter(self._postings))

    def words(self) -> Iterator[Word]:
        """`terms`, with what `find` says of each: quicker than to find each by itself."""
        return self._base.words_with(self._postings.words())

    def frozen(self) -> Frozen:
        """A copy of all documents but their words."""
        names = self.places.own_names()
        own = np.array([memory_id.encode() for memory_id, _ in names] or [b""], dtype=np.bytes_)
        versions = np.array([version for _, version in names], dtype=np.int64)
        return Frozen(
            ids=np.concatenate([*(one.ids for one in self._base.frozen), own[: len(names)]]),
            versions=np.concatenate([*(one.versions for one in self._base.frozen), versions]),
            lengths=self._lengths.values.copy(),
            columns=self._eligibility.frozen(),
        )

    def added_after(self, position: int) -> Iterator[Document]:
        """The documents that were added from events after a log position, as they are now."""
        for row in self.places.own_rows():
            document = self._document(row)
            if document.from_position > position:
                yield document

    def _document(self, row: int) -> Document:
        memory_id, version = self.places.name(row)
        found = self._terms_of[row - self._base.rows]
        terms = {one.term: self._postings.frequency(row, one) for one in found}
        return self._eligibility.document(row, memory_id, version, terms)

    def _hit(self, row: int, score: float) -> Hit:
        return Hit(*self._name(row), score)

    def _name(self, row: int) -> tuple[str, int]:
        document_id, version = self.places.name(row)
        return memory_of(document_id), version

    def _rows(self, document_id: str, version: int | None) -> list[int]:
        """The rows of a memory, all of its stand-ins' included, or of one version of a document."""
        if version is None:
            family = [document_id, *self.places.stand_ins(document_id)]
            return [place.row for one in family for place in self.places.of(one)]
        return [place.row for place in self.places.of(document_id) if version == place.version]

    def _purge(self, row: int) -> None:
        if self._eligibility.gone[row]:
            return
        self._eligibility.clear(row)
        at = row - self._base.rows
        if at >= 0:
            self._postings.remove(row, self._terms_of[at])
            self._terms_of[at] = ()
        self._lengths.values[row] = 0
