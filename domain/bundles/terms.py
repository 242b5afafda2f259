"""A text as a row of terms, each with what it is: a name, a word, a sign, a negation.

Words, numbers and names are cut at blanks, brackets, quotes and commas, so that whatever holds
together in writing is one term: a path, an address, a version, a flag. Scripts without blanks are
cut into signs, and their neighbours are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from domain.bundles import word_lists as lists
from domain.bundles.quantities import BEFORE_UNITS, CALENDAR, FIGURES, UNITS, measured, number_key
from domain.bundles.wording import caseless, spelled

_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48c\ua960-\ua97c\uac00-\ud7fb"
    "\uf900-\ufaff\U00020000-\U000323af"
)
_CLUSTERED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_SIGNS: Final = _CJK + _CLUSTERED
_SEPARATORS: Final = r"\s()\[\]{}\"`,;\u2026\u3000-\u3004\u3008-\u3020\u30fb"
_PIECE: Final = re.compile(rf"(?P<signs>[{_SIGNS}]+)|(?:[^{_SEPARATORS}{_SIGNS}]|(?<=\d),(?=\d))+")
_QUOTED: Final = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|\u300c([^\u300d]+)\u300d"
)
_LEADING: Final = re.compile(r"^(?:[\u00a1\u00bf,;:?']+|\*+(?=\w))")
_TRAILING: Final = re.compile(r"(?<=[^\s./\\])[.,:;!?'\u2026]+$")
_EMPHASIS: Final = re.compile(r"(?<=\w)\*+$")
_ENDS_SENTENCE: Final = frozenset(".!?:\u3002")
_BULLETS: Final = frozenset("-\u2022\u00b7*")
_POSSESSIVE: Final = re.compile(r"'(?:s|re|ve|ll|d|m)?$|(?<=[A-Z][A-Z])s$")
_HEX: Final = re.compile(r"[0-9a-f]{7,64}")
_LATIN_LAST: Final = "\u024f"


class Kind(StrEnum):
    """What a term is for a comparison.

    `NAME`: an identifier, number, version, unit, day or name, which must agree. `LABEL`: perhaps a
    name: words with a hyphen, nouns of German, the first word of a scope. `WORD` and `SIGN`:
    content. The others may come and go, but a direction keeps its place, and negations and
    permissions are counted.
    """

    NAME = "name"
    LABEL = "label"
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


class _Context(NamedTuple):
    """What capitals and Latin letters tell in a text."""

    capitals: Kind
    shouted: bool
    latin_is_foreign: bool
    opens_with_name: bool


def terms_of(text: str, *, is_scope: bool = False) -> tuple[Term, ...]:
    """The terms of a text in its order; a scope that names no part has none.

    A scope is no sentence, so that a capital at its beginning is more than the beginning.
    """
    plain = spelled(text)
    context = _context(plain, is_scope=is_scope)
    terms = tuple(_terms(plain, context))
    return () if is_scope and _is_general(terms) else _without_denied_permissions(terms)


def _terms(plain: str, context: _Context) -> Iterator[Term]:
    previous, run, starts = "", 0, True
    for segment, quoted in _segments(plain):
        if quoted and not any(char.isalnum() for char in segment):
            yield Term(segment.strip(), Kind.NAME)
            continue
        for match in _PIECE.finditer(segment):
            piece = match.group()
            if match.lastgroup == "signs":
                run += 1
                yield from _signs(piece, run, quoted=quoted)
                previous, starts = piece, False
                continue
            chunk = _EMPHASIS.sub("", _TRAILING.sub("", _LEADING.sub("", piece)))
            if chunk and not (_BULLETS.issuperset(chunk) and not quoted):
                for term in _chunk(chunk, previous, context, starts=starts):
                    yield Term(term.form, Kind.NAME) if quoted else term
                    previous = term.form
                starts = False
            starts = starts or piece[-1] in _ENDS_SENTENCE


def _segments(plain: str) -> Iterator[tuple[str, bool]]:
    """The text in its order, cut at what stands in quotes; whether a piece does."""
    start = 0
    for match in _QUOTED.finditer(plain):
        yield plain[start : match.start()], False
        yield match.group(match.lastindex or 0), True
        start = match.end()
    yield plain[start:], False


def _signs(run: str, number: int, *, quoted: bool) -> Iterator[Term]:
    """One term a sign; figures are names, and what negates is counted."""
    for sign in run:
        if quoted or sign.isnumeric():
            yield Term(str(unicodedata.decimal(sign, sign)), Kind.NAME, number)
        elif sign in lists.NEGATED_SIGNS:
            yield Term(sign, Kind.NEGATION, number)
        else:
            yield Term(sign, Kind.SIGN, number)
    negated = sum(run.count(piece) for piece in lists.NEGATED_PIECES) + (run == "\uc548")
    yield from [Term("", Kind.NEGATION, number)] * negated


def _chunk(chunk: str, previous: str, context: _Context, *, starts: bool) -> Iterator[Term]:
    form = caseless(chunk)
    together = measured(form)
    if together is not None:
        yield Term(number_key(together[0]), Kind.NAME)
        yield Term(UNITS[together[1]], Kind.NAME)
    elif form in UNITS and (previous[-1:].isdigit() or previous in BEFORE_UNITS):
        yield Term(UNITS[form], Kind.NAME)
    elif form.endswith("n't"):
        yield Term("not", Kind.NEGATION)
    else:
        yield _term(_POSSESSIVE.sub("", chunk), context, starts=starts)


def _term(chunk: str, context: _Context, *, starts: bool) -> Term:
    form = caseless(chunk)
    if form in FIGURES:
        return Term(FIGURES[form], Kind.NAME)
    in_capitals = len(chunk) > 1 and chunk.isupper() and not context.shouted
    if not (in_capitals and form in lists.CAPITAL_NAMES):
        kind = _listed(form)
        if kind is not None and not (form == "a" and chunk == "A" and not starts):
            return Term(form, kind)
    if form in CALENDAR or not _is_word(chunk):
        hyphened = all(part.isalpha() and part.islower() for part in chunk.split("-"))
        return Term(number_key(form), Kind.LABEL if hyphened else Kind.NAME)
    return Term(form, _kind_of_word(chunk, form, context, starts=starts))


def _listed(form: str) -> Kind | None:
    if form in lists.NEGATIONS:
        return Kind.NEGATION
    if form in lists.PERMISSIONS:
        return Kind.PERMISSION
    if form in lists.DIRECTIONS:
        return Kind.DIRECTION
    return Kind.FUNCTION if form in lists.FUNCTION_WORDS else None


def _kind_of_word(chunk: str, form: str, context: _Context, *, starts: bool) -> Kind:
    latin = chunk[0] <= _LATIN_LAST
    if (latin and context.latin_is_foreign) or _HEX.fullmatch(form):
        return Kind.NAME
    if context.shouted or not any(char.isupper() for char in chunk):
        return Kind.WORD
    if any(char.isupper() for char in chunk[1:]):
        return Kind.NAME
    if starts:
        return Kind.LABEL if context.opens_with_name else Kind.WORD
    return context.capitals


def _is_word(chunk: str) -> bool:
    """Letters, marks and apostrophes alone."""
    letters = chunk.replace("'", "")
    return bool(letters) and (
        letters.isalpha() or all(unicodedata.category(char)[0] in "LM" for char in letters)
    )


def _context(plain: str, *, is_scope: bool) -> _Context:
    words = plain.split()
    later = [word for word in words[1:] if word[0].isalpha()]
    capitals = sum(word[0].isupper() for word in later)
    german = sum(caseless(word) in lists.GERMAN for word in words) > 1
    heading = len(later) > 3 and capitals * 3 > len(later) * 2
    told = Kind.WORD if heading else Kind.LABEL if german else Kind.NAME
    letters = [char for char in plain if char.isalpha()]
    latin = sum(char <= _LATIN_LAST for char in letters)
    signs = sum(len(run) for run in re.findall(f"[{_SIGNS}]+", plain))
    others = len(letters) - latin + 2 * signs  # a sign is worth three letters
    return _Context(told, plain.isupper(), others > latin, is_scope)


def _is_general(terms: tuple[Term, ...]) -> bool:
    signs = "".join(term.form for term in terms if term.kind is Kind.SIGN)
    for piece in lists.GENERAL_PIECES:
        signs = signs.replace(piece, "")
    return not signs and all(
        term.kind in {Kind.FUNCTION, Kind.DIRECTION, Kind.SIGN} or term.form in lists.GENERAL_SCOPE
        for term in terms
    )


def _without_denied_permissions(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """`may not` and `not allowed` are negations and nothing else."""
    beside = ((), *((term.kind,) for term in terms), ())
    return tuple(
        term
        for number, term in enumerate(terms)
        if term.kind is not Kind.PERMISSION
        or Kind.NEGATION not in {*beside[number], *beside[number + 2]}
    )
