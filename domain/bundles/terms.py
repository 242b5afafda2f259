"""A text as a row of terms, each with what it is: a name, a word, a sign, a negation.

Words, numbers and names are cut at blanks, brackets, quotes and commas, so that whatever holds
together in writing is one term: a path, an address, a version, a flag. Scripts without blanks are
cut into signs, and their neighbours are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from domain.bundles import word_lists as lists
from domain.bundles.classing import Context, context_of, terms_of_chunk
from domain.bundles.term_kinds import Kind, Term
from domain.bundles.wording import spelled

_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48c\ua960-\ua97c\uac00-\ud7fb"
    "\uf900-\ufaff\U00020000-\U000323af"
)
_CLUSTERED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_SIGNS: Final = _CJK + _CLUSTERED
_SIGN_RUN: Final = re.compile(f"[{_SIGNS}]+")
_SEPARATORS: Final = r"\s()\[\]{}\"`,;\u2026\u3000-\u3004\u3008-\u3020\u30fb"
_PIECE: Final = re.compile(rf"(?P<signs>[{_SIGNS}]+)|(?:[^{_SEPARATORS}{_SIGNS}]|(?<=\d),(?=\d))+")
_QUOTED: Final = re.compile(
    r"`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)|\u300c([^\u300d]+)\u300d"
)
_EMPHASIS: Final = re.compile(r"(\*{1,2})(\w.*)\1")
_LEADING: Final = "\u00a1\u00bf,;:?'"
_TRAILING: Final = ".,:;!?'"
_ENDS_SENTENCE: Final = frozenset(".!?:\u3002")
_DASHES: Final = frozenset("-\u2022\u00b7")


def terms_of(text: str, *, is_scope: bool = False) -> tuple[Term, ...]:
    """The terms of a text in its order; a scope that names no part has none.

    A scope is no sentence, so that a capital at its beginning is more than the beginning.
    """
    plain = spelled(text)
    signs = sum(map(len, _SIGN_RUN.findall(plain)))
    context = context_of(plain, signs, is_scope=is_scope)
    terms = tuple(_terms(plain, context))
    return () if is_scope and _is_general(terms) else _without_denied_permissions(terms)


def _terms(plain: str, context: Context) -> Iterator[Term]:
    previous, run, starts = "", 0, True
    for segment, quoted in _segments(plain):
        if quoted and not any(char.isalnum() for char in segment):
            yield Term(segment.strip(), Kind.NAME)
            continue
        for match in _PIECE.finditer(segment):
            piece = match.group()
            if match.lastgroup == "signs":
                run += 1
                counts = match.start() > 0 and segment[match.start() - 1].isdecimal()
                yield from _signs(piece, run, named=quoted, counts=counts)
                previous, starts = piece, False
                continue
            chunk = piece if quoted else _trimmed(piece)
            if not quoted and (_DASHES.issuperset(chunk) or (starts and chunk == "*")):
                yield Term(chunk, Kind.FUNCTION)
            else:
                for term in terms_of_chunk(chunk, previous, context, starts=starts):
                    yield Term(term.form, Kind.NAME) if quoted else term
                    previous = term.form
                starts = False
            starts = starts or piece[-1] in _ENDS_SENTENCE


def _trimmed(piece: str) -> str:
    """Without the punctuation and emphasis of a sentence; `./...` and `..` are no words in one."""
    rest = piece.lstrip(_LEADING)
    core = rest.rstrip(_TRAILING)
    rest = core if core and core[-1] not in "/\\" else rest
    emphasis = _EMPHASIS.fullmatch(rest)
    return emphasis.group(2) if emphasis else rest


def _segments(plain: str) -> Iterator[tuple[str, bool]]:
    """The text in its order, cut at what stands in quotes; whether a piece does."""
    start = 0
    for match in _QUOTED.finditer(plain):
        yield plain[start : match.start()], False
        yield match.group(match.lastindex or 0), True
        start = match.end()
    yield plain[start:], False


def _signs(run: str, number: int, *, named: bool, counts: bool) -> Iterator[Term]:
    """One term a sign; figures and the unit behind one are names, and what negates is counted."""
    for place, sign in enumerate(run):
        if named or sign.isnumeric() or (counts and place == 0):
            yield Term(str(unicodedata.decimal(sign, sign)), Kind.NAME, number)
        elif sign in lists.NEGATED_SIGNS:
            yield Term(sign, Kind.NEGATION, number)
        else:
            yield Term(sign, Kind.SIGN, number)
    negated = sum(map(run.count, lists.NEGATED_PIECES)) + (run == lists.NEGATED_RUN)
    permitted = sum(map(run.count, lists.PERMITTED_PIECES)) + (run == lists.PERMITTED_RUN)
    yield from [Term("", Kind.NEGATION, number)] * negated
    yield from [Term("", Kind.PERMISSION, number)] * permitted


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
