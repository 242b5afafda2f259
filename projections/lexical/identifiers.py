"""Parts of a word that is more than letters: paths, addresses, versions, names in code.

`PostgreSQL-17` has the parts PostgreSQL, Postgre, SQL and 17; `docs.example.com/atlas/42` has
docs.example.com, example.com, docs, example, com, atlas and 42.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from projections.lexical.parameters import LABELS_MAX, RUNS_MAX
from projections.lexical.scripts import JOINERS

_SEGMENTS: Final = re.compile(r"[/\\?&=#:@%~+]+")
_ATOMS: Final = re.compile(rf"[{JOINERS}_]+")
_HYPHENS: Final = re.compile(r"[-_'\u00b7\u05f4]")
_RUNS: Final = re.compile(r"\d+|\D+")
_NUMBERS: Final = re.compile(r"\d+(?:[.-]\d+)+")
_CAMEL: Final = re.compile(
    r"(?<=[a-z\u00df-\u00ff])(?=[A-Z\u00c0-\u00de])|(?<=[A-Z])(?=[A-Z][a-z])"
)


def is_plain(word: str) -> bool:
    """Whether the word, in its writer's case, has no parts: letters alone, or digits alone."""
    if not word.isalpha() and (_ATOMS.search(word) or len(_RUNS.findall(word)) > 1):
        return False
    return _CAMEL.search(word) is None


def parts(word: str) -> list[str]:
    """Parts of a word, in the writer's case, without repeats and without the word itself."""
    found: dict[str, None] = {}
    for segment in filter(None, _SEGMENTS.split(word)):
        found.update(dict.fromkeys(_segment(segment)))
    found.pop(word, None)
    return list(found)


def joined(word: str) -> str | None:
    """`wi-fi` as wifi, `get_user` as getuser, `555-01` as 55501, `U.S.A` as USA; else None."""
    plain = _HYPHENS.sub("", word)
    if "." in plain and all(len(label) == 1 for label in plain.split(".")):
        plain = plain.replace(".", "")
    if plain == word or _ATOMS.search(plain):
        return None
    return plain


def _segment(segment: str) -> list[str]:
    """Parts of one step of a path: whole, without first labels, its version or date, its atoms."""
    found = [segment.strip("."), *_NUMBERS.findall(segment)]
    labels = segment.split(".")
    if 2 < len(labels) <= LABELS_MAX and all(label[:1].isalpha() for label in labels):
        found += [".".join(labels[i:]) for i in range(1, len(labels) - 1)]
    for atom in filter(None, _ATOMS.split(segment)):
        found += _atom(atom)
    return found


def _atom(atom: str) -> list[str]:
    """An atom whole, and cut where digits, letters and upper case begin.

    More than `RUNS_MAX` changes between letters and digits make it a hash or a key, whose pieces
    mean nothing.
    """
    runs = _RUNS.findall(atom)
    if len(runs) > RUNS_MAX:
        return [atom]
    return [atom, *runs, *itertools.chain.from_iterable(map(_CAMEL.split, runs))]
