"""Values as they are written: in quotes of any depth, behind a scheme, or up to the next blank."""

from __future__ import annotations

import re
from typing import Final

from domain.bundles.secret_judging import Value

QUOTE: Final = r"(?:\\{0,15}[\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb]|&quot;|&#3[49];|%22)"
"""What may stand around a name; JSON within JSON escapes its marks again at every level."""
OPENED: Final = re.compile(
    r"[bBrRuUfF]{0,2}(?P<slashes>\\{0,15})(?P<mark>\"{3}|'{3}|[\"'`\u201c\u2018\u00ab]|&quot;|&#3[49];|%22)"
)
_CLOSING: Final = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
QUOTED_MAX: Final = 4096
"""Characters of a value in quotes; a mark that is never closed opens none."""
_RUN: Final = re.compile(
    # A sign ends a value where something else begins with it: a tag, the next setting, a mark.
    r"(?:[^\s\"'`<>&,;\\]|[,;](?![\s,;\"'`<>\\]|$|[\w.-]{1,40}[ \t]?[=:])"
    r"|&(?![\s&\"'`<>\\]|$|[\w.-]{1,40}[=;])"
    r"|<(?![\s/]|$|[A-Za-z!?][\w:.-]{0,30}(?:[ \t][^<>\n]{0,80})?>)|>(?![\s\"'`<>,;)\]}\\]|$)"
    r"|(?<=[^\s(\[{,:=])[\"'](?=[A-Za-z0-9])|\\(?![\"'`nrtu\\]|$)){1,256}"
)
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
_RUN_MAX: Final = 256
"""As much of a value decides whether it is a secret; then all of it is."""
_SCHEME: Final = re.compile(
    r"(?:bearer|basic|token|digest|api-?key|negotiate|ntlm|hmac|key|aws4-hmac-sha256)[ \t]+",
    re.IGNORECASE,
)


def value_at(text: str, at: int) -> Value | None:
    """The value that begins at `at`, without its quotes; None where nothing begins."""
    opened = OPENED.match(text, at)
    if opened is not None:
        mark, depth = opened["mark"], len(opened["slashes"])
        end = _closed(text, opened.end(), _CLOSING.get(mark, mark), depth)
        if end is not None:
            return _after_scheme(Value(text, opened.end(), end, quoted=True))
        at = opened.end()
    scheme = _SCHEME.match(text, at)
    run = _RUN.match(text, scheme.end() if scheme else at) or _RUN.match(text, at)
    if run is None:
        return None
    begin, end = run.span()
    if end - begin < _RUN_MAX:
        end = _trimmed(text, begin, end)
    if end == begin:
        return None
    return Value(text, begin, end, quoted=False, scheme=scheme is not None and begin != at)


def _trimmed(text: str, begin: int, end: int) -> int:
    """The end without a sentence's punctuation, and without brackets that were opened before."""
    while end > begin:
        last = text[end - 1]
        opening = _BRACKETS.get(last)
        if opening is not None:
            if text.count(opening, begin, end) >= text.count(last, begin, end):
                break
        elif last not in ".,;:!?":
            break
        end -= 1
    return end


def whole_end(value: Value) -> int:
    """Where a value ends of which the begin was enough to tell that it is a secret."""
    end = value.end
    while (
        not value.quoted and end - value.begin >= _RUN_MAX and (more := _RUN.match(value.text, end))
    ):
        end = more.end()
    return end


def _after_scheme(value: Value) -> Value:
    scheme = _SCHEME.match(value.text, value.begin, value.end)
    if scheme is None:
        return value
    return value._replace(begin=scheme.end(), scheme=True)


def _closed(text: str, begin: int, mark: str, depth: int) -> int | None:
    """Where a quote ends that was opened with `depth` backslashes before its mark.

    In JSON within JSON the marks within a value have more backslashes than the closing one, or
    more by a whole number of escaped backslashes.
    """
    limit = min(len(text), begin + QUOTED_MAX)
    at = text.find(mark, begin, limit)
    while at >= 0:
        before = text[max(begin, at - 64) : at]
        slashes = len(before) - len(before.rstrip("\\"))
        if slashes % (2 * (depth + 1)) == depth:
            # A line break within ' is an apostrophe's, not a quote's.
            return None if mark == "'" and "\n" in text[begin:at] else at - depth
        at = text.find(mark, at + len(mark), limit)
    return None
