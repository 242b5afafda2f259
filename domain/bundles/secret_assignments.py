"""Secrets that are known by the name before them: assignments in every syntax, and in prose.

A name is looked for, then what sets it, then the value. Every repetition is bounded or consumes
what it has read, so that the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from domain.bundles.secret_judging import Setting, Value, is_secret
from domain.bundles.secret_names import NAME, kind_of, stems
from domain.bundles.secret_reading import OPENED, QUOTE, QUOTED_MAX, value_at, whole_end
from domain.bundles.secret_shapes import Span
from domain.bundles.secret_values import like_a_key

_AROUND: Final = rf"(?:{QUOTE}|[\])]|\*\*)"
_ABOUT: Final = (
    r"(?:[ \t]+(?:for|of|on|in|at|from)[ \t]+[^\n:=,;.!?\"]{1,60}?|[ \t]*\([^()\n]{1,40}\))?"
)
_BELOW: Final = r"(?:[ \t]*(?:[|>][+-]?)?[ \t]*(?:\r?\n[ \t]{0,40}){1,2})?"
_ASSIGNS: Final = (
    rf"[ \t]*(?:=>|:=|={{1,3}}|:|\uff1a|->|→|(?<=[ \t])\|(?=[ \t]))"
    rf"[ \t]*(?:\*\*[ \t]*)?{_BELOW}|>|\([ \t]*(?=[\"'`])"
)
_SAYS: Final = (
    r"[ \t]+(?:is|was|be|are|to|ist|est|es|är|equals|becomes)"
    r"(?:[ \t:]+(?:now|still|currently|set|changed|reset|to|always|just|simply|literally|actually))"
    rf"{{0,2}}(?:[ \t:]{{1,8}}|(?=\r?\n)){_BELOW}|[ \t]*(?:は|是|为|為)[ \t]*"
)
_STATES: Final = re.compile(r"[ \t]+(?:is|was)\b", re.IGNORECASE)
_IN_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z0-9_]{0,40}\Z")
_LINE_MAX: Final = 200
"""Characters before a name that are looked at."""
_ELEMENT: Final = re.compile(r"(?<!\?P)<[\w:.-]{0,59}\Z")
_NAMED: Final = re.compile(
    rf"{NAME}(?![A-Za-z0-9])(?P<around>{_AROUND}{{0,4}})"
    rf"(?:{_ABOUT}(?:(?P<assigns>{_ASSIGNS})|(?P<says>{_SAYS}))"
    r"|(?P<comma>[ \t]*,[ \t]*)|(?P<blank>\s{1,6}))",
    re.IGNORECASE,
)


def assignments(text: str, lowered: str) -> Iterator[Span]:
    """Values of names that secrets have; `lowered` is the text in lower case, of equal length."""
    done = 0
    for at in stems(lowered):
        # What follows a name may be a name itself: "the token: password=…". Not so in a value.
        named = None if at < done else _NAMED.match(text, at)
        if named is None or not _may_be_set(text, named):
            continue
        value = value_at(text, named.end())
        if value is None or (named["assigns"] == ">" and not text.startswith("</", value.end)):
            continue
        if (named["other"] or "").lower() == "cookie":
            done = _end_of_cookies(value)
            yield from _cookies(value, done)
        elif is_secret(kind_of(named), _setting(text, named), value):
            done = whole_end(value)
            yield value.begin, done, kind_of(named)


def _may_be_set(text: str, named: re.Match[str]) -> bool:
    """Not within a placeholder; by a comma only in a list of strings, by > only in an element."""
    if _IN_PLACEHOLDER.search(text, max(0, named.start() - 50), named.start()):
        return False
    if named["assigns"] == ">":
        return _ELEMENT.search(text, max(0, named.start() - 60), named.start()) is not None
    if named["comma"] is None:
        return True
    return bool(named["around"]) and OPENED.match(text, named.end()) is not None


def _setting(text: str, named: re.Match[str]) -> Setting:
    """How the name is set."""
    begin = named.start()
    while (
        begin > 0
        and named.start() - begin < 60
        and (text[begin - 1].isalnum() or text[begin - 1] in "_-.")
    ):
        begin -= 1
    before = text[max(0, begin - _LINE_MAX) : begin].rpartition("\n")[2]
    option = text.startswith("-", begin) and (begin == 0 or text[begin - 1] in " \t\n\"'`[(,=")
    return Setting(
        assigned=named["assigns"] is not None or (option and named["blank"] is not None),
        said=named["says"] is not None,
        stated=_STATES.match(named["says"] or "") is not None,
        tight=named["assigns"] in ("=", ">") or option,
        listed=named["comma"] is not None,
        quoted_name=bool(named["around"]),
        begins_line=len(before.split()) <= 2 and "," not in before,
        apart=any(sign in text[named.end("around") : named.end()] for sign in "\n|("),
        within_quotes=_within_quotes(before + text[begin : named.end()], text, named.end()),
        header=bool(named["other"]) and named["other"].lower().startswith("auth"),
    )


def _within_quotes(line: str, text: str, at: int) -> bool:
    """Whether a mark at `at` closes a string that the name stands in, as in `"Password: "`.

    It does if there is one too few before it on its line, as far as that is known.
    """
    mark = text[at : at + 1]
    if len(line) >= _LINE_MAX:
        return False
    return mark in ("'", '"') and line.count(mark) % 2 == 1


_COOKIE: Final = re.compile(r"=(?P<secret>[^\s;,\"'\\]{12,4096})")


def _end_of_cookies(value: Value) -> int:
    line = value.text.find("\n", value.begin)
    end = value.end if value.quoted else len(value.text) if line < 0 else line
    return min(end, value.begin + QUOTED_MAX)


def _cookies(value: Value, end: int) -> Iterator[Span]:
    for found in _COOKIE.finditer(value.text, value.begin, end):
        if like_a_key(found["secret"]):
            yield *found.span("secret"), "cookie"
