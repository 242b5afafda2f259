"""Forms of one word: as it was written without regard to case, its stem, its folded form."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from whoosh.lang.porter2 import stem as _porter2

from projections.lexical.irregular import BASE_FORMS
from projections.lexical.parameters import CACHED_WORDS

# Letters that Unicode does not take apart into a plain one and a mark, and Arabic spellings that
# writers use for one another.
_LETTERS: Final = str.maketrans(
    {
        "\u00f8": "o",
        "\u0142": "l",
        "\u0111": "d",
        "\u00f0": "d",
        "\u0127": "h",
        "\u0167": "t",
        "\u0131": "i",
        "\u00e6": "ae",
        "\u0153": "oe",
        "\u00fe": "th",
        "\u0649": "\u064a",  # alef maksura, Persian yeh: yeh
        "\u06cc": "\u064a",
        "\u06a9": "\u0643",  # Persian keheh: kaf
        "\u0629": "\u0647",  # teh marbuta: heh
        "\u0671": "\u0627",  # alef wasla: alef
        "\u0640": None,  # the stroke that lengthens a word
    }
)
_SHORT_I: Final = "\u0439"  # a letter of its own, not an i with a mark
# Hindi writes a nasal before a consonant of its row as that letter or as a point (anusvara).
_NASAL: Final = re.compile(
    "\u0919\u094d(?=[\u0915-\u0919])|\u091e\u094d(?=[\u091a-\u091e])|\u0923\u094d(?=[\u091f-\u0923])"
    "|\u0928\u094d(?=[\u0924-\u0928])|\u092e\u094d(?=[\u092a-\u092e])|\u0901"
)
_ANUSVARA: Final = "\u0902"
_VIRAMA: Final = 9  # combining class: it joins consonants of Indic scripts, so it is spelling
_CONTRACTED: Final = re.compile(r"(.+)'(?:s|re|ve|ll|d|m)")


def exact(word: str) -> str:
    """The word without regard to case; one form for NFC and NFD."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word.casefold())


def folded(word: str) -> str:
    """An `exact` word without accents and points, with one spelling of nasals, digits in ASCII.

    Marks of combining class 0 (vowel signs of Indic scripts) and the virama are spelling and stay.
    """
    if word.isascii():
        return word
    plain = []
    for char in word:
        if char == _SHORT_I:
            plain.append(char)
        elif char.isdecimal():
            plain.append(str(unicodedata.decimal(char)))
        else:
            taken_apart = unicodedata.normalize("NFKD", char)
            plain += [c for c in taken_apart if unicodedata.combining(c) in {0, _VIRAMA}]
    letters = unicodedata.normalize("NFC", "".join(plain)).translate(_LETTERS)
    return _NASAL.sub(_ANUSVARA, letters)


@lru_cache(CACHED_WORDS)
def stem(word: str) -> str:
    """The Porter2 stem of an `exact` or `folded` word in ASCII letters; any other is returned.

    That of an irregular form is the stem of its word: bought has the stem of buy.
    """
    if not word.isascii() or not word.isalpha():
        return word
    return str(_porter2(BASE_FORMS.get(word, word)))


def uncontracted(word: str) -> str:
    """An `exact` word without 's, 're, 've, 'll, 'd or 'm at its end."""
    match = _CONTRACTED.fullmatch(word)
    return match.group(1) if match else word
