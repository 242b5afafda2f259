"""Pairs of words that say the contrary: who changes one for the other replaces a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from domain.bundles.word_forms import bases

_PAIRS: Final = """
enable disable|allow deny|allow reject|include exclude|add remove|add delete|open close|start end
begin end|minimum maximum|min max|left right|top bottom|public private|lock unlock|push pull
read write|true false|accept reject|accept refuse|increase decrease|upper lower
uppercase lowercase|internal external|manual automatic|manually automatically|required optional
mandatory optional|early late|earlier later|fast slow|new old|newer older|newest oldest
same different|tab space|ascending descending|import export|upload download|encode decode
prefix suffix|parent child|success failure|succeed fail|pass fail|keep delete|keep remove
keep drop|create delete|create destroy|attach detach|connect disconnect|insert delete
install uninstall|mount unmount|commit rollback|merge rebase|squash rebase|squash merge
online offline|input output|inbound outbound|ingress egress|hot cold|warm cold|high low
higher lower|large small|long short|longer shorter|wide narrow|strong weak|strict lenient
eager lazy|eagerly lazily|static dynamic|single double|singular plural|positive negative
mutable immutable|blocking nonblocking|parallel sequential|parallel serial|foreground background
dark light|always never|raise return|raise swallow|show hide|expand collapse|inner outer
horizontal vertical|first last|plain encrypted|plaintext encrypted|signed unsigned|safe unsafe
eventual immediate|immediately later
"""
_PREFIXES: Final = ("un", "in", "im", "ir", "non", "non-", "dis", "de", "a", "anti", "mis")
_SHORT: Final = 3


def _both_ways() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.strip().replace("\n", "|").split("|"):
        one, other = pair.split()
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


_OPPOSED: Final = _both_ways()


class _Facing(NamedTuple):
    """A word as one looks at it from its contrary: read once, compared with many."""

    word: str
    bases: frozenset[str]
    opposed: frozenset[str]
    bare: frozenset[str]
    """What is left of it without a prefix that turns a word round."""

    def faces(self, other: _Facing) -> bool:
        return (
            not self.opposed.isdisjoint(other.bases)
            or other.word in self.bare
            or self.word in other.bare
        )


def are_opposite(one: str, other: str) -> bool:
    """Whether two caseless words say the contrary: `enabled`, `disables`; `safe`, `unsafe`."""
    return _facing(one).faces(_facing(other))


def opposed(ones: Sequence[str], others: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of a word of each that say the contrary, in their order; each word at most once."""
    free = [_facing(word) for word in others]
    found = []
    for one in map(_facing, ones):
        other = next((other for other in free if one.faces(other)), None)
        if other is not None:
            found.append((one.word, other.word))
            free.remove(other)
    return found


def _facing(word: str) -> _Facing:
    known = bases(word)
    return _Facing(
        word,
        known,
        frozenset().union(*(_OPPOSED.get(base, ()) for base in known)),
        frozenset(
            word[len(prefix) :]
            for prefix in _PREFIXES
            if word.startswith(prefix) and len(word) > len(prefix) + _SHORT
        ),
    )
