"""What an affected range of an advisory says, as symbols and as words.

A range is a list of OSV events, each opening (`introduced`) or closing (`fixed`, `limit`:
exclusive; `last_affected`: inclusive) an interval of versions, or of commits where its type is GIT.
Version "0" stands for the first one. Two lists that describe the same intervals give the same
symbols, so a revision that only spells a range otherwise corrects nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

RangeEvent: TypeAlias = dict[
    Literal["introduced", "fixed", "limit", "last_affected"], str | int | float
]

ALL_VERSIONS: Final = "*"
_FIRST: Final = "0"


class Interval(NamedTuple):
    """From `lower` (None: the first) to `upper` (None: open), which is part of it or not."""

    lower: str | None
    upper: str | None
    closed: bool


def intervals(events: Sequence[RangeEvent]) -> list[Interval]:
    """The intervals of a range in the order in which its events name them."""
    found: list[Interval] = []
    lower: str | None = None
    for kind, value in ((k, str(v)) for event in events for k, v in event.items()):
        if kind == "introduced":
            if lower is not None:
                found.append(_interval(lower))
            lower = value
        else:
            found.append(_interval(lower or _FIRST, value, closed=kind == "last_affected"))
            lower = None
    if lower is not None:
        found.append(_interval(lower))
    return found


def _interval(lower: str, upper: str | None = None, *, closed: bool = False) -> Interval:
    return Interval(None if lower == _FIRST else lower, upper, closed)


def symbols(found: Sequence[Interval]) -> str:
    """The object of a claim: `>=4.2.0,<4.4.4 || >=4.5.0,<4.5.4`; `*` for everything."""
    return " || ".join(_symbol(interval) for interval in found)


def _symbol(interval: Interval) -> str:
    lower = [] if interval.lower is None else [f">={interval.lower}"]
    sign = "<=" if interval.closed else "<"
    upper = [] if interval.upper is None else [f"{sign}{interval.upper}"]
    return ",".join(lower + upper) or ALL_VERSIONS


def sentence(advisory: str, package: str, kind: str, found: Sequence[Interval]) -> str:
    """One readable sentence, as `PYSEC-2019-1 affects aioxmpp versions before 0.10.3.`"""
    unit = "commits" if kind == "GIT" else "versions"
    words = ", and ".join(_words(interval) for interval in found)
    if ALL_VERSIONS in map(_symbol, found):
        return f"{advisory} affects all {package} {unit}."
    return f"{advisory} affects {package} {unit} {words}."


def _words(interval: Interval) -> str:
    lower = [] if interval.lower is None else [f"from {interval.lower}"]
    end = "up to and including" if interval.closed else "before"
    upper = [] if interval.upper is None else [f"{end} {interval.upper}"]
    return " ".join(lower + upper)
