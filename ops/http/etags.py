"""Entity tags: a record's version, so that `If-Match` and `expected_version` say the same."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


REVIEW: Final = "-review"
"""Behind the version where the record needs a review: it is the version nevertheless."""


def etag(version: int, *, erased: bool, review: bool) -> str:
    """The tag of a version; an erasure, and a review that is due, change what is shown too."""
    return f'"{version}{"-erased" * erased}{REVIEW * review}"'


def matches(if_none_match: list[str], tag: str) -> bool:
    """Whether a conditional GET already has it (RFC 9110: weak comparison, `*` is anything)."""
    said = ",".join(if_none_match)
    return said.strip() == "*" or tag in _TAG.findall(said)
