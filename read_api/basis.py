"""The basis of an answer: what was known, when it is asked for, and who asks.

Everything that a recall says is a function of it (spec/operations.md §6.1). The conditions here
are the words of `domain.visibility` over the rows of the read models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from sqlalchemy import ColumnElement, Table, and_, or_

from domain.instants import Micros
from domain.visibility import ANSWERING

IDS_AT_ONCE: Final = 500
"""Ids bound in one statement."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Basis:
    """A workspace as its log stood at `position`, asked for the instant `as_of_us` by an actor."""

    workspace: str
    actor: str
    position: int
    as_of_us: Micros


def shown(table: Table, basis: Basis) -> ColumnElement[bool]:
    """The version of each record that stood at the basis, where the actor may see the record."""
    row = table.c
    return and_(
        row.workspace == basis.workspace,
        row.position <= basis.position,
        or_(row.to_position.is_(None), row.to_position > basis.position),
        or_(row.visibility == "workspace", row.owner == basis.actor),
    )


def recallable(table: Table, basis: Basis) -> ColumnElement[bool]:
    """`shown`, and the version may be an answer: its bounds hold, its text is readable.

    An expired version still answers for times before its expiry, which its bounds say.
    """
    row = table.c
    return and_(
        shown(table, basis),
        row.lifecycle.in_(ANSWERING),
        row.erased.is_(False),
        row.from_us <= basis.as_of_us,
        row.until_us > basis.as_of_us,
        row.expires_us > basis.as_of_us,
    )


def parts_of(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, each once, in lists of at most `IDS_AT_ONCE`."""
    distinct = iter(dict.fromkeys(items))
    while part := list(islice(distinct, IDS_AT_ONCE)):
        yield part
