"""A basis that a reading route is asked for: what was known by then, for which instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from domain import checks
from domain.canonical import JsonObject
from domain.context import Context
from domain.instants import parse_instant, server_time
from domain.ports import Clock, LogReader
from read_api.basis import Basis
from read_api.list_filters import POSITION_MAX, Waiting


class AskedBasis(Waiting):
    """Both axes of time (spec/policy.md §2.1): of the world, and of what was known."""

    as_of: Annotated[
        str | None, Field(description="The instant in the world that is asked for; now without it.")
    ] = None
    as_known_at: Annotated[
        str | None, Field(description="Only what was stored by this instant is known.")
    ] = None
    as_known_position: Annotated[
        int | None,
        Field(ge=0, le=POSITION_MAX, description="Only what was stored up to there is known."),
    ] = None

    def check(self) -> None:
        """Refuse times that do not parse, and two answers to what was known."""
        checks.instant(self.as_of, "as_of")
        checks.instant(self.as_known_at, "as_known_at")
        checks.one_knowledge(self.as_known_at, self.as_known_position)

    @property
    def is_given(self) -> bool:
        """Whether anything but the present is asked for."""
        return any(
            one is not None for one in (self.as_of, self.as_known_at, self.as_known_position)
        )


@dataclass(frozen=True, slots=True)
class PastBases:
    """Fixes the basis of one answer of a reading route."""

    log: LogReader
    clock: Clock

    def choose(self, context: Context, asked: AskedBasis, seen: int) -> Basis:
        """The basis that is asked for, as far as it is `seen`; INVALID_REQUEST for a wrong one.

        Without `as_of` it is now, but no earlier than what is known was stored (design.md §2).
        Where less is seen than was asked for, it is what whole appends have brought.
        """
        asked.check()
        wanted = self.log.head()
        if asked.as_known_position is not None:
            wanted = asked.as_known_position
        elif asked.as_known_at is not None:
            wanted = self.log.position_at(parse_instant(asked.as_known_at, "as_known_at"))
        position = wanted if wanted <= seen else whole_appends(self.log, seen)
        if asked.as_of is not None:
            as_of_us = parse_instant(asked.as_of, "as_of")
        else:
            as_of_us = max(self.clock.now_us(), self.log.appended_at(position))
        return Basis(context.workspace, context.actor, position, as_of_us, context.viewer.session)


def whole_appends(log: LogReader, seen: int) -> int:
    """The last position up to one at which an append ended: half of what was stored at once is a
    state that never was.
    """
    appended_us = log.appended_at(seen)
    if log.position_at(appended_us) <= seen:
        return seen
    return log.position_at(appended_us - 1)


def told(basis: Basis) -> JsonObject:
    """The basis as an answer names it."""
    return {"position": basis.position, "as_of": server_time(basis.as_of_us)}
