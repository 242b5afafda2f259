"""The basis of an answer: what was known, when it is asked for, and who asks.

Everything that a recall says is a function of it (spec/operations.md §6.1). The conditions here
are the words of `domain.visibility` over the rows of the read models.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from sqlalchemy import ColumnElement, FromClause, Table, and_, bindparam, or_

from domain.instants import Micros
from domain.visibility import ANSWERING, Viewer
from projections.columns import BIG, ManyWords, Words, among
from projections.lexical.eligibility import Basis as IndexBasis

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
    session: str | None = None
    """The only session whose records are seen, where sessions are strict."""

    @property
    def viewer(self) -> Viewer:
        """Who asks, as the records see them."""
        return Viewer(self.actor, self.session)

    @property
    def in_index(self) -> IndexBasis:
        """The same for the masks of the recall index."""
        return IndexBasis(self.position, self.as_of_us, self.actor, self.session)

    @property
    def binds(self) -> dict[str, str | int | None]:
        """What the parameters of `shown` and `recallable` stand for."""
        return {
            "basis_workspace": self.workspace,
            "basis_actor": self.actor,
            "basis_session": self.session,
            "basis_position": self.position,
            "basis_as_of": self.as_of_us,
        }


# Statements are made once, with parameters: making one costs more than SQLite takes to answer it.
_WORKSPACE: Final = bindparam("basis_workspace", type_=Words)
_ACTOR: Final = bindparam("basis_actor", type_=Words)
_SESSION: Final = bindparam("basis_session", type_=Words)
_POSITION: Final = bindparam("basis_position", type_=BIG)
_AS_OF: Final = bindparam("basis_as_of", type_=BIG)
_IDS: Final = bindparam("ids", type_=ManyWords)


def of_ids(column: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether it is one of the ids that a statement is about: `ids`, at most `IDS_AT_ONCE`."""
    return among(column, _IDS)


def known(table: FromClause) -> ColumnElement[bool]:
    """All versions that were recorded by the basis, of records that the actor may see."""
    row = table.c
    return and_(
        row.workspace == _WORKSPACE,
        row.position <= _POSITION,
        or_(row.visibility == "workspace", row.owner == _ACTOR),
        or_(_SESSION.is_(None), row.session == _SESSION),
    )


def shown(table: Table) -> ColumnElement[bool]:
    """`known`, and of each record the version that stood at the basis."""
    row = table.c
    return and_(known(table), or_(row.to_position.is_(None), row.to_position > _POSITION))


def recallable(table: Table) -> ColumnElement[bool]:
    """`holding`, and its text is readable: the version may be an answer.

    Of a tangled memory that is only what may be one: `standing` says what it is.
    """
    return and_(holding(table), _or_tangled(table, table.c.erased.is_(False)))


def holding(table: Table) -> ColumnElement[bool]:
    """`shown`, and it answers and its bounds hold, whether or not its text is still there.

    An expired version still answers for times before its expiry, which its bounds say.
    """
    row = table.c
    return and_(
        shown(table),
        row.lifecycle.in_(ANSWERING),
        row.expires_us > _AS_OF,
        _or_tangled(table, row.from_us <= _AS_OF, row.until_us > _AS_OF),
    )


def _or_tangled(table: Table, *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Of a tangled memory another branch may hold than the one of which a row is."""
    if "tangle" not in table.c:
        return and_(*conditions)
    return or_(and_(*conditions), table.c.tangle.is_not(None))


def parts_of(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, each once, in lists of at most `IDS_AT_ONCE`."""
    distinct = iter(dict.fromkeys(items))
    while part := list(islice(distinct, IDS_AT_ONCE)):
        yield part
