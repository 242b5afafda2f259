"""Whether a value beside a name is a secret: what the name is, and how it is set, decide."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from domain.bundles.secret_values import (
    PLACEHOLDER,
    is_prose,
    is_reference,
    is_said_of_passwords,
    like_a_key,
    mixed,
    scrambled,
)
from domain.bundles.secret_words import NOT_SECRET_WORDS


class Setting(NamedTuple):
    """How a name is set."""

    assigned: bool
    """By = or : and their kin, or as an option of a command."""
    said: bool
    """By a verb: the password is …, is set to …"""
    stated: bool
    """By is or was: what follows is the password, or what it is like."""
    tight: bool
    """Without a blank that prose would have: PASSWORD=…, <password>…, --password …"""
    listed: bool
    """As the next member of a list."""
    quoted_name: bool
    begins_line: bool
    apart: bool
    """The value stands on a line below, in the next column of a table, or is an argument."""
    within_quotes: bool
    """The quotes of the value may be those in which the name stands."""
    header: bool
    """The name is that of a header with credentials."""


class Value(NamedTuple):
    """What stands where the value would be, without quotes and the scheme of a credential."""

    text: str
    begin: int
    end: int
    quoted: bool
    scheme: bool = False

    @property
    def said(self) -> str:
        """The value itself."""
        return self.text[self.begin : self.end]

    @property
    def ends_line(self) -> bool:
        """Whether nothing but punctuation follows on its line."""
        return _END.match(self.text, self.end) is not None


def whole(text: str) -> Value:
    """A whole string as the value."""
    return Value(text, 0, len(text), quoted=True)


_END: Final = re.compile(r"[\"'`]?[ \t]*(?:[.,;!?)}\]]{0,3}[ \t]*(?:\r?\n|\\[nr]|$)|[,;]|[.!?]\s)")
_WORD: Final = re.compile(r"[^\W\d_]{6,}(?:-[^\W\d_]+)*")
_PASSWORD_CHARACTERS_MIN: Final = 4
_ONE_WORD: Final = re.compile(r"[\w.@+-]+")
_LIKE_A_WORD: Final = re.compile(r"[a-z]{1,11}|[A-Z]?[a-z]{1,11}")


def is_secret(kind: str, setting: Setting, value: Value) -> bool:
    """Whether a value of a name of this kind is the secret."""
    said = value.said
    if is_reference(said, quoted=value.quoted or setting.said) or (value.quoted and is_prose(said)):
        return False
    if PLACEHOLDER.search(said) is not None and not mixed(PLACEHOLDER.sub("", said)):
        return False
    if setting.apart or (setting.within_quotes and value.quoted):
        return _stands_out(kind, said)
    if kind == "password":
        return _is_password(setting, value)
    if value.scheme and (setting.header or setting.assigned):
        return len(said) >= 6 and not _LIKE_A_WORD.fullmatch(said)
    if not (setting.assigned or setting.said):
        return scrambled(said) and any(c.isdigit() for c in said)
    if kind == "secret" and (setting.assigned or value.quoted):
        return len(said) >= 6 and mixed(said) and said.lower() not in NOT_SECRET_WORDS
    return like_a_key(said)


def _stands_out(kind: str, said: str) -> bool:
    """Whether it is a secret where what stands there may as well belong to something else."""
    if len(said.split()) != 1 or not any(c.isdigit() for c in said):
        return False
    if "=" in said or (said.isidentifier() and "_" in said):
        return scrambled(said)
    return like_a_key(said) or (kind == "password" and len(said) >= 6 and mixed(said))


def _is_password(setting: Setting, value: Value) -> bool:
    said = value.said
    if len(said) < _PASSWORD_CHARACTERS_MIN:
        return False
    if setting.listed:
        return value.quoted and mixed(said)
    if not (setting.assigned or setting.said):
        return mixed(said) if value.quoted else like_a_key(said) and any(c.isdigit() for c in said)
    if mixed(said) or (said.isdecimal() and len(said) >= 6):
        return True
    if value.quoted or (setting.assigned and setting.tight):
        return said.lower() not in NOT_SECRET_WORDS
    if setting.assigned and setting.begins_line and value.ends_line:
        return _ONE_WORD.fullmatch(said) is not None and not is_said_of_passwords(said)
    # "The password is swordfish." - but not: is wrong, is required, is stored hashed.
    if setting.stated and value.ends_line and _WORD.fullmatch(said):
        return not is_said_of_passwords(said)
    return False


def is_secret_key(kind: str, value: Value) -> bool:
    """Whether a value is the secret that the key of a member names."""
    said = value.said
    if (
        is_reference(said, quoted=value.quoted)
        or is_prose(said)
        or PLACEHOLDER.search(said) is not None
    ):
        return False
    if kind == "password":
        return said.lower() not in NOT_SECRET_WORDS
    if kind == "secret":
        return len(said) >= 6 and mixed(said)
    return value.scheme or like_a_key(said)
