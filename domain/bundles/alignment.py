"""Two rows of terms side by side: which of them are one, and what each has beyond the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from domain.bundles.opposites import are_opposite
from domain.bundles.term_kinds import Kind, Term
from domain.bundles.word_forms import bases

WORDS: Final = frozenset({Kind.SUBJECT, Kind.WORD})
"""Words that have forms and opposites."""
NAMING: Final = frozenset({Kind.NAME, Kind.LABEL})
CONTENT: Final = WORDS | NAMING | {Kind.SIGN}
SUBJECTS: Final = frozenset({Kind.SUBJECT})
_AKIN: Final = 4
"""Letters that two words begin with that may be of one family: `deploys`, `deployments`."""
_ORDERED: Final = CONTENT | {Kind.DIRECTION, Kind.NEGATION}
_COUNTED: Final = {Kind.NEGATION: "\0not", Kind.PERMISSION: "\0may"}
"""Whichever word it is: `never` is `not`."""


class Side(NamedTuple):
    """The terms of one wording, and where each has its partner in the other one.

    `respelled`: a hyphen more or less, which may be style (`read-only`) or another identifier.
    """

    terms: tuple[Term, ...]
    keys: tuple[str, ...]
    partners: tuple[int | None, ...]
    respelled: bool

    def left(self, kinds: frozenset[Kind] = CONTENT) -> list[Term]:
        """Terms of these kinds that the other has not."""
        return [
            term
            for term, partner in zip(self.terms, self.partners, strict=True)
            if partner is None and term.kind in kinds
        ]

    def shares(self) -> bool:
        """Whether any content has a partner."""
        return any(
            partner is not None and term.kind in CONTENT
            for term, partner in zip(self.terms, self.partners, strict=True)
        )

    def in_order(self) -> Iterator[str]:
        """Keys of what has a place: content, directions and negations."""
        return (
            key for term, key in zip(self.terms, self.keys, strict=True) if term.kind in _ORDERED
        )


def aligned(one: Sequence[Term], other: Sequence[Term]) -> tuple[Side, Side]:
    """Both sides; equal terms are partners in their order, so the last ones are left over."""
    first, second = _unhyphened(one, other), _unhyphened(other, one)
    first_keys, second_keys = _keys(first, second), _keys(second, first)
    return (
        Side(first, first_keys, _partners(first_keys, second_keys), first != tuple(one)),
        Side(second, second_keys, _partners(second_keys, first_keys), second != tuple(other)),
    )


def within(one: Side, other: Side) -> bool:
    """Whether all of one stands in the other, in its order."""
    short, long = sorted((list(one.in_order()), list(other.in_order())), key=len)
    rest = iter(long)
    return all(key in rest for key in short)


def begins_alike(one: Side, other: Side) -> bool:
    """Whether neither begins with content of its own, which would be about something narrower."""
    return all(
        next((p for t, p in zip(side.terms, side.partners, strict=True) if t.kind in CONTENT), 0)
        is not None
        for side in (one, other)
    )


def is_reworded(one: Side, other: Side) -> bool:
    """Whether content stands in the place of a function word: `it lacks` for `it is`."""
    return _puts_content(one, other) or _puts_content(other, one)


def _puts_content(one: Side, other: Side) -> bool:
    """Whether the other has content, and lacks a word of one, between the same neighbours."""
    anchors = [
        (place, partner)
        for place, partner in enumerate(one.partners)
        if partner is not None and one.terms[place].kind in CONTENT
    ]
    ends = (len(one.terms), len(other.terms))
    for (start, there), (end, there_too) in pairwise([(-1, -1), *anchors, ends]):
        between = range(there + 1, there_too)
        if any(
            other.partners[place] is None and other.terms[place].kind in CONTENT
            for place in between
        ):
            had = Counter(one.terms[place].form for place in range(start + 1, end))
            if had - Counter(other.terms[place].form for place in between):
                return True
    return False


def stands_against(one: Side, other: Side) -> bool:
    """Whether each has something beyond the other, and it is a name in the place of something.

    Two subjects stand against each other where the words are neither akin nor opposites.
    """
    if one.left(NAMING) and other.left(NAMING):
        return True
    return any(
        _takes_a_place(here, there, NAMING)
        or (_takes_a_place(here, there, SUBJECTS) and not _akin(here, there))
        for here, there in ((one, other), (other, one))
    )


def _akin(one: Side, other: Side) -> bool:
    return any(
        subject.form[:_AKIN] == term.form[:_AKIN] or are_opposite(subject.form, term.form)
        for subject in one.left(SUBJECTS)
        for term in other.left(WORDS)
    )


def _takes_a_place(one: Side, other: Side, kinds: frozenset[Kind]) -> bool:
    """Whether such a term stands where, between the same neighbours, the other has another."""
    left_before = [0]
    for term, partner in zip(other.terms, other.partners, strict=True):
        left_before.append(left_before[-1] + (partner is None and term.kind in CONTENT))
    ends = _neighbours(one, range(len(one.terms) - 1, -1, -1), len(other.terms))
    starts = _neighbours(one, range(len(one.terms)), -1)
    return any(
        term.kind in kinds
        and partner is None
        and starts[place] < ends[place]
        and left_before[ends[place]] > left_before[starts[place] + 1]
        for place, (term, partner) in enumerate(zip(one.terms, one.partners, strict=True))
    )


def _neighbours(side: Side, places: Iterable[int], beyond: int) -> dict[int, int]:
    """A place → where the content that stands next before it, in this order, has its partner."""
    found, last = {}, beyond
    for place in places:
        found[place] = last
        partner = side.partners[place]
        if partner is not None and side.terms[place].kind in CONTENT:
            last = partner
    return found


def _partners(keys: Sequence[str], others: Sequence[str]) -> tuple[int | None, ...]:
    free: dict[str, list[int]] = defaultdict(list)
    for place in range(len(others) - 1, -1, -1):
        free[others[place]].append(place)
    return tuple(free[key].pop() if free[key] else None for key in keys)


def _keys(terms: Sequence[Term], others: Sequence[Term]) -> tuple[str, ...]:
    """A term's form, or of words the longest word that both sides may have a form of."""
    forms = {term.form for term in others if term.kind in CONTENT}
    known = frozenset().union(*(bases(term.form) for term in others if term.kind in WORDS))
    return tuple(_key(term, forms, known) for term in terms)


def _key(term: Term, forms: set[str], known: frozenset[str]) -> str:
    counted = _COUNTED.get(term.kind)
    if counted is not None:
        return counted
    if term.kind in WORDS and term.form not in forms:
        common = sorted(bases(term.form) & known, key=lambda base: (-len(base), base))
        return f"\0{common[0]}" if common else term.form
    return term.form


def _unhyphened(terms: Sequence[Term], others: Sequence[Term]) -> tuple[Term, ...]:
    """`re-run` as `rerun` and `read-only` as `read only`, where the other writes it so."""
    forms = {term.form for term in others}
    neighbours = set(pairwise(term.form for term in others))
    return tuple(one for term in terms for one in _parts(term, forms, neighbours))


def _parts(term: Term, forms: set[str], neighbours: set[tuple[str, str]]) -> list[Term]:
    if term.kind is not Kind.LABEL or "-" not in term.form or term.form in forms:
        return [term]
    if (joined := term.form.replace("-", "")) in forms:
        return [term._replace(form=joined)]
    parts = term.form.split("-")
    if neighbours.issuperset(pairwise(parts)):
        return [term._replace(form=part) for part in parts]
    return [term]
