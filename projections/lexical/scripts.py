"""Where words begin and end in each script: text in, pieces out.

A piece is a run of a script written without spaces (Chinese, Japanese, Korean; Thai, Lao,
Burmese, Khmer), a symbol or emoji, or a word with the punctuation inside it. User text is never
read as a query language: what is no part of a piece only separates.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from projections.lexical.classes import CJK, CLUSTER_MARKS, CLUSTERED, MARKS, SYMBOL, WORD
from projections.lexical.parameters import MARKS_MAX, PIECE_CHARS_MAX, SLICE_CHARS


class Script(StrEnum):
    """How a piece is cut into terms."""

    CJK = "cjk"
    CLUSTERED = "clustered"
    SYMBOL = "symbol"
    WORD = "word"


class Piece(NamedTuple):
    """A run of a text of one script, normalized, in its writer's upper and lower case."""

    script: Script
    text: str


JOINERS: Final = "._\\-/:@#+&'\u00b7\u05f4~%=?\\\\"
"""Punctuation that holds a word together where one stands alone between two word characters."""

_SKIN: Final = "\U0001f3fb-\U0001f3ff"
_FLAG: Final = "\U0001f1e6-\U0001f1ff"


def _word_of(letters: str) -> str:
    # .NET and #123 keep what they begin with, C++ and C# what they end with.
    return (
        rf"(?P<word>(?:(?<![\w.#])[.#](?=[{letters}]))?"
        rf"[{letters}]+(?:[{JOINERS}][{letters}]+)*(?:(?<=[A-Za-z])(?:\+\+?|\#)(?![\w+#]))?)"
    )


_PIECE: Final = re.compile(
    rf"{_word_of(WORD)}|(?P<cjk>[{CJK}]+)|(?P<clustered>[{CLUSTERED}]+)"
    rf"|(?P<symbol>[{_FLAG}]{{2}}|[{SYMBOL}][{_SKIN}]?(?:\u200d[{SYMBOL}][{_SKIN}]?){{0,9}})"
)
_ASCII_PIECE: Final = re.compile(_word_of("A-Za-z0-9_"))  # the same, three times as fast
_SCRIPTS: Final = {script.value: script for script in Script}
_JOINER: Final = re.compile(f"[{JOINERS}]")
# Burmese and Khmer stack the next base under the last one, after U+1039 or U+17D2.
_CLUSTER: Final = re.compile(
    rf"[{CLUSTERED}][{CLUSTER_MARKS}]*(?:(?<=[\u1039\u17d2])[{CLUSTERED}][{CLUSTER_MARKS}]*){{0,4}}"
)
# Putting marks into their canonical order takes time with the square of their number.
_MARKS_IN_EXCESS: Final = re.compile(rf"(?<=[{MARKS}]{{{MARKS_MAX}}})[{MARKS}]+")
_ONE_OF_MANY: Final = {
    **dict.fromkeys((0x2018, 0x2019, 0x02BC, 0x05F3), "'"),
    **dict.fromkeys((0x2010, 0x2011), "-"),
}
# Soft hyphen, writing directions, selectors, tags: no word differs by them. The two zero-width
# joiners are looked at later, since they make one emoji of several.
_INVISIBLE: Final = dict.fromkeys(
    (
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x200E, 0x200F, 0x3164, 0xFEFF),
        *range(0x180B, 0x180F),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE0080),
        *range(0xE0100, 0xE01F0),
    )
)
_CHARACTERS: Final = {**_INVISIBLE, **_ONE_OF_MANY}
_SPACE: Final = re.compile("[ \\t\\n\\r]")
_ZERO_WIDTH: Final = re.compile(rf"\u200c+|(?<![{SYMBOL}])\u200d+|\u200d+(?![{SYMBOL}])")


def normalize(text: str) -> str:
    """NFKC, without invisible characters, with one code point for all apostrophes and hyphens."""
    if text.isascii():
        return text
    text = _MARKS_IN_EXCESS.sub("", text)
    text = unicodedata.normalize("NFKC", text).translate(_CHARACTERS)
    return _ZERO_WIDTH.sub("", text) if "\u200c" in text or "\u200d" in text else text


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of a text, in order; never raises, whatever the characters.

    A word longer than `PIECE_CHARS_MAX` is text without spaces rather than a name: it is cut at
    its punctuation, so that nothing in it is lost and the work for one piece is bounded.
    """
    for slice_ in _slices(text):
        yield from _pieces(normalize(slice_))


def _slices(text: str) -> Iterator[str]:
    """A text cut behind spaces, so that who reads only its beginning pays only for that.

    No rule looks over a space, and no mark composes with one: the pieces are the same.
    """
    start = 0
    while len(text) - start > SLICE_CHARS:
        space = _SPACE.search(text, start + SLICE_CHARS)
        if space is None:
            break
        yield text[start : space.end()]
        start = space.end()
    yield text[start:] if start else text


def _pieces(text: str) -> Iterator[Piece]:
    for match in (_ASCII_PIECE if text.isascii() else _PIECE).finditer(text):
        found = match.group()
        script = _SCRIPTS[match.lastgroup or Script.WORD]
        if script is Script.WORD and len(found) > PIECE_CHARS_MAX:
            for part in filter(None, _JOINER.split(found)):
                yield Piece(script, part[:PIECE_CHARS_MAX])
        else:
            yield Piece(script, found)


def clusters(text: str) -> list[str]:
    """What a reader of Thai, Lao, Burmese or Khmer sees as one character: a base with its marks."""
    return _CLUSTER.findall(text)
