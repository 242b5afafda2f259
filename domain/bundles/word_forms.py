"""Forms of one English word: `merges`, `merged` and `merging` are forms of `merge`.

A stemmer maps each word to one stem and by that unites words that have nothing in common (`plan`
and `plane`). Here a word has all the words that it may be a form of, and two words are one where
they share one: plurals as in Harman, "How effective is suffixing?" (JASIS 42, 1991), and the
endings -ed and -ing. Irregular forms and derived words are other words, and somebody is asked.
"""

from __future__ import annotations

import re
from typing import Final

_REGULAR: Final = re.compile(r"[a-z]{4,40}")
_VOWEL: Final = re.compile(r"[aeiouy]")
_SIBILANT: Final = ("ches", "oes", "shes", "sses", "xes", "zes")
_NO_PLURAL: Final = ("is", "ss", "us")
_SHORTEST: Final = 3


def bases(word: str) -> frozenset[str]:
    """The words that a caseless word may be a form of, itself among them."""
    if not _REGULAR.fullmatch(word):
        return frozenset({word})
    found = {word}
    if word.endswith("ies"):
        found.add(word[:-3] + "y")
    elif word.endswith("s") and not word.endswith(_NO_PLURAL) and _VOWEL.search(word):
        found.add(word[:-1])  # `https` is no plural
        if word.endswith(_SIBILANT):
            found.add(word[:-2])
    elif word.endswith("ied"):
        found.add(word[:-3] + "y")
    elif word.endswith("ed") and not word.endswith("eed"):
        found |= _verbs(word[:-2])
    elif word.endswith("ing"):
        found |= _verbs(word[:-3])
    return frozenset(one for one in found if len(one) >= _SHORTEST)


def _verbs(rest: str) -> set[str]:
    """What may have lost its -e or doubled its last letter before an ending."""
    if not _VOWEL.search(rest):
        return set()
    doubled = len(rest) > _SHORTEST and rest[-1] == rest[-2]
    return {rest, rest + "e", *({rest[:-1]} if doubled else ())}
