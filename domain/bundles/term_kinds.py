"""What the terms of a wording are for a comparison."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a term is for a comparison.

    `NAME`: an identifier, number, version, unit, day or name, which must agree. `LABEL`: perhaps a
    name: words with a hyphen, nouns of German, the first word of a scope. `SUBJECT`: the first
    word of a sentence, where it is no order. `WORD` and `SIGN`: other content. The others may come
    and go, but a direction keeps its place, and negations and permissions are counted.
    """

    NAME = "name"
    LABEL = "label"
    SUBJECT = "subject"
    WORD = "word"
    SIGN = "sign"
    DIRECTION = "direction"
    FUNCTION = "function"
    NEGATION = "negation"
    PERMISSION = "permission"


class Term(NamedTuple):
    """`form` is caseless; equal forms are one term. `run` numbers the runs of signs."""

    form: str
    kind: Kind
    run: int = 0
