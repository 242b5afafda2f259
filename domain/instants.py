"""Instants: integer microseconds since 1970 UTC, beside the text as sent (design.md §2, Times)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, TypeAlias

from domain.errors import MemorandaError, invalid

Micros: TypeAlias = int

FOREVER: Final[Micros] = 2**62
"""Later than every instant that can be written (year 9999 is below 2**58)."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAIVE_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - UTC by construction, cheaper to print
_SHAPE: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", re.ASCII
)
_CHARACTERS_MAX: Final = 64
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_FORM: Final = "use RFC 3339 with an offset, as in 2026-03-01T09:30:00.250000Z"


def parse_instant(text: str, field: str) -> Micros:
    """Microseconds since 1970 UTC of an RFC 3339 timestamp (spec/operations.md §2).

    Refused with INVALID_REQUEST and policy.md's reason: TIMESTAMP_NAIVE (no time, or no offset),
    TIMESTAMP_PRECISION (more than six fraction digits), TIMESTAMP_INVALID (anything else).
    """
    # Longer texts are no timestamps, and must not fill the cache.
    found = _parsed(text) if len(text) <= _CHARACTERS_MAX else "TIMESTAMP_INVALID"
    if isinstance(found, str):
        raise _refusal(found, field)
    return found


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Micros | str:
    fraction = text[20:26]
    own = len(text) == 27 and text[19] == "." and text[26] == "Z"
    if own and fraction.isdecimal() and fraction.isascii():
        # The form that the server writes, of which many share a second: a fifth of the cost.
        second = _parsed_in_full(text[:19] + "Z")
        return second if isinstance(second, str) else second + int(fraction)
    return _parsed_in_full(text)


@lru_cache(maxsize=256)
def _parsed_in_full(text: str) -> Micros | str:
    match = _SHAPE.fullmatch(text)
    if match is None:
        return "TIMESTAMP_NAIVE" if _DATE.fullmatch(text) else "TIMESTAMP_INVALID"
    *numbers, fraction, offset = match.groups()
    if offset is None:
        return "TIMESTAMP_NAIVE"
    if fraction is not None and len(fraction) > 6:
        return "TIMESTAMP_PRECISION"
    year, month, day, hour, minute, second = (int(n) for n in numbers)
    try:
        local = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        utc = local - _offset(offset)
    except (ValueError, OverflowError):
        return "TIMESTAMP_INVALID"
    return (utc - _EPOCH) // timedelta(microseconds=1) + int((fraction or "0").ljust(6, "0"))


def _offset(text: str) -> timedelta:
    if text == "Z":
        return timedelta(0)
    hours, minutes = int(text[1:3]), int(text[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError
    size = timedelta(hours=hours, minutes=minutes)
    return -size if text[0] == "-" else size


def _refusal(reason: str, field: str) -> MemorandaError:
    said = {
        "TIMESTAMP_NAIVE": "names no time with an offset",
        "TIMESTAMP_PRECISION": "has more than six fraction digits",
        "TIMESTAMP_INVALID": "is no valid timestamp",
    }[reason]
    return invalid(f"{field} {said}: {_FORM}", field=field, reason=reason)


def server_time(micros: Micros) -> str:
    """The one form of times that the server writes: `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
    seconds, rest = divmod(micros, 1_000_000)
    return f"{_second(seconds)}.{rest:06}Z"


@lru_cache(maxsize=256)
def _second(seconds: int) -> str:
    """The text of a whole second, of which many times are asked for one after the other."""
    return (_NAIVE_EPOCH + timedelta(seconds=seconds)).isoformat()


def optional_instant(text: str | None, field: str) -> Micros | None:
    """`parse_instant`, where the timestamp may be absent."""
    return None if text is None else parse_instant(text, field)
