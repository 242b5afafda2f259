"""What one word of a text is: a name or not, by its letters, its capitals and its neighbours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from domain.bundles import word_lists as lists
from domain.bundles.quantities import (
    BEFORE_ORDINALS,
    BEFORE_UNITS,
    CALENDAR,
    FIGURES,
    UNITS,
    measured,
    number_key,
)
from domain.bundles.term_kinds import Kind, Term
from domain.bundles.wording import caseless

_POSSESSIVE: Final = re.compile(r"'(?:s|re|ve|ll|d|m)?$|(?<=[A-Z][A-Z])s$")
# Of French and Italian: l'API, d'un, n'est, qu'il, dell'utente. O'Brien and I'm are others.
_ELIDED: Final = re.compile(r"(?:[cdjlmnst]|qu|(?:d|n|s)?all|dell|nell|sull|un)'(?=\w{2})")
_ADVERBS: Final = frozenset({"first", "last"})  # an ordinal only behind an article
_HEX: Final = re.compile(r"[0-9a-f]{7,64}")
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_IN_WORDS: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Cf"})
"""Of scripts that join or part letters by invisible characters, too."""


class Context(NamedTuple):
    """What capitals and Latin letters tell in a text."""

    capitals: Kind
    shouted: bool
    latin_is_foreign: bool
    opens_with_name: bool


def context_of(plain: str, signs: int, *, is_scope: bool) -> Context:
    """What the letters of a whole text tell; `signs` are those of scripts without blanks.

    In a heading, most words of which have capitals, and in a text all in capitals they tell
    nothing. In German every noun has one.
    """
    words = plain.split()
    later = [word for word in words[1:] if word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in later)
    german = sum(caseless(word) in lists.GERMAN for word in words) > 1
    heading = len(later) > 3 and capitals * 3 > len(later) * 2
    told = Kind.WORD if heading else Kind.LABEL if german else Kind.NAME
    latin = len(_LATIN.findall(plain))
    others = sum(map(str.isalpha, plain)) - latin + 2 * signs  # a sign is worth three letters
    return Context(told, plain.isupper(), others > latin, is_scope)


def terms_of_chunk(chunk: str, previous: str, context: Context, *, starts: bool) -> Iterator[Term]:
    """The term that is written without a blank, or two where a number has its unit with it.

    `previous` is the form of the term before; `starts` says that a sentence begins here.
    """
    form = caseless(chunk)
    together = measured(form)
    if together is not None:
        yield Term(number_key(together[0]), Kind.NAME)
        yield Term(UNITS[together[1]], Kind.NAME)
    elif form in UNITS and (previous[-1:].isdigit() or previous in BEFORE_UNITS):
        yield Term(UNITS[form], Kind.NAME)
    elif form.endswith("n't"):
        yield Term("not", Kind.NEGATION)
    elif elided := _ELIDED.match(form):
        if elided.group() == "n'":
            yield Term("ne", Kind.NEGATION)
        yield from terms_of_chunk(chunk[elided.end() :], previous, context, starts=starts)
    else:
        yield _term(_POSSESSIVE.sub("", chunk), previous, context, starts=starts)


def _term(chunk: str, previous: str, context: Context, *, starts: bool) -> Term:
    form = caseless(chunk)
    if form in FIGURES and not (form in _ADVERBS and previous not in BEFORE_ORDINALS):
        return Term(FIGURES[form], Kind.NAME)
    kind = None if _is_capital_name(chunk, form, context, starts=starts) else _listed(form)
    if kind is not None:
        return Term(form, kind)
    if form in CALENDAR:
        return Term(form, Kind.NAME)
    if not _is_word(chunk):
        hyphened = all(part.isalpha() and part.islower() for part in chunk.split("-"))
        return Term(number_key(form), Kind.LABEL if hyphened else Kind.NAME)
    return Term(form, _kind_of_word(chunk, form, context, starts=starts))


def _is_capital_name(chunk: str, form: str, context: Context, *, starts: bool) -> bool:
    """`IT`, and within a sentence `A` and `Will`: function words but for their capitals."""
    if context.shouted or context.capitals is Kind.WORD:
        return False
    if len(chunk) > 1 and chunk.isupper():
        return form in lists.CAPITAL_NAMES
    english = context.capitals is Kind.NAME
    return english and not starts and chunk[0].isupper() and form in lists.INITIAL_NAMES


def _listed(form: str) -> Kind | None:
    if form in lists.NEGATIONS:
        return Kind.NEGATION
    if form in lists.PERMISSIONS:
        return Kind.PERMISSION
    if form in lists.DIRECTIONS:
        return Kind.DIRECTION
    return Kind.FUNCTION if form in lists.FUNCTION_WORDS else None


def _kind_of_word(chunk: str, form: str, context: Context, *, starts: bool) -> Kind:
    foreign = context.latin_is_foreign and _LATIN.match(chunk)
    if foreign or _HEX.fullmatch(form):
        return Kind.NAME
    if context.shouted or not any(char.isupper() for char in chunk):
        return Kind.WORD
    if any(char.isupper() for char in chunk[1:]):
        return Kind.NAME
    if starts and context.opens_with_name:
        return Kind.LABEL
    if starts:
        return Kind.WORD if form in lists.IMPERATIVES else Kind.SUBJECT
    return context.capitals


def _is_word(chunk: str) -> bool:
    """Letters, marks, joiners and apostrophes alone."""
    letters = chunk.replace("'", "")
    return bool(letters) and (
        letters.isalpha() or _IN_WORDS.issuperset(map(unicodedata.category, letters))
    )
