"""How far a policy trusts where evidence comes from: a tier for each name of a source."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict

from domain import limits
from domain.ids import MEMORY, decode_id

Tier: TypeAlias = Literal["quarantine", "unrated", "trusted"]

_TIERS: Final[tuple[Tier, ...]] = ("quarantine", "unrated", "trusted")
"""From the least trusted on."""
PATTERNS_MAX: Final = 1000
"""In each of the three lists."""


def _pattern(text: str) -> str:
    """A name in its one spelling, with at most one `*`, at its end."""
    said = spelled(text)
    if not said:
        raise ValueError("is blank: name a source, or '*' for all")
    if len(said.encode()) > limits.NAME_BYTES_MAX:
        raise ValueError(f"is too long: at most {limits.NAME_BYTES_MAX} bytes of UTF-8")
    if "*" in said[:-1]:
        raise ValueError("may hold '*' at its end alone, for every name that begins so")
    return said


def _sorted(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(patterns)))


def spelled(name: str) -> str:
    """A name of a source as it is compared: in NFC, without outer blanks."""
    return unicodedata.normalize("NFC", name).strip()


Patterns: TypeAlias = Annotated[
    tuple[Annotated[str, AfterValidator(_pattern)], ...],
    Strict(strict=False),
    Field(max_length=PATTERNS_MAX),
    AfterValidator(_sorted),
]


class Sources(BaseModel):
    """Which names of sources are trusted, unrated, or in quarantine; `default` rates the others.

    A pattern is a name, or how names begin, with `*` at its end. Of the patterns that fit a name
    the most specific one rates it: the whole name before a beginning, a longer beginning before a
    shorter one. Where one pattern stands in several lists the least trusting one counts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    default: Tier = "unrated"
    trusted: Patterns = ()
    unrated: Patterns = ()
    quarantine: Patterns = ()

    def tier(self, names: Iterable[str]) -> Tier:
        """The tier of evidence with these names: that of the least trusted of them.

        The id of a memory is no name of a source: it counts where a pattern fits it. Evidence
        without any name that counts has the default.
        """
        whole, beginnings, _ = self._by_pattern
        if not whole and not beginnings:
            return self.default
        found = set[Tier]()
        for name in map(spelled, names):
            rated = self._rated(name)
            if rated is not None or decode_id(name, MEMORY) is None:
                found.add(rated or self.default)
        return next((tier for tier in _TIERS if tier in found), self.default)

    def _rated(self, name: str) -> Tier | None:
        """What the most specific pattern says of a name; None where none fits it."""
        whole, beginnings, lengths = self._by_pattern
        found = whole.get(name)
        for length in lengths:
            if found is not None:
                break
            found = beginnings.get(name[:length]) if length <= len(name) else None
        return found

    @cached_property
    def _by_pattern(self) -> tuple[dict[str, Tier], dict[str, Tier], list[int]]:
        """Tiers of whole names and of beginnings, and how long these are, the longest first."""
        whole, beginnings = dict[str, Tier](), dict[str, Tier]()
        for tier in reversed(_TIERS):  # so that the least trusting one is what stays
            for pattern in getattr(self, tier):
                if pattern.endswith("*"):
                    beginnings[pattern[:-1]] = tier
                else:
                    whole[pattern] = tier
        return whole, beginnings, sorted({len(one) for one in beginnings}, reverse=True)
