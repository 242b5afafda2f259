"""The one analyzer of recall: what a text is found by, and what a question asks for.

Documents and questions go through the same pieces and the same forms; they differ in the weights
of the forms, and in the stop list, which is for questions only (design.md §5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from projections.lexical.forms import forms_of
from projections.lexical.parameters import QUERY_CHARS_MAX, QUERY_TERMS_MAX
from projections.lexical.scripts import pieces

PIECES_AT_ONCE: Final = 32
"""Pieces of a question between two looks at the clock."""
# A stop word in capitals is a name (IT, WHO, vitamin A), if the text has small letters at all;
# these are not: the pronoun, and what people write who know another search engine.
_NO_NAMES: Final = frozenset({"I", "AND", "OR", "NOT"})


class Term(NamedTuple):
    """A term of a question and the factor of its score."""

    text: str
    weight: float


def analyze(text: str) -> dict[str, float]:
    """Terms of a document and their weighted frequencies; never raises, whatever the characters."""
    frequencies: dict[str, float] = {}
    for piece in pieces(text):
        for form in forms_of(piece):
            known = frequencies.get(form.text, 0.0)
            frequencies[form.text] = known + form.weight.in_document
    return frequencies


def was_cut(text: str, terms: Sequence[Term]) -> bool:
    """Whether a question was longer than what `query_terms` reads of it."""
    return len(text) > QUERY_CHARS_MAX or len(terms) >= QUERY_TERMS_MAX


def query_terms(text: str, expired: Callable[[], bool] | None = None) -> list[Term]:
    """Distinct terms of a question in the order of their first use, at most `QUERY_TERMS_MAX`.

    Where `expired` says that time is over, those that were found by then: who asked is out of time.

    Common words are left out, but not where the question has no others (`the who`). The text is
    never read as a query language: operators, quotes and wildcards are words or nothing.
    """
    rare: dict[str, float] = {}
    common: dict[str, float] = {}
    has_small_letters = not text.isupper()
    for number, piece in enumerate(pieces(text[:QUERY_CHARS_MAX]), 1):
        is_name = has_small_letters and piece.text.isupper() and piece.text not in _NO_NAMES
        for form in forms_of(piece):
            weight = form.weight.in_query
            if weight > 0:
                chosen = common if form.common and not is_name else rare
                chosen[form.text] = max(weight, chosen.get(form.text, 0.0))
            if len(rare) >= QUERY_TERMS_MAX:
                break
        if len(rare) >= QUERY_TERMS_MAX or (
            number % PIECES_AT_ONCE == 0 and expired is not None and expired()
        ):
            break
    found = rare or dict(islice(common.items(), QUERY_TERMS_MAX))
    return [Term(term, weight) for term, weight in found.items()]
