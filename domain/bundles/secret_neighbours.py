"""Secrets whose name stands beside or behind them, in a URL, or that a command takes by place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from domain.bundles.secret_judging import Value, is_secret_key
from domain.bundles.secret_names import secret_kind
from domain.bundles.secret_reading import QUOTE, value_at, whole_end
from domain.bundles.secret_shapes import Span, one_of
from domain.bundles.secret_values import PLACEHOLDER, is_reference, like_a_key, mixed, scrambled

_NAMING: Final = rf"\b(?:name|key|header|variable|env){QUOTE}?[ \t]*[:=][ \t]*{QUOTE}?"
_VALUES: Final = rf"\b(?:value|val|content|default){QUOTE}?[ \t]*[:=][ \t]*"
_PAIR: Final = re.compile(
    rf"{_NAMING}(?P<name>[\w.-]{{1,80}}){QUOTE}?[\s,]{{1,40}}{QUOTE}?{_VALUES}", re.IGNORECASE
)
_REVERSED_PAIR: Final = re.compile(
    rf"{_VALUES}{QUOTE}(?P<secret>[^\"'`\s\\]{{1,400}}){QUOTE}"
    rf"[\s,]{{1,40}}{QUOTE}?{_NAMING}(?P<name>[\w.-]{{1,80}})",
    re.IGNORECASE,
)
_SAID_AFTER: Final = re.compile(
    r"[ \t](?:is|as|was)[ \t]+(?:(?:the|my|our|your|a|an|this|its)[ \t]+)?"
    r"(?P<name>[\w-]{1,40}(?:[ \t]+[\w-]{1,40}){0,2})",
    re.IGNORECASE,
)
_PARAMETER: Final = re.compile(
    r"(?:[?&;]|%3F|%26)[\w.-]{0,40}?(?:key|sig|signature|auth|credential|access|secret|token)"
    r"(?:=|%3D)(?P<secret>[^&\s\"'`<>#;\\]{8,4096})",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[?&]code=(?P<secret>[^&\s\"'`<>#;\\]{16,4096})")
_SIGNATURE: Final = re.compile(r"\bsig=(?P<secret>[^&\s\"'`<>#;\\]{8,4096})")
_COMMANDS: Final = tuple(
    (hints, re.compile(pattern, re.IGNORECASE))
    for hints, pattern in (
        (
            ("curl", "wget"),
            (
                r"\b(?:curl|wget)\b[^\n]{0,400}?[ \t]-(?:u|-user|-proxy-user)[ \t=]?[\"']?"
                r"[\w.@+-]{1,64}:"
            ),
        ),
        (("mysql",), r"\bmysql(?:dump|admin)?\b[^\n]{0,200}?[ \t]-p(?=\S)"),
        (
            ("login", "sshpass"),
            (
                r"\b(?:(?:docker|podman|helm|skopeo|nerdctl)[ \t](?:\w{1,20}[ \t]){0,2}login"
                r"|sshpass)\b[^\n]{0,200}?[ \t]-p[ \t]?"
            ),
        ),
        (("redis-cli",), r"\bredis-cli\b[^\n]{0,200}?[ \t]-a[ \t]"),
        (("identified",), r"\bidentified[ \t]+(?:with[ \t]+\w{1,40}[ \t]+)?by[ \t]+"),
        (("securestring",), r"\bConvertTo-SecureString(?:[ \t]+-String)?[ \t]+(?=[\"'])"),
        (("pass:",), r"[ \t]-pass(?:in|out)?[ \t]pass:"),
        (
            ("cred", "login"),
            (
                r"\b(?:credentials?|creds|login)\b[ \t]*(?:is|are|=|:)?[ \t]*[\w.@+-]{1,64}"
                r"[ \t]?[:/][ \t]?(?=\S)"
            ),
        ),
    )
)
"""Ways to give a password to a program that have no name for it: hints, and what stands before."""


def neighbours(text: str, lowered: str) -> Iterator[Span]:
    """Secrets whose name stands in a member beside, behind them, in a URL or in a command."""
    if "val" in lowered or "content" in lowered or "default" in lowered:
        yield from _pairs(text)
    if " is " in lowered or " as " in lowered or " was " in lowered:
        for found in _SAID_AFTER.finditer(text):
            yield from _said_before(text, found)
    if "=" in text or "%3" in text:
        for pattern in (_PARAMETER, _CODE, _SIGNATURE):
            for found in pattern.finditer(text):
                # Other things have codes too, but none so scrambled.
                if (scrambled if pattern is _CODE else like_a_key)(found["secret"]):
                    yield *found.span("secret"), "url_parameter"
    for hints, pattern in _COMMANDS:
        if one_of(hints, lowered):
            for found in pattern.finditer(text):
                value = value_at(text, found.end())
                if value is not None and is_secret_key("password", value) and mixed(value.said):
                    yield value.begin, whole_end(value), "password"


def _pairs(text: str) -> Iterator[Span]:
    """{"name": "password", "value": …} in either order, in any notation of objects."""
    for found in _PAIR.finditer(text):
        kind = secret_kind(found["name"])
        value = value_at(text, found.end()) if kind else None
        if kind is not None and value is not None and is_secret_key(kind, value):
            yield value.begin, whole_end(value), kind
    for found in _REVERSED_PAIR.finditer(text):
        kind = secret_kind(found["name"])
        if kind is not None and is_secret_key(
            kind, Value(text, *found.span("secret"), quoted=True)
        ):
            yield *found.span("secret"), kind


def _said_before(text: str, found: re.Match[str]) -> Iterator[Span]:
    """The word before `is the password`, `as my api key`, without its quotes."""
    words = found["name"].split()
    if not all(word.islower() or word.isupper() for word in words[:1]):
        # The name of a class, as in an import.
        return
    kind = next(
        (k for n in range(len(words)) if (k := secret_kind(" ".join(words[: n + 1])))), None
    )
    before = text[max(0, found.start() - 200) : found.start()].split() if kind else []
    bare = before[-1].strip("\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb(),;:\\") if before else ""
    if kind is None or is_reference(bare) or PLACEHOLDER.search(bare):
        return
    if mixed(bare) if kind == "password" else like_a_key(bare):
        begin = text.rindex(bare, 0, found.start())
        yield begin, begin + len(bare), kind
