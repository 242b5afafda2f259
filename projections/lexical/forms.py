"""Terms of one piece of text: the exact form first, then whatever else it may be found by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from whoosh.lang.stopwords import stoplists

from projections.lexical import folding
from projections.lexical.identifiers import is_plain, joined, parts
from projections.lexical.parameters import (
    CACHED_WORD_CHARS_MAX,
    CACHED_WORDS,
    EXACT,
    FOLDED,
    INFLECTED,
    PART,
    STEM,
    UNIGRAM,
    Weight,
)
from projections.lexical.scripts import Piece, Script, clusters

# The list has tails of contractions, which are no words here: 's, 't, and don, which is a name.
STOP_WORDS: Final = frozenset(stoplists["en"]) - {"s", "t", "don"}
_FLAG_LETTERS: Final = ("\U0001f1e6", "\U0001f1ff")
_NO_PICTURE: Final = frozenset("\u200d\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")


class Form(NamedTuple):
    """A term and its weights; `common` where it is a word of the stop list."""

    text: str
    weight: Weight
    common: bool = False


def forms_of(piece: Piece) -> Iterable[Form]:
    """The forms of a piece, in one order for documents and queries; each term of a word once."""
    if piece.script is Script.CJK:
        return _run(piece.text)
    if piece.script is Script.CLUSTERED:
        return _run(clusters(piece.text))
    if len(piece.text) > CACHED_WORD_CHARS_MAX:
        return _distinct(_forms(piece))
    return _cached(piece)


def forget_cached_words() -> None:
    """Drop the words kept for speed: after an erasure no text may be left in memory."""
    _cached.cache_clear()
    folding.stem.cache_clear()


@lru_cache(CACHED_WORDS)
def _cached(piece: Piece) -> tuple[Form, ...]:
    return _distinct(_forms(piece))


def _distinct(forms: Iterable[Form]) -> tuple[Form, ...]:
    first: dict[str, Form] = {}
    for form in forms:
        first.setdefault(form.text, form)
    return tuple(first.values())


def _run(letters: str | list[str]) -> Iterator[Form]:
    if len(letters) == 1:
        yield Form(letters[0], EXACT)
        return
    for one, next_one in pairwise(letters):
        yield Form(one + next_one, EXACT)
        yield Form(one, UNIGRAM)
    yield Form(letters[-1], UNIGRAM)


def _forms(piece: Piece) -> Iterator[Form]:
    if piece.script is Script.SYMBOL:
        return _symbol(piece.text)
    word = piece.text
    whole = folding.exact(word)
    without = folding.uncontracted(whole)
    if without != whole and len(whole) == len(word):  # Anna's is Anna
        word, whole = word[: len(without)], without
    if whole.endswith("n't"):
        return _negation(whole)
    return _plain(whole) if is_plain(word) else _compound(word, whole)


def _symbol(text: str) -> Iterator[Form]:
    yield Form(text, EXACT)
    if not _FLAG_LETTERS[0] <= text[0] <= _FLAG_LETTERS[1]:
        yield from (Form(picture, PART) for picture in text if picture not in _NO_PICTURE)


def _plain(whole: str) -> Iterator[Form]:
    common = whole in STOP_WORDS
    plain = folding.folded(whole)
    stem = folding.stem(plain)
    if plain != whole:
        yield Form(whole, EXACT, common)
        yield Form(stem, FOLDED, common)
    elif stem != whole:
        yield Form(whole, INFLECTED, common)
        yield Form(stem, STEM, common)
    else:
        yield Form(whole, EXACT, common)


def _negation(whole: str) -> Iterator[Form]:
    verb = whole.removesuffix("n't")
    common = verb in STOP_WORDS or verb + "n" in STOP_WORDS  # do not, can not
    yield Form(whole, EXACT, common)
    yield Form(whole.replace("'", ""), FOLDED, common)


def _compound(word: str, whole: str) -> Iterator[Form]:
    yield Form(whole, EXACT)
    yield Form(folding.folded(whole), FOLDED)
    together = joined(word)
    for part in [*parts(word), *([together] if together else [])]:
        written = folding.exact(part)
        common = written in STOP_WORDS
        yield Form(folding.stem(written), PART, common)
        yield Form(folding.stem(folding.folded(written)), PART, common)
