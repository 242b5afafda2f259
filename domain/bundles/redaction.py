"""Secrets are put out of texts and JSON before anything is hashed, stored or told (§2).

Written here and not taken from a library: those for scanning (detect-secrets, gitleaks) read code
line by line, find no key of several lines and no password in a sentence, and change with every
release, while a window's hash is taken after this step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from domain.bundles.secret_assignments import assignments
from domain.bundles.secret_blocks import key_lines, private_keys
from domain.bundles.secret_judging import is_secret_key, whole
from domain.bundles.secret_names import secret_kind
from domain.bundles.secret_neighbours import neighbours
from domain.bundles.secret_shapes import Span, logins, schemes, tokens, web_tokens
from domain.bundles.secret_values import PLACEHOLDER, mixed
from domain.canonical import Json, JsonObject

_ROUNDS_MAX: Final = 8
"""A round that finds something is followed by another one: rarely does it find more."""


def redacted_text(text: str) -> tuple[str, Counter[str]]:
    """The text with `[redacted:kind]` in the place of each secret, and how many of each kind.

    The placeholder says nothing of the secret. What holds no secret comes back as it is, and so
    does what was redacted.
    """
    counted: Counter[str] = Counter()
    for _ in range(_ROUNDS_MAX):
        spans = _merged(text, _found(text))
        if not spans:
            break
        pieces, at = [], 0
        for begin, end, kind in spans:
            pieces += [text[at:begin], _placeholder(kind)]
            counted[kind] += 1
            at = end
        text = "".join(pieces) + text[at:]
    return text, counted


def _placeholder(kind: str) -> str:
    return f"[redacted:{kind}]"


def _found(text: str) -> Iterator[Span]:
    lowered = _lowered(text)
    yield from private_keys(text)
    yield from tokens(text)
    yield from web_tokens(text)
    yield from logins(text)
    yield from schemes(text, lowered)
    yield from assignments(text, lowered)
    yield from neighbours(text, lowered)


def _lowered(text: str) -> str:
    """The text in lower case, character by character: places in it are places in the text."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := c.lower()) == 1 else c for c in text)


def _merged(text: str, found: Iterator[Span]) -> list[Span]:
    """The spans in their order, those that overlap as one of the first one's kind.

    One that is a placeholder already is none.
    """
    spans = [span for span in found if not PLACEHOLDER.fullmatch(text, span[0], span[1])]
    spans.sort(key=lambda span: span[0])
    merged: list[Span] = []
    for begin, end, kind in spans:
        if merged and begin < merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), known)
        else:
            merged.append((begin, end, kind))
    return merged


_NAMING: Final = (
    "name",
    "key",
    "header",
    "field",
    "variable",
    "var",
    "env",
    "label",
    "param",
    "id",
)
_VALUES: Final = ("value", "val", "content", "default", "raw", "plaintext", "secret")


def redacted(value: Json) -> tuple[Json, dict[str, int]]:
    """A JSON value without secrets in any string at any depth, keys of objects among them.

    A string is a secret also by the key that it stands under ({"password": …}), by the member
    beside it ({"name": "password", "value": …}), and by the option before it in a list. The value
    given is not changed, and what holds no secret comes back equal.
    """
    counted: Counter[str] = Counter()
    return _redacted(value, None, counted), dict(counted)


def _redacted(value: Json, kind: str | None, counted: Counter[str]) -> Json:
    """`kind` is that of the name which the value stands under."""
    if isinstance(value, str):
        return _string(value, kind, counted)
    if isinstance(value, list):
        return _list(value, kind, counted)
    if isinstance(value, dict):
        return _object(value, kind, counted)
    # A number is a password too; there are numbers of tokens, and of tests that pass.
    if kind == "password" and type(value) is int and abs(value) > 999:
        counted[kind] += 1
        return _placeholder(kind)
    return value


def _string(text: str, kind: str | None, counted: Counter[str]) -> str:
    if kind is not None and is_secret_key(kind, whole(text)):
        counted[kind] += 1
        return _placeholder(kind)
    said, found = redacted_text(text)
    counted.update(found)
    return said


def _list(items: list[Json], kind: str | None, counted: Counter[str]) -> list[Json]:
    done: list[Json] = []
    before: Json = None
    lines = key_lines(items)
    for place, item in enumerate(items):
        if place in lines:
            counted["private_key"] += 1
            done.append(_placeholder("private_key"))
        else:
            done.append(_redacted(item, _announced(before, item) or _listed(kind, item), counted))
        before = item
    return done


def _listed(kind: str | None, item: Json) -> str | None:
    """Of words in a list under a name only what is more than a word: they may be rules for it."""
    return kind if not isinstance(item, str) or mixed(item) else None


def _announced(before: Json, item: Json) -> str | None:
    """The kind that the word before names: `--password`, or `token` before what looks like one."""
    if not isinstance(before, str) or not isinstance(item, str):
        return None
    kind = secret_kind(before)
    return kind if before.startswith("-") else _listed(kind, item)


def _object(members: JsonObject, kind: str | None, counted: Counter[str]) -> JsonObject:
    named = next(
        (
            found
            for key, said in members.items()
            if key.lower() in _NAMING and isinstance(said, str) and (found := secret_kind(said))
        ),
        kind,
    )
    done: JsonObject = {}
    for key, item in members.items():
        said, in_key = redacted_text(key)
        counted.update(in_key)
        of_value = named if key.lower() in _VALUES else None
        done[_another(said, done)] = _redacted(item, _of_key(key, item) or of_value, counted)
    return done


def _of_key(key: str, item: Json) -> str | None:
    return None if key.lower() == "pass" and not isinstance(item, str) else secret_kind(key)


def _another(key: str, known: JsonObject) -> str:
    """The key, or with a number where two keys have become one."""
    number = 2
    said = key
    while said in known:
        said = f"{key} {number}"
        number += 1
    return said
