"""Two rows of terms side by side: which of them are one, and what each has beyond the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from domain.bundles.terms import Kind, Term
from domain.bundles.word_forms import bases

CONTENT: Final = frozenset({Kind.NAME, Kind.LABEL, Kind.WORD, Kind.SIGN})
NAMING: Final = frozenset({Kind.NAME, Kind.LABEL})
_ORDERED: Final = CONTENT | {Kind.DIRECTION, Kind.NEGATION}
_COUNTED: Final = {Kind.NEGATION: "\0not", Kind.PERMISSION: "\0may"}
"""Whichever word it is: `never` is `not`."""


class Side(NamedTuple):
    """The terms of one wording, and where each has its partner in the other one."""

    terms: tuple[Term, ...]
    keys: tuple[str, ...]
    partners: tuple[int | None, ...]

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
        Side(first, first_keys, _partners(first_keys, second_keys)),
        Side(second, second_keys, _partners(second_keys, first_keys)),
    )


def within(one: Side, other: Side) -> bool:
    """Whether all of one stands in the other, in its order."""
    short, long = sorted((list(one.in_order()), list(other.in_order())), key=len)
    rest = iter(long)
    return all(key in rest for key in short)


def stands_against(one: Side, other: Side) -> bool:
    """Whether each has something beyond the other, and it is a name in the place of something."""
    if one.left(NAMING) and other.left(NAMING):
        return True
    return _takes_a_place(one, other) or _takes_a_place(other, one)


def _takes_a_place(one: Side, other: Side) -> bool:
    """Whether a name stands where, between the same neighbours, the other has something else."""
    for number, term in enumerate(one.terms):
        if term.kind in NAMING and one.partners[number] is None:
            start = _neighbour(one, range(number - 1, -1, -1), -1)
            end = _neighbour(one, range(number + 1, len(one.terms)), len(other.terms))
            if any(
                other.partners[place] is None and other.terms[place].kind in CONTENT
                for place in range(start + 1, end)
            ):
                return True
    return False


def _neighbour(side: Side, places: Iterable[int], beyond: int) -> int:
    """Where the first content in these places has its partner; `beyond` where none has one."""
    for place in places:
        partner = side.partners[place]
        if partner is not None and side.terms[place].kind in CONTENT:
            return partner
    return beyond


def _partners(keys: Sequence[str], others: Sequence[str]) -> tuple[int | None, ...]:
    free: dict[str, list[int]] = defaultdict(list)
    for place in range(len(others) - 1, -1, -1):
        free[others[place]].append(place)
    return tuple(free[key].pop() if free[key] else None for key in keys)


def _keys(terms: Sequence[Term], others: Sequence[Term]) -> tuple[str, ...]:
    """A term's form, or of words the longest word that both sides may have a form of."""
    forms = {term.form for term in others if term.kind in CONTENT}
    known = frozenset().union(*(bases(term.form) for term in others if term.kind is Kind.WORD))
    return tuple(_key(term, forms, known) for term in terms)


def _key(term: Term, forms: set[str], known: frozenset[str]) -> str:
    counted = _COUNTED.get(term.kind)
    if counted is not None:
        return counted
    if term.kind is Kind.WORD and term.form not in forms:
        common = sorted(bases(term.form) & known, key=lambda base: (-len(base), base))
        return f"\0{common[0]}" if common else term.form
    return term.form


def _unhyphened(terms: Sequence[Term], others: Sequence[Term]) -> tuple[Term, ...]:
    """`re-run` is `rerun` and `read-only` is `read only`, where the other writes it so."""
    forms = {term.form for term in others}
    written = " ".join(term.form for term in others)
    return tuple(one for term in terms for one in _parts(term, forms, f" {written} "))


def _parts(term: Term, forms: set[str], written: str) -> list[Term]:
    if term.kind is not Kind.LABEL or "-" not in term.form or term.form in forms:
        return [term]
    if (joined := term.form.replace("-", "")) in forms:
        return [term._replace(form=joined)]
    if f" {term.form.replace('-', ' ')} " in written:
        return [term._replace(form=part) for part in term.form.split("-")]
    return [term]
