"""How much two wordings have in common, and whether one may take the place of the other.

The comparison is deterministic and symmetric, and it reads nothing but the two wordings: what was
decided by it can be decided again at any time (docs/spec/bundle.md §4.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from domain.bundles.alignment import CONTENT, NAMING, Side, aligned, stands_against, within
from domain.bundles.opposites import are_opposite
from domain.bundles.terms import Kind, Term, terms_of
from domain.bundles.thresholds import THRESHOLDS, Thresholds
from domain.bundles.wording import Wording, wording_key

Verdict = Literal["restatement", "clear", "grey", "apart"]

DIFFERING_MAX: Final = 12
"""Terms that a comparison names; more would not make it clearer."""
_WEIGHT: Final = 2
"""Of a word. A pair of neighbouring signs weighs one: a word of their scripts has about two."""
_TURNING: Final = frozenset({Kind.NAME, Kind.NEGATION, Kind.PERMISSION})
"""What makes another statement of a wording that has it beyond the other one."""
_WORDS: Final = frozenset({Kind.WORD})


class Comparison(NamedTuple):
    """What came out for two wordings.

    `score` is the coefficient of Dice (Ecology 26, 1945) over words and pairs of signs, in 0..1:
    twice what both have over what each has. Function words, negations and permissions are left
    out, and of two opposite words both count as had by both: who says `disabled` for `enabled`
    speaks of the same thing. `differing` are names, numbers, negations, permissions and opposites
    that only one of them has, caseless, sorted, at most `DIFFERING_MAX`: words of the wordings.
    """

    score: float
    verdict: Verdict
    differing: tuple[str, ...]


def compare(said: Wording, known: Wording, thresholds: Thresholds = THRESHOLDS) -> Comparison:
    """Whether `said` restates, refines, perhaps replaces, or has nothing to do with `known`.

    - restatement: the same but for case, blanks and normal form (`wording_key`).
    - apart: they share too little; the scopes have nothing in common; or each has something that
      the other has not, and it is a name, a number or a unit. Nobody knows whether `port 8081`
      corrects `port 8080`, so two facts are kept.
    - clear: one has all terms of the other in the same order, and what it has beyond them are
      words: no names, no negation, no permission; of the scopes one holds the other.
    - grey: all between. A word that was replaced, another order, a name more, a negation: it may
      be the same takeaway, corrected, or another one.
    """
    if wording_key(said) == wording_key(known):
        return Comparison(1.0, "restatement", ())
    rules = [terms_of(one.rule) for one in (said, known)]
    scopes = [terms_of(one.scope, is_scope=True) for one in (said, known)]
    one, other = aligned(*(rule + scope for rule, scope in zip(rules, scopes, strict=True)))
    here, there = aligned(*scopes)
    opposed = _opposed(one, other)
    score = _score(one, other, len(opposed))
    differing = _differing(one, other, opposed)
    if score < thresholds.grey or _disjoint(here, there) or stands_against(one, other):
        return Comparison(score, "apart", differing)
    turned = any(side.left(_TURNING) for side in (one, other))
    compatible = not (here.left() and there.left())
    if compatible and not turned and score >= thresholds.clear and within(one, other):
        return Comparison(score, "clear", differing)
    return Comparison(score, "grey", differing)


def _disjoint(here: Side, there: Side) -> bool:
    return bool(here.left() and there.left()) and not here.shares()


def _opposed(one: Side, other: Side) -> list[tuple[str, str]]:
    """Words that each has beyond the other and that say the contrary; each word once."""
    found = []
    free = [term.form for term in other.left(_WORDS)][:DIFFERING_MAX]
    for term in one.left(_WORDS)[:DIFFERING_MAX]:
        for form in free:
            if are_opposite(term.form, form):
                found.append((term.form, form))
                free.remove(form)
                break
    return found


def _score(one: Side, other: Side, opposed: int) -> float:
    """Sums of whole numbers and one division: the same on every machine, whichever is first."""
    had, also_had = _features(one), _features(other)
    shared = (had & also_had).total() + _WEIGHT * opposed
    everything = had.total() + also_had.total()
    return 2 * shared / everything if everything else 0.0


def _features(side: Side) -> Counter[str]:
    """Weights of words and pairs of signs; of everything where there is no content."""
    found: Counter[str] = Counter()
    for term, key in zip(side.terms, side.keys, strict=True):
        if term.kind in CONTENT and term.kind is not Kind.SIGN:
            found[key] += _WEIGHT
    found.update(_pairs([term for term in side.terms if term.kind is Kind.SIGN]))
    return found or Counter(side.keys)


def _pairs(signs: Sequence[Term]) -> list[str]:
    """Neighbours in a run, and signs that have none."""
    found = []
    for number, sign in enumerate(signs):
        follows = signs[number + 1] if number + 1 < len(signs) else None
        if follows is not None and follows.run == sign.run:
            found.append(sign.form + follows.form)
        elif number == 0 or signs[number - 1].run != sign.run:
            found.append(sign.form)
    return found


def _differing(one: Side, other: Side, opposed: list[tuple[str, str]]) -> tuple[str, ...]:
    both = bool(one.left() and other.left())
    kinds = _TURNING | NAMING if both else _TURNING
    named = {term.form for side in (one, other) for term in side.left(kinds) if term.form}
    return tuple(sorted(named.union(*opposed)))[:DIFFERING_MAX]
