"""Who may address what, and what a recall may give (spec/operations.md §5).

These are the words of the rule. The column masks of the recall index and of SQL say the same
over many rows; tests hold all of them against each other.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from domain.event_bases import Lifecycle, Visibility
from domain.instants import FOREVER, Micros, parse_instant
from domain.resolver.holding import ended


class Viewer(NamedTuple):
    """Who looks: an actor, and in a workspace with strict sessions from which one, else None."""

    actor: str
    session: str | None = None


class Home(NamedTuple):
    """Where a record belongs, from its first event on; `session` is the home session."""

    session: str
    visibility: Visibility
    owner: str

    def visible_to(self, viewer: Viewer) -> bool:
        """Private records exist for their owner alone, strict sessions for themselves alone."""
        here = viewer.session is None or self.session == viewer.session
        return here and (self.visibility == "workspace" or self.owner == viewer.actor)


class Bounds(NamedTuple):
    """When a version holds: the texts as sent, and the instants that count.

    `from_us` is the version's own recording time where `valid_from` is absent; open ends are
    `FOREVER`. `expired_us` is when the lifecycle became `expired`: an expiry with the earlier of
    that and `expires_at` as its bound (spec/policy.md §5).
    """

    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    from_us: Micros
    expired_us: Micros = FOREVER

    @property
    def until_us(self) -> Micros:
        """Exclusive end of validity."""
        return _or_forever(self.valid_until)

    @property
    def expires_us(self) -> Micros:
        """Exclusive retention bound; an expired lifecycle included."""
        return min(_or_forever(self.expires_at), self.expired_us)

    def with_lifecycle(self, before: Lifecycle, now: Lifecycle, at: Micros) -> Bounds:
        """The bounds after an event at that time: becoming `expired` ends them, active opens.

        What is expired once more ended when it was expired first, whichever of the two came first.
        """
        if now != "expired":
            return self._replace(expired_us=FOREVER)
        return self._replace(expired_us=min(at, self.expired_us) if before == "expired" else at)

    def holds(self, as_of_us: Micros) -> bool:
        """`valid_from ≤ t < valid_until`, and not expired at t."""
        return ended(self.from_us, self.until_us, self.expires_us, as_of_us) is None


def _or_forever(text: str | None) -> Micros:
    return FOREVER if text is None else parse_instant(text, "stored timestamp")


ANSWERING: Final = ("active", "expired")
"""Lifecycles that may answer within their bounds; an expired one still does for earlier times."""


def recallable(lifecycle: Lifecycle, bounds: Bounds, as_of_us: Micros) -> bool:
    """Active, or expired only later; and the bounds hold at that instant."""
    return lifecycle in ANSWERING and bounds.holds(as_of_us)
