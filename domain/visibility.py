"""Who may address what, and what a recall may give (spec/operations.md §5).

These are the words of the rule. The column masks of the recall index and of SQL say the same
over many rows; tests hold all of them against each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from domain.events import Lifecycle, Visibility
from domain.instants import FOREVER, Micros, parse_instant


@dataclass(frozen=True, slots=True)
class Home:
    """Where a record belongs, from its first event on; `session` is the home session."""

    session: str
    visibility: Visibility
    owner: str

    def visible_to(self, actor: str) -> bool:
        """Private records exist for their owner alone."""
        return self.visibility == "workspace" or self.owner == actor


@dataclass(frozen=True, slots=True)
class Bounds:
    """When a version holds: the texts as sent, and the instants that count.

    `from_us` is the version's own recording time where `valid_from` is absent; open ends are
    `FOREVER`.
    """

    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    from_us: Micros

    @property
    def until_us(self) -> Micros:
        """Exclusive end of validity."""
        return _or_forever(self.valid_until)

    @property
    def expires_us(self) -> Micros:
        """Exclusive retention bound."""
        return _or_forever(self.expires_at)

    def holds(self, as_of_us: Micros) -> bool:
        """`valid_from ≤ t < valid_until`, and not expired at t."""
        return self.from_us <= as_of_us < min(self.until_us, self.expires_us)


def _or_forever(text: str | None) -> Micros:
    return FOREVER if text is None else parse_instant(text, "stored timestamp")


def recallable(lifecycle: Lifecycle, bounds: Bounds, as_of_us: Micros) -> bool:
    """Lifecycle active, and the bounds hold at that instant."""
    return lifecycle == "active" and bounds.holds(as_of_us)
