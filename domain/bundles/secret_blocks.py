"""Private keys in the textual encoding of RFC 7468, and in those like it, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----")
_RUN: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
"""A line of Base64. Only the last line of a key is shorter."""
_LAST: Final = re.compile(
    r"(?:\\{1,8}[rn]|\r?\n){1,2}[ \t]{0,40}(?:[^A-Za-z0-9+/=\s]{1,8}|\d{1,6}[ \t→|:]{1,4})?"
    # A word that stands alone on its line is none of the key.
    r"(?!(?:[a-z]+|[A-Z][a-z]+)(?:\s|\\|$))[A-Za-z0-9+/]{1,15}={0,2}(?=\s|\\|$)"
)
_LINE: Final = re.compile(r"[^A-Za-z0-9+/=]{0,8}[A-Za-z0-9+/]{1,200}={0,2}[^A-Za-z0-9+/=]{0,8}")
_GAP_MAX: Final = 80
"""Characters between two lines: line breaks, quotes, numbers of lines, headers of a key."""
_PUTTY: Final = re.compile(r"Private-Lines: \d{1,4}")


def private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Each block from its BEGIN to its END, or as far as there are lines of Base64.

    Line breaks may be written as \\n, and anything may stand before each line. A BEGIN with nothing
    like a key after it is talked about, and stays.
    """
    if "PRIVATE KEY" in text:
        yield from _blocks(text)
    if "Private-Lines" in text:
        for found in _PUTTY.finditer(text):
            end = _end_of_lines(text, found.end())
            if end is not None:
                yield found.end(), end, "private_key"


def _blocks(text: str) -> Iterator[tuple[int, int, str]]:
    begins = [found.span() for found in _BEGIN.finditer(text)]
    ends = [found.span() for found in _END.finditer(text)]
    following = 0
    last = 0
    for number, (begin, body) in enumerate(begins):
        limit = begins[number + 1][0] if number + 1 < len(begins) else len(text)
        while following < len(ends) and ends[following][0] < body:
            yield from _without_begin(text, last, *ends[following])
            last = ends[following][1]
            following += 1
        if following < len(ends) and ends[following][0] < limit:
            if _RUN.search(text, body, ends[following][0]):
                yield begin, ends[following][1], "private_key"
            last = ends[following][1]
            following += 1
            continue
        end = _end_of_lines(text, body, limit)
        if end is not None:
            yield begin, end, "private_key"
            last = end
    for span in ends[following:]:
        yield from _without_begin(text, last, *span)
        last = span[1]


def _end_of_lines(text: str, at: int, limit: int | None = None) -> int | None:
    """Where the lines of Base64 that begin near `at` end; None where none does."""
    limit = len(text) if limit is None else limit
    end = None
    while (run := _RUN.search(text, at, min(limit, at + _GAP_MAX + 16))) is not None:
        # The search was cut short, the line is as long as it is.
        whole = _RUN.match(text, run.start(), limit)
        end = at = whole.end() if whole else run.end()
    if end is not None and (short := _LAST.match(text, end, limit)) is not None:
        end = short.end()
    return end


def _without_begin(text: str, since: int, end: int, after: int) -> Iterator[tuple[int, int, str]]:
    """The lines before an END whose BEGIN was cut off."""
    begin = at = end
    while True:
        runs = list(_RUN.finditer(text, max(since, at - _GAP_MAX - 80), at))
        if not runs or at - runs[-1].end() > _GAP_MAX:
            break
        at = runs[-1].start()
        while at > since and (text[at - 1].isalnum() or text[at - 1] in "+/="):
            at -= 1
        begin = at
    if begin < end:
        yield begin, after, "private_key"


def key_lines(lines: Sequence[object]) -> frozenset[int]:
    """The places of the lines of private keys in a list that holds a line in each string."""
    found: set[int] = set()
    inside = False
    for place, line in enumerate(lines):
        if not isinstance(line, str):
            inside = False
        elif "PRIVATE KEY" in line and _BEGIN.search(line):
            inside = True
        elif inside and _LINE.fullmatch(line):
            found.add(place)
        else:
            inside = False
    return frozenset(found)
