"""Entity tags: a record's version, so that `If-Match` and `expected_version` say the same."""

from __future__ import annotations

import re
from typing import Final

_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')


def etag(version: int, *, erased: bool) -> str:
    """The tag of a version; an erasure changes what is shown, so it changes the tag."""
    return f'"{version}-erased"' if erased else f'"{version}"'


def matches(if_none_match: list[str], tag: str) -> bool:
    """Whether a conditional GET already has it (RFC 9110: weak comparison, `*` is anything)."""
    said = ",".join(if_none_match)
    return said.strip() == "*" or tag in _TAG.findall(said)
