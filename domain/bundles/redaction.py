"""Secrets are put out of texts and JSON before anything is hashed, stored or told (§2).

Written here and not taken from a library: those for scanning (detect-secrets, gitleaks) read code
line by line, find no key of several lines and no password in a sentence, and change with every
release, while a window's hash is taken after this step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from domain.bundles.secret_assignments import assignments
from domain.bundles.secret_blocks import key_lines, private_keys
from domain.bundles.secret_judging import is_secret_key, whole
from domain.bundles.secret_names import secret_kind
from domain.bundles.secret_neighbours import neighbours
from domain.bundles.secret_shapes import Span, logins, schemes, tokens, web_tokens
from domain.bundles.secret_values import PLACEHOLDER, mixed
from domain.canonical import Json, JsonObject

_CHARACTERS_MIN: Final = 4
"""No name of a secret with what sets it and a value is shorter, and no secret by itself."""
_KNOWN_CHARACTERS_MAX: Final = 64
_KNOWN_MAX: Final = 4096
_ROUNDS_MAX: Final = 8
"""A round that finds something is followed by another one: rarely does it find more."""


def redacted_text(text: str) -> tuple[str, Counter[str]]:
    """The text with `[redacted:kind]` in the place of each secret, and how many of each kind.

    The placeholder says nothing of the secret. What holds no secret comes back as it is, and so
    does what was redacted.
    """
    counted: Counter[str] = Counter()
    for _ in range(_ROUNDS_MAX if len(text) >= _CHARACTERS_MIN else 0):
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
    run = _Run(Counter(), {})
    return _redacted(value, None, run), dict(run.counted)


class _Run(NamedTuple):
    """The redaction of one value: how much was put out, and short texts that come again in it.

    Those are keys, kinds and names: most of the texts of a window, by their number.
    """

    counted: Counter[str]
    known: dict[str, tuple[str, Counter[str]]]

    def text(self, text: str) -> str:
        done = self.known.get(text)
        if done is None:
            done = redacted_text(text)
            if len(text) <= _KNOWN_CHARACTERS_MAX and len(self.known) < _KNOWN_MAX:
                self.known[text] = done
        said, found = done
        if found:
            self.counted.update(found)
        return said

    def placeholder(self, kind: str) -> str:
        self.counted[kind] += 1
        return _placeholder(kind)


def _redacted(value: Json, kind: str | None, run: _Run) -> Json:
    """`kind` is that of the name which the value stands under."""
    if isinstance(value, str):
        return _string(value, kind, run)
    if isinstance(value, list):
        return _list(value, kind, run)
    if isinstance(value, dict):
        return _object(value, kind, run)
    # A number is a password too; there are numbers of tokens, and of tests that pass.
    if kind == "password" and type(value) is int and abs(value) > 999:
        return run.placeholder(kind)
    return value


def _string(text: str, kind: str | None, run: _Run) -> str:
    if kind is not None and is_secret_key(kind, whole(text)):
        return run.placeholder(kind)
    return run.text(text)


def _list(items: list[Json], kind: str | None, run: _Run) -> list[Json]:
    done: list[Json] = []
    before: Json = None
    lines = key_lines(items)
    for place, item in enumerate(items):
        if place in lines:
            done.append(run.placeholder("private_key"))
        else:
            done.append(_redacted(item, _announced(before, item) or _listed(kind, item), run))
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


def _object(members: JsonObject, kind: str | None, run: _Run) -> JsonObject:
    named = next(
        (
            found
            for key, said in members.items()
            if key.lower() in _NAMING and isinstance(said, str) and (found := secret_kind(said))
        ),
        kind,
    )
    done: JsonObject = {}
    numbers: dict[str, int] = {}
    for key, item in members.items():
        of_value = named if key.lower() in _VALUES else None
        said = _redacted(item, _of_key(key, item) or of_value, run)
        done[_another(run.text(key), done, numbers)] = said
    return done


def _of_key(key: str, item: Json) -> str | None:
    return None if key.lower() == "pass" and not isinstance(item, str) else secret_kind(key)


def _another(key: str, known: JsonObject, numbers: dict[str, int]) -> str:
    """The key, or with a number where two keys have become one; `numbers` are the next ones."""
    if key not in known:
        return key
    number = numbers.get(key, 2)
    while (said := f"{key} {number}") in known:
        number += 1
    numbers[key] = number + 1
    return said
