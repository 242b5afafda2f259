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
_SETTING: Final = re.compile(r"\$(?:env:)?[A-Z_][A-Z0-9_]*")
_VARIABLE: Final = re.compile(
    r"\$(?:env:)?(?:[A-Z_][A-Z0-9_]*|[a-z_]+)|\$\{\{?.*\}|!\w+", re.DOTALL
)
_TEMPLATES: Final = ("${", "{{", "$(", "#{", "%{", "<%")
_SHARE: Final = re.compile(r"[0-9]{1,3}(?:[.,][0-9]{1,4})?%")
_MASK: Final = re.compile(r"(?:[*•·#_?.…-]|[xX](?=[xX*.]|$))+")
_STAND_IN: Final = re.compile(
    r"(?:(?P<addressed>your|insert|enter|replace)"
    r"|my|the|some|add|put|example|sample|dummy|fake|test)(?:[-_ ][A-Za-z]+){1,8}",
    re.IGNORECASE,
)
_DOTTED: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+")
_DECORATOR: Final = re.compile(r"@[A-Za-z_.]+")
_NO_CODE: Final = re.compile(r"[!#%^~?;`\u00a7]|[({\[][?|+&]|\$(?![A-Za-z_{(])")
"""Signs that passwords have and calls do not, where no blank is around them."""
_CALL: Final = re.compile(r"[@(\[]?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)*[(\[]")
_PATH: Final = re.compile(
    r"(?:~|\.{1,2})?(?:/[\w.@ +-]+){2,}/?|[A-Za-z]:(?:[\\/]{1,8}[\w.@ +-]+)+|[A-Za-z][\w+.-]*://\S*|~/\S+"
)
_WORD_OF_NAMES: Final = re.compile(
    r"pass|passwd|password|passphrase|pwd|secret|token|key|credential|credentials|auth",
    re.IGNORECASE,
)
_TYPE: Final = re.compile(
    r"[A-Z]\w*(?:Key|Token|Password|Secret|Credential|Error|Exception)(?:s|Types?|Str)?"
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
_CLASS_RUNS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SIGNS_BETWEEN: Final = re.compile(r"[^A-Za-z0-9+]+")
_TITLE: Final = re.compile(r"[A-Z][a-z]+[0-9]*")
_INTERPOLATED: Final = re.compile(
    r"%(?:\(\w+\))?[sdrx](?![A-Za-z0-9])|\$?\{(?:[A-Za-z_]+|[A-Za-z_][\w ]*[.(\[|:!][^{}]*)\}"
)
_JUDGED_MAX: Final = 160
"""Characters of a value that are looked at: what is no word by then is none."""
_SEPARATORS: Final = re.compile(r"[-_./: ,;]+")


def is_reference(value: str, *, quoted: bool = False) -> bool:
    """Whether a value only says where a secret is to be found, or that one belongs there.

    In quotes a name is no variable: it may be the password itself.
    """
    bare = value.strip()
    if not any(c.isalnum() for c in bare) or PLACEHOLDER.fullmatch(bare) or _MASK.fullmatch(bare):
        return True
    if _SHARE.fullmatch(bare) or bare.startswith(_TEMPLATES) or _SETTING.fullmatch(bare):
        return True
    if _INTERPOLATED.search(bare):
        return not mixed(_INTERPOLATED.sub("", bare))
    if _BRACKETED.fullmatch(bare) or _is_stand_in(bare):
        return not mixed(bare.strip("<>{}$()%[]_"))
    if _PATH.fullmatch(bare):
        return not any(scrambled(part) for part in re.split(r"[./\\]", bare))
    return not quoted and _is_code(bare)


def _is_stand_in(bare: str) -> bool:
    """your-api-key, REPLACE_ME, my-secret-token; my-dog-rex is a password."""
    found = _STAND_IN.fullmatch(bare)
    if found is None:
        return False
    return found["addressed"] is not None or any(
        _WORD_OF_NAMES.fullmatch(piece) for piece in re.split(r"[-_ ]", bare)
    )


def _is_code(bare: str) -> bool:
    """A variable, a member of something, a call, a decorator, the name of a type."""
    if _CALL.match(bare) and not _NO_CODE.search(bare):
        return True
    if _VARIABLE.fullmatch(bare) or _DECORATOR.fullmatch(bare):
        return True
    if _DOTTED.fullmatch(bare):
        *_, last = re.split(r"\W+", bare)
        return _TYPE.fullmatch(last) is not None or not scrambled(bare)
    return _names_a_secret(bare)


def _names_a_secret(bare: str) -> bool:
    """An identifier such as db_password or userToken: the name of a variable, not its value."""
    if not bare.isidentifier() or len(bare) > 60:
        return False
    if _TYPE.fullmatch(bare):
        return True
    pieces = _PIECES.findall(bare)
    return all(piece.isalpha() for piece in pieces) and any(
        _WORD_OF_NAMES.fullmatch(piece) for piece in pieces
    )


def scrambled(value: str) -> bool:
    """Whether a part of it is no word in any spelling: it goes to and fro between classes.

    The classes are small letters, capitals and digits; a capital that begins a word counts once
    with it. Three changes and a digit, or a change at every third letter, in at least 8 characters.
    """
    parts = dict.fromkeys(_SIGNS_BETWEEN.split(value[:_JUDGED_MAX]))
    return any(len(part) >= 8 and _changes(part) for part in parts)


def _changes(part: str) -> bool:
    changes = len(_CLASS_RUNS.findall(part)) - 1
    return changes >= 3 if _DIGIT.search(part) else changes >= max(4, len(part) // 3)


def mixed(value: str) -> bool:
    """Whether it is more than words: a part mixes letters with digits, or a sign stands in it."""
    if _SIGNS.search(value.strip("!?.,;:"), 0, _JUDGED_MAX):
        return True
    parts = _parts(value)
    if any(_is_mixed(part) for part in parts):
        return True
    return len(parts) > 2 and all(_TITLE.fullmatch(part) for part in parts)


def _parts(value: str) -> list[str]:
    return [part for part in dict.fromkeys(_SEPARATORS.split(value[:_JUDGED_MAX])) if part]


def _is_mixed(part: str) -> bool:
    if _LETTER.search(part) and _DIGIT.search(part):
        return not _TECHNICAL.fullmatch(part)
    return scrambled(part) or _is_no_word(part)


def _is_no_word(part: str) -> bool:
    """Whether letters are no word: capitals without the small letters of a word, or no vowels."""
    if len(part) < 8 or not (part.isascii() and part.isalpha()):
        return False
    if not (_WORDS.fullmatch(part) or part.isupper()):
        return True
    return _CONSONANTS.search(part) is not None


def like_a_key(value: str) -> bool:
    """What keys and tokens look like: scrambled, or long without being words; never a short name.

    A letter or two digits at the end of a word are a name (`step12`), and so is a version.
    """
    if len(value) < 8:
        return False
    if scrambled(value):
        return True
    parts = _parts(value)
    if any(len(part) >= 20 and not _CAMEL.fullmatch(part) for part in parts):
        return True
    return any(_is_mixed(part) and not _NUMBERED.fullmatch(part) for part in parts)


_WORDS: Final = re.compile(r"[A-Z]{0,5}[a-z]{2,}(?:[A-Z]{1,5}[a-z]{2,})*[A-Z]{0,5}")
_CONSONANTS: Final = re.compile(r"[b-df-hj-np-tv-xz]{6}")
_CAMEL: Final = re.compile(r"[A-Z]?[a-z]{2,}(?:[A-Z]{1,4}[a-z]{2,})+")
_NUMBERED: Final = re.compile(r"[A-Za-z]+[0-9]{1,2}|[A-Z]{2,6}[0-9]{1,6}")


def is_prose(value: str) -> bool:
    """Whether several words are a sentence about a password, and not a passphrase."""
    words = value.lower().split()
    said = len(words) > 8 or any(word in FUNCTION_WORDS for word in words)
    return len(words) > 1 and said and not any(mixed(word) for word in value.split())


def is_said_of_passwords(word: str) -> bool:
    """Whether a word in a sentence says what a password is like, or what is done with it."""
    bare = word.strip(".,;:!?()[]{}\"'`").lower()
    last = re.split(r"[-_/]", bare)[-1]
    return bare in NOT_SECRET_WORDS or last in NOT_SECRET_WORDS or last.endswith(ENDINGS)
