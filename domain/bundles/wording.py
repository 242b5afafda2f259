"""What a takeaway says, and when two wordings are the same (docs/spec/bundle.md §4.5).

Equal are wordings that differ by nothing but case, blanks, normal form, and what a keyboard or an
editor makes of the same character: typographic quotes and dashes, letters and digits of full or
half width, presentation forms, invisible characters, the full stop at the end. Nothing else is
folded. Above all NFKC is not applied: `x²` is not `x2`, and digits of other scripts, in circles or
above the line stay what they are. Only digits of full width become ASCII ones: they are the same
digits in another font.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

_WIDTHS_AND_FORMS: Final = ((0xFB00, 0xFDFF), (0xFE30, 0xFE4F), (0xFE70, 0xFEFE), (0xFF01, 0xFFEE))
_INVISIBLE: Final = (
    *(0x00AD, 0x034F, 0x061C, 0x200B, 0x200E, 0x200F, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_QUOTES: Final = {
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x201B, 0x02BC), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x201F, 0x00AB, 0x00BB), '"'),
}
_DASHES: Final = {
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2212), "-"),
    **dict.fromkeys((0x2014, 0x2015), " - "),  # it parts two thoughts, with blanks or without
}
_SPELLINGS: Final[dict[int, str | None]] = {
    **{
        code: unicodedata.normalize("NFKC", chr(code))
        for first, last in _WIDTHS_AND_FORMS
        for code in range(first, last + 1)
    },
    **dict.fromkeys(_INVISIBLE),
    **_QUOTES,
    **_DASHES,
    0x2026: "...",
    0x0149: "'n",  # an apostrophe in one letter: upper case takes it apart
}
# Upper case makes one letter of both i of Turkish, so that lower case cannot tell them apart.
_TURKISH: Final = (("i\u0307", "i"), ("\u0131", "i"))
_UNSPACED: Final = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
# Blanks beside Chinese and Japanese letters are typography: `使用 Redis` is `使用Redis`.
_TYPOGRAPHIC_BLANK: Final = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")
# A dot after a blank, a slash or another dot is a path: `git add .`, `go test ./...`.
_FULL_STOP: Final = re.compile(r"(?:(?<=[^\s./\\])\.|\u3002)$")


class Wording(NamedTuple):
    """The rule of a takeaway and where it holds; text in any language, as it was said."""

    rule: str
    scope: str


def wording_key(wording: Wording) -> str:
    """Equal for restatements and for nothing else: the rule, a line feed, the scope."""
    return f"{_key(wording.rule)}\n{_key(wording.scope)}"


def spelled(text: str) -> str:
    """The text in its own case, in one spelling: NFC, blanks single, quotes and dashes plain."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text).translate(_SPELLINGS)
        text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())


def caseless(text: str) -> str:
    """The text without regard to case, in NFC (The Unicode Standard, D145, and both i)."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())
    for written, letter in _TURKISH:
        folded = folded.replace(written, letter)
    return unicodedata.normalize("NFC", folded)


def _key(text: str) -> str:
    plain = _TYPOGRAPHIC_BLANK.sub("", caseless(spelled(text)))
    return _FULL_STOP.sub("", plain)
