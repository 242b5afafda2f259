"""What a policy means, in 48 bits: its answers to a fixed set of questions.

A name keeps its meaning for ever (`policies`), and nobody has to remember that: a program whose
policy of the same name decides otherwise, in the order of precedence, at a bound or about equal
values, has another fingerprint, and a recall that was recorded under the one does not replay as the
other. How its source is written has no part in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final

from domain.canonical import canonical
from domain.resolver.holding import ended
from domain.resolver.policies import Candidate, SlotPolicy, Verdict, policy_named
from domain.slots import comparable

_TIMES: Final = (1, 2)
_VALUES: Final = ("e\u0301", "\u00e9", "e", 1, True, None)
"""What is said: two spellings of one text, another text, two numbers, and what was erased."""


def meaning_of(policy: str) -> str:
    """The fingerprint of a registered policy, twelve hexadecimal digits; raises for another."""
    return _fingerprint(policy_named(policy))


@lru_cache(maxsize=16)
def _fingerprint(policy: SlotPolicy) -> str:
    found = hashlib.sha256()
    for candidates in _slots():
        found.update(canonical(_said(policy(candidates))))
    for bounds in product(range(4), repeat=4):
        found.update(canonical(ended(*bounds)))
    return found.hexdigest()[:12]


def _slots() -> Iterator[list[Candidate]]:
    """Pairs that differ in any components of the precedence, and threes of unlike values.

    The ids of a pair stand against the order of its times, too.
    """
    for times in product(_TIMES, repeat=6):
        for first, then in (("a", "b"), ("b", "a")):
            for root in (first, then):
                roots = dict(zip((first, root), times[:2], strict=True))
                one = Candidate(first, first, roots[first], times[2], times[4], _value("x"))
                other = Candidate(then, root, roots[root], times[3], times[5], _value("y"))
                yield [one, other]
    for values in product(_VALUES, repeat=3):
        yield [
            Candidate(name, name, at, at, at, _value(value))
            for name, at, value in zip("abc", (2, 3, 1), values, strict=True)
        ]


def _value(value: object) -> bytes | None:
    return None if value is None else comparable(value)


def _said(verdict: Verdict) -> list[object]:
    conflict = verdict.conflict
    return [
        [one.id for one in verdict.selected],
        [list(one) for one in verdict.excluded],
        None if conflict is None else list(conflict),
    ]
