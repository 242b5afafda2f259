"""What is known at a basis, as sets (spec/policy.md §2.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from domain.canonical import canonical
from domain.instants import Micros
from domain.resolver.events import (
    Bound,
    Expiry,
    Inherited,
    PolicyEvent,
    Statement,
    Supersession,
    Tombstone,
)


@dataclass(frozen=True, slots=True)
class Known:
    """Events of one session: all copies of statements, and one statement for each id.

    Of the other events each counts, whatever its id: they only add up. `position` is the last.
    """

    copies: tuple[Statement, ...]
    tombstones: tuple[Tombstone, ...]
    expiries: tuple[Expiry, ...]
    supersessions: tuple[Supersession, ...]
    position: int
    statements: dict[str, Statement]


def known(
    events: Iterable[PolicyEvent],
    session: str,
    *,
    as_known_us: Micros | None = None,
    as_known_position: int | None = None,
) -> Known:
    """The events of a session that were appended by both bounds; None bounds nothing.

    What other sessions hold is looked at no further than that it is theirs.
    """
    found = [
        event
        for event in events
        if event.session == session
        and (as_known_us is None or event.appended_us <= as_known_us)
        and (as_known_position is None or event.position <= as_known_position)
    ]
    copies = tuple(event for event in found if isinstance(event, Statement))
    return Known(
        copies=copies,
        statements=_one_for_each_id(copies),
        tombstones=tuple(event for event in found if isinstance(event, Tombstone)),
        expiries=tuple(event for event in found if isinstance(event, Expiry)),
        supersessions=tuple(event for event in found if isinstance(event, Supersession)),
        position=max((event.position for event in found), default=0),
    )


def _one_for_each_id(copies: Iterable[Statement]) -> dict[str, Statement]:
    """A repeated event is one event; of different ones under one id the least counts.

    A command would have refused all but the first. Which one arrived first is no part of the set,
    so the earliest recorded stands for it.
    """
    chosen: dict[str, Statement] = {}
    for copy in copies:
        other = chosen.get(copy.id)
        if other is None or _content(copy) < _content(other):
            chosen[copy.id] = copy
    return chosen


def _content(statement: Statement) -> tuple[Any, ...]:
    """What a statement says, in an order: all but when and where it arrived.

    The payload comes last, so that erasing it does not change which of two structures counts.
    """
    said = statement.payload
    return (
        statement.recorded_us,
        statement.slot_ref,
        statement.target or "",
        statement.target is None,
        _ordered(statement.valid_from),
        _ordered(statement.valid_until),
        _ordered(statement.expires_at),
        said is None,
        b"" if said is None else canonical([said.key, said.value, said.source]),
    )


def _ordered(bound: Bound) -> tuple[int, Micros]:
    if isinstance(bound, Inherited):
        return 0, 0
    return (1, 0) if bound is None else (2, bound)
