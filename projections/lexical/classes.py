"""Character classes of the scripts, as the inside of a regular expression's brackets.

Python's `\\w` leaves out marks, so that it would cut Tamil and Hindi at every vowel sign; the
classes here are made from the general categories of Unicode instead.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PLANES: Final = 0x20000
"""Beyond it lie ideographs only, which are listed, and tags and selectors, which are invisible."""

_CJK: Final = (
    (0x1100, 0x11FF),  # Hangul letters that NFKC could not compose
    (0x2E80, 0x2FDF),  # radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3041, 0x309A),  # Hiragana
    (0x309D, 0x309F),
    (0x30A1, 0x30FA),  # Katakana, without its middle dot, which separates
    (0x30FC, 0x30FF),
    (0x3105, 0x318E),  # Bopomofo, Hangul letters
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),  # ideographs
    (0xA000, 0xA48C),  # Yi
    (0xA960, 0xA97C),
    (0xAC00, 0xD7FB),  # Hangul syllables
    (0xF900, 0xFAFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x323AF),
)
_CLUSTERED: Final = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19DF),  # Tai Le, New Tai Lue
    (0x1A20, 0x1AAF),  # Tai Tham
    (0xA9E0, 0xA9FF),  # Burmese, extended
    (0xAA60, 0xAADF),  # Burmese, extended; Tai Viet
)
_EMOJI: Final = (0x1F000, 0x1FAFF)  # the whole plane, for emoji newer than Python's tables
_ASCII: Final = (0x00, 0x7F)
_DRAWING: Final = (0x2500, 0x259F)  # lines of tables: no words, and there are many of them

# One letter for what a code point is to us.
_WORD, _MARK, _CLUSTER, _CLUSTER_MARK, _SYMBOL, _NEITHER = "WMCKS "
_ROLES: Final = {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Pc"), _WORD),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("So", "Sc", "Sm"), _SYMBOL),
}


def _changed(roles: str, block: tuple[int, int], new: dict[str, str]) -> str:
    start, last = block
    inside = "".join([new.get(role, role) for role in roles[start : last + 1]])
    return roles[:start] + inside + roles[last + 1 :]


def _all_roles() -> str:
    categories = map(unicodedata.category, map(chr, range(_PLANES)))
    roles = "".join([_ROLES.get(category, _NEITHER) for category in categories])
    for block in _CJK[:-1]:
        roles = _changed(roles, block, {_WORD: _NEITHER, _MARK: _NEITHER, _SYMBOL: _NEITHER})
    for block in _CLUSTERED:
        roles = _changed(roles, block, {_WORD: _CLUSTER, _MARK: _CLUSTER_MARK, _SYMBOL: _NEITHER})
    for digit in re.finditer(_CLUSTER, roles):
        if chr(digit.start()).isdecimal():  # numbers are words in every script
            roles = _changed(roles, (digit.start(), digit.start()), {_CLUSTER: _WORD})
    roles = _changed(roles, _EMOJI, dict.fromkeys((_NEITHER, _WORD), _SYMBOL))
    for block in (_ASCII, _DRAWING):
        roles = _changed(roles, block, {_SYMBOL: _NEITHER})
    return roles


def _spelled(ranges: list[tuple[int, int]]) -> str:
    return "".join(f"\\U{start:08x}-\\U{last:08x}" for start, last in ranges)


def _having(roles: str, wanted: str) -> str:
    return _spelled([(m.start(), m.end() - 1) for m in re.finditer(f"[{wanted}]+", roles)])


_FOUND: Final = _all_roles()

CJK: Final = _spelled(list(_CJK))
"""Chinese, Japanese and Korean letters."""

CLUSTERED: Final = _having(_FOUND, _CLUSTER + _CLUSTER_MARK)
"""Letters and marks of the other scripts that put no space between words."""

CLUSTER_MARKS: Final = _having(_FOUND, _CLUSTER_MARK)

WORD: Final = _having(_FOUND, _WORD + _MARK)
"""Letters, marks, numbers and the underscore of all scripts that do."""

SYMBOL: Final = _having(_FOUND, _SYMBOL)
"""Emoji and other symbols beyond ASCII."""

MARKS: Final = _having(_FOUND, _MARK + _CLUSTER_MARK)
"""Marks of all scripts."""
