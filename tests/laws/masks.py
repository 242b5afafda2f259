"""What may differ between two runs of one history: ids, server times, positions, hashes, keys.

Each is replaced by the number of its first appearance, so that equal stays equal and different
stays different (spec/operations.md §10, laws about bytes).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from domain.canonical import Json, canonical

_PATTERNS: Final = {
    "id": re.compile(r"\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}\b"),
    "time": re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"),
    "hex": re.compile(r"\b[0-9a-f]{64}\b"),
}
_ANY: Final = {"position", "elapsed_ms", "next_after", "updated_us", "as_of_us"}
"""Members whose value says nothing that two runs share."""
_OPAQUE: Final = {"next_page_token", "next_cursor", "head_bytes", "body_bytes"}
"""Members that seal or measure a position or a duration: only that they are there compares."""


class Mask:
    """One transcript's names. Feed it answers in the order in which they were given."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def bytes_of(self, answer: Json) -> bytes:
        return canonical(self._masked(answer))

    def _masked(self, value: Json) -> Json:
        match value:
            case dict():
                return {self._text(key): self._member(key, one) for key, one in value.items()}
            case list():
                return [self._masked(one) for one in value]
            case str():
                return self._text(value)
            case _:
                return value

    def _member(self, name: str, value: Json) -> Json:
        if name in _ANY:
            return name
        if name in _OPAQUE and value is not None:
            return name
        return self._masked(value)

    def _text(self, text: str) -> str:
        for kind, pattern in _PATTERNS.items():
            text = pattern.sub(lambda found, kind=kind: self._name(kind, found[0]), text)
        return text

    def _name(self, kind: str, found: str) -> str:
        prefix = found.split("_", maxsplit=1)[0] if kind == "id" else kind
        return self._seen.setdefault(found, f"<{prefix} {len(self._seen)}>")


def masked(answers: Iterable[Json]) -> list[bytes]:
    """A transcript as bytes that two runs can share."""
    mask = Mask()
    return [mask.bytes_of(answer) for answer in answers]
