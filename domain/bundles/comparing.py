"""How much two wordings have in common, and whether one may take the place of the other.

The comparison is deterministic and symmetric, and it reads nothing but the two wordings: what was
decided by it can be decided again at any time (docs/spec/bundle.md §4.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from domain.bundles.alignment import (
    CONTENT,
    NAMING,
    SUBJECTS,
    WORDS,
    Side,
    aligned,
    begins_alike,
    is_reworded,
    stands_against,
    within,
)
from domain.bundles.opposites import opposed
from domain.bundles.term_kinds import Kind, Term
from domain.bundles.terms import terms_of
from domain.bundles.thresholds import THRESHOLDS, Thresholds
from domain.bundles.wording import Wording, wording_key

Verdict = Literal["restatement", "clear", "grey", "apart"]

DIFFERING_MAX: Final = 12
"""Terms that a comparison names; more would not make it clearer."""
_WEIGHT: Final = 4
"""Of a word. A sign weighs one, and a pair of neighbours one: two signs are about a word."""
_TURNING: Final = frozenset({Kind.NAME, Kind.NEGATION, Kind.PERMISSION})
"""What makes another statement of a wording that has it beyond the other one."""


class Comparison(NamedTuple):
    """What came out for two wordings.

    `score` is the coefficient of Dice (Ecology 26, 1945) over words, signs and pairs of signs, in
    0..1: twice what both have over what each has. Function words, negations and permissions are
    left out, and of two opposite words both count as had by both: who says `disabled` for
    `enabled` speaks of the same thing. `differing` are names, numbers, subjects, negations,
    permissions and opposites that only one of them has, caseless, sorted, at most
    `DIFFERING_MAX`: words of the wordings.
    """

    score: float
    verdict: Verdict
    differing: tuple[str, ...]


class Reading(NamedTuple):
    """A wording that was read: its key, its terms, and those among them of its scope."""

    key: str
    terms: tuple[Term, ...]
    scope: tuple[Term, ...]


def compare(said: Wording, known: Wording, thresholds: Thresholds = THRESHOLDS) -> Comparison:
    """Whether `said` restates, refines, perhaps replaces, or has nothing to do with `known`.

    - restatement: the same but for case, blanks and normal form (`wording_key`).
    - apart: they share too little; the scopes have nothing in common; or each has something that
      the other has not, and it is a name, a number or a unit. Nobody knows whether `port 8081`
      corrects `port 8080`, so two facts are kept.
    - clear: one has all terms of the other in the same order, and what it has beyond them are
      words: no names, no negation, no permission. A scope belongs to what is said.
    - grey: all between. A word that was replaced, another order, a name more, a negation, a
      hyphen: it may be the same takeaway, corrected, or another one.
    """
    return compare_read(read(said), read(known), thresholds)


def read(wording: Wording) -> Reading:
    """What `compare_read` compares: who compares one wording with many reads it once."""
    rule, scope = terms_of(wording.rule), terms_of(wording.scope, is_scope=True)
    return Reading(wording_key(wording), rule + scope, scope)


def compare_read(said: Reading, known: Reading, thresholds: Thresholds = THRESHOLDS) -> Comparison:
    """`compare` of wordings that were read."""
    if said.key == known.key:
        return Comparison(1.0, "restatement", ())
    one, other = aligned(said.terms, known.terms)
    here, there = aligned(said.scope, known.scope)
    contrary = _opposed(one, other)
    score = _score(one, other, len(contrary))
    differing = _differing(one, other, contrary)
    if score < thresholds.grey or _disjoint(here, there) or stands_against(one, other):
        return Comparison(score, "apart", differing)
    turned = any(side.respelled or side.left(_TURNING) for side in (one, other))
    if not turned and score >= thresholds.clear and _adds(one, other):
        return Comparison(score, "clear", differing)
    return Comparison(score, "grey", differing)


def _adds(one: Side, other: Side) -> bool:
    """Whether one says more than the other, puts nothing else, and is of the same subject."""
    return within(one, other) and begins_alike(one, other) and not is_reworded(one, other)


def _disjoint(here: Side, there: Side) -> bool:
    return bool(here.left() and there.left()) and not here.shares()


def _opposed(one: Side, other: Side) -> list[tuple[str, str]]:
    """Words that each has beyond the other and that say the contrary."""
    here, there = (
        [term.form for term in side.left(WORDS)[:DIFFERING_MAX]] for side in (one, other)
    )
    return opposed(here, there)


def _score(one: Side, other: Side, contrary: int) -> float:
    """Sums of whole numbers and one division: the same on every machine, whichever is first."""
    had, also_had = _features(one), _features(other)
    shared = (had & also_had).total() + _WEIGHT * contrary
    everything = had.total() + also_had.total()
    return 2 * shared / everything if everything else 0.0


def _features(side: Side) -> Counter[str]:
    """Weights of words, signs and their pairs; of everything where there is no content."""
    found: Counter[str] = Counter()
    for term, key in zip(side.terms, side.keys, strict=True):
        if term.kind in CONTENT and term.kind is not Kind.SIGN:
            found[key] += _WEIGHT
    signs = [term for term in side.terms if term.kind is Kind.SIGN]
    found.update(sign.form for sign in signs)
    found.update(_pairs(signs))
    return found or Counter(side.keys)


def _pairs(signs: Sequence[Term]) -> list[str]:
    """Neighbours in a run."""
    return [
        one.form + next_one.form for one, next_one in pairwise(signs) if one.run == next_one.run
    ]


def _differing(one: Side, other: Side, contrary: list[tuple[str, str]]) -> tuple[str, ...]:
    both = bool(one.left() and other.left())
    kinds = _TURNING | NAMING | SUBJECTS if both else _TURNING
    named = {term.form for side in (one, other) for term in side.left(kinds) if term.form}
    return tuple(sorted(named.union(*contrary)))[:DIFFERING_MAX]
