"""Posting lists that were asked for last, in memory."""

from __future__ import annotations

from collections import OrderedDict

from projections.lexical.postings import Found


class PostingCache:
    """Keeps so many postings at most; the lists that were unused for longest go first.

    Of a word that nothing has nothing is kept: it may be one that was forgotten. Not thread-safe.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[str, Found] = OrderedDict()
        self._cost = 0

    def __contains__(self, term: str) -> bool:
        """Whether the postings of a term are here."""
        return term in self._found

    def get(self, term: str) -> Found | None:
        """The postings of a term; None where they are not here."""
        found = self._found.get(term)
        if found is not None:
            self._found.move_to_end(term)
        return found

    def keep(self, term: str, found: Found) -> None:
        """Keep the postings of a term that is not here."""
        self._found[term] = found
        self._cost += _cost(found)
        while self._cost > self._most:
            _, dropped = self._found.popitem(last=False)
            self._cost -= _cost(dropped)


def _cost(found: Found) -> int:
    """In postings; a term has a price of its own."""
    return 16 + len(found.rows)
