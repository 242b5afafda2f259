"""Whether what stands where a secret would stand is one: values, references to them, and prose.

There is no telling a password from a word. What is decided here is decided by how people write:
words, identifiers, versions and units are ordinary; letters mixed with digits, capitals within a
word and signs are not. Where both may be meant, the name beside it decides (secret_names.py).
"""

from __future__ import annotations

import re
from typing import Final

from domain.bundles.secret_words import ENDINGS, FUNCTION_WORDS, NOT_SECRET_WORDS

PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z0-9_]{1,40}\]")

_BRACKETED: Final = re.compile(r"<.*>|\$?\{.*\}|\$\(.*\)|%.*%|\[.*\]|\(.*\)|__.*__", re.DOTALL)
_VARIABLE: Final = re.compile(
    r"\$(?:env:)?(?:[A-Z_][A-Z0-9_]*|[a-z_]+)|\$\{\{?.*\}|!\w+", re.DOTALL
)
_TEMPLATES: Final = ("${", "{{", "$(", "#{", "%{", "<%")
_MASK: Final = re.compile(r"(?:[*•·#_?.…-]|[xX](?=[xX*.]|$))+")
_STAND_IN: Final = re.compile(
    r"(?:your|my|the|some|insert|enter|add|put|replace|example|sample|dummy|fake|test)"
    r"(?:[-_ ][A-Za-z]+){1,8}",
    re.IGNORECASE,
)
_DOTTED: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+")
_CALL: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[(\[]")
_PATH: Final = re.compile(
    r"(?:~|\.{1,2})?(?:/[\w.@ +-]+){2,}/?|[A-Za-z]:(?:[\\/]{1,8}[\w.@ +-]+)+|[\w.-]+:/\S*|~/\S+"
)
_WORD_OF_NAMES: Final = re.compile(
    r"pass|passwd|password|passphrase|pwd|secret|token|key|credential|credentials|auth",
    re.IGNORECASE,
)
_PIECES: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# Letters with digits that name a technique, a version, a size or a time.
_TECHNICAL: Final = re.compile(
    r"(?:sha|md|aes|rsa|hmac|hs|rs|es|ps|utf|base|crc|des|rc|rfc|iso|oauth|oidc|saml|http|ipv|ed|p"
    r"|x|v|ec|s|k|argon|bcrypt|scrypt|pbkdf|totp|sha3|i|l|a|tls|ssl|ntlm|node|python|py|go|java)"
    r"[0-9]{1,5}[a-z]{0,3}"
    r"|[0-9]{1,5}(?:st|nd|rd|th|s|ms|min|mins|h|hr|hrs|d|days?|w|m|y|k|kb|mb|gb|kib|mib|x|px|bit"
    r"|bits|byte|bytes|chars?|characters?|digits?)",
    re.IGNORECASE,
)
_SIGNS: Final = re.compile(r"[!@#$%^&*+=~|?\\]")
_DIGIT: Final = re.compile(r"[0-9]")
_LETTER: Final = re.compile(r"[^\W\d_]")
_CLASS_RUNS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^A-Za-z0-9]+")
_SEPARATORS: Final = re.compile(r"[-_./: ,;]+")


def is_reference(value: str) -> bool:
    """Whether a value only says where a secret is to be found, or that one belongs there."""
    bare = value.strip()
    if not bare or PLACEHOLDER.fullmatch(bare) or _MASK.fullmatch(bare):
        return True
    if bare.startswith(_TEMPLATES) or _VARIABLE.fullmatch(bare) or _CALL.match(bare):
        return True
    if _BRACKETED.fullmatch(bare) or _STAND_IN.fullmatch(bare):
        return not mixed(bare.strip("<>{}$()%[]_"))
    if _DOTTED.fullmatch(bare) or _PATH.fullmatch(bare):
        return not any(scrambled(part) for part in re.split(r"[./\\]", bare))
    return _names_a_secret(bare)


def _names_a_secret(bare: str) -> bool:
    """An identifier such as db_password or userToken: the name of a variable, not its value."""
    if not bare.isidentifier() or len(bare) > 60:
        return False
    pieces = _PIECES.findall(bare)
    return all(piece.isalpha() for piece in pieces) and any(
        _WORD_OF_NAMES.fullmatch(piece) for piece in pieces
    )


def scrambled(value: str) -> bool:
    """Whether a part of it is no word in any spelling: it goes to and fro between classes.

    The classes are small letters, capitals and digits; a capital that begins a word counts once
    with it. Three changes and a digit, or a change at every third letter, in at least 8 characters.
    """
    return any(len(part) >= 8 and _changes(part) for part in _SEPARATORS.split(value))


def _changes(part: str) -> bool:
    changes = len(_CLASS_RUNS.findall(part)) - 1
    return changes >= 3 if _DIGIT.search(part) else changes >= max(4, len(part) // 3)


def mixed(value: str) -> bool:
    """Whether it is more than words: a part mixes letters with digits, or a sign stands in it."""
    if _SIGNS.search(value.strip("!?.,;:")):
        return True
    parts = [part for part in _SEPARATORS.split(value) if part]
    if any(_is_mixed(part) for part in parts):
        return True
    return len(parts) > 2 and sum(part[0].isupper() for part in parts) == len(parts)


def _is_mixed(part: str) -> bool:
    if _LETTER.search(part) and _DIGIT.search(part):
        return not _TECHNICAL.fullmatch(part)
    return scrambled(part)


def like_a_key(value: str) -> bool:
    """What keys and tokens look like: scrambled, or long without being words; never a short name.

    A letter or two digits at the end of a word are a name (`step12`), and so is a version.
    """
    if len(value) < 8:
        return False
    if scrambled(value):
        return True
    parts = [part for part in _SEPARATORS.split(value) if part]
    if any(len(part) >= 20 for part in parts):
        return True
    return any(_is_mixed(part) and not _NUMBERED.fullmatch(part) for part in parts)


_NUMBERED: Final = re.compile(r"[A-Za-z]+[0-9]{1,2}|[A-Z]{2,6}[0-9]{1,6}")


def is_prose(value: str) -> bool:
    """Whether several words are a sentence about a password, and not a passphrase."""
    words = value.lower().split()
    said = len(words) > 8 or any(word in FUNCTION_WORDS for word in words)
    return len(words) > 1 and said and not any(mixed(word) for word in value.split())


def is_said_of_passwords(word: str) -> bool:
    """Whether a word says what a password is like, or what is done with it."""
    bare = word.strip(".,;:!?()[]{}\"'`").lower()
    parts = re.split(r"[-_/]", bare)
    return any(part in NOT_SECRET_WORDS or part.endswith(ENDINGS) for part in parts)
