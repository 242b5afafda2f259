"""Which versions may be the answer to a recall, as a mask over the rows of the index.

The rule is that of spec/operations.md §5 ("recallable") and §6, point 2; `domain.visibility` says
it in words for one record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.instants import FOREVER
from projections.lexical.columns import BoolArray, Column, TextColumn
from projections.lexical.documents import Document
from projections.lexical.postings import PostingList, Postings

_STILL_KNOWN: Final = 2**62  # later than every position: no other version has closed this one


@dataclass(frozen=True, slots=True)
class Basis:
    """What a recall is a function of: how much of the log, which instant, and who asks."""

    position: int
    as_of_us: int
    actor: str


@dataclass(frozen=True, slots=True)
class Filters:
    """What the question is restricted to; None and an empty set restrict nothing.

    Sets are any-of. A version without confidence is below every `min_confidence`.
    """

    session_id: str | None = None
    kinds: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    epistemic_status: frozenset[str] = frozenset()
    min_confidence: float | None = None
    slot: str | None = None
    repo: str | None = None


class SessionColumns(NamedTuple):
    """Of each row a number of its home session, and the position that made its version."""

    sessions: NDArray[np.int32]
    positions: NDArray[np.int64]


class Eligibility:
    """The columns that decide, and the rule over them; rows are numbered as they are appended."""

    def __init__(self) -> None:
        self._from_position = Column(np.int64)
        self._to_position = Column(np.int64)
        self._valid_from = Column(np.int64)
        self._valid_until = Column(np.int64)
        self._expires_at = Column(np.int64)
        self._active = Column(np.bool_)
        self._confidence = Column(np.float64)
        self._owner = TextColumn()
        self._session = TextColumn()
        self._kind = TextColumn()
        self._status = TextColumn()
        self._slot = TextColumn()
        self._repo = TextColumn()
        self._tags = Postings()
        self._tags_of: list[tuple[PostingList, ...]] = []

    def append(self, document: Document) -> None:
        """Add a row, the version that is known from its position on."""
        until, expires = document.valid_until_us, document.expires_at_us
        self._from_position.append(document.from_position)
        self._to_position.append(_STILL_KNOWN)
        self._valid_from.append(document.valid_from_us)
        self._valid_until.append(FOREVER if until is None else until)
        self._expires_at.append(FOREVER if expires is None else expires)
        self._active.append(document.active)
        self._confidence.append(np.nan if document.confidence is None else document.confidence)
        self._owner.append(document.private_owner)
        self._session.append(document.home_session)
        self._kind.append(document.kind)
        self._status.append(document.epistemic_status)
        self._slot.append(document.slot)
        self._repo.append(document.repo)
        row = len(self._tags_of)
        self._tags_of.append(self._tags.add(row, dict.fromkeys(document.tags, 1.0)))

    def close(self, row: int, position: int) -> None:
        """The row's version is known no more from this position on."""
        self._to_position.values[row] = position

    def bury(self, row: int) -> None:
        """The row's version is eligible at no basis any more."""
        self._active.values[row] = False

    def clear(self, row: int) -> None:
        """Bury a row and take its strings out, so that none stays that only it had."""
        self.bury(row)
        for column in (
            self._owner,
            self._session,
            self._kind,
            self._status,
            self._slot,
            self._repo,
        ):
            column.clear(row)
        self._tags.remove(row, self._tags_of[row])
        self._tags_of[row] = ()
        self._confidence.values[row] = np.nan

    def sessions(self) -> SessionColumns:
        """In which session each row is, and when in it."""
        return SessionColumns(self._session.codes, self._from_position.values)

    def mask(self, basis: Basis, filters: Filters) -> BoolArray:
        """The rows that are recallable at the basis and within the filters."""
        at, now = basis.position, basis.as_of_us
        eligible = self._active.values & (self._from_position.values <= at)
        eligible &= self._to_position.values > at
        eligible &= self._valid_from.values <= now
        eligible &= self._valid_until.values > now
        eligible &= self._expires_at.values > now
        eligible &= self._owner.absent() | self._owner.any_of([basis.actor])
        for column, wanted in (
            (self._session, _one(filters.session_id)),
            (self._kind, filters.kinds),
            (self._status, filters.epistemic_status),
            (self._slot, _one(filters.slot)),
            (self._repo, _one(filters.repo)),
        ):
            if wanted:
                eligible &= column.any_of(wanted)
        if filters.tags:
            eligible &= self._tagged(filters.tags)
        if filters.min_confidence is not None:
            eligible &= self._confidence.values >= filters.min_confidence
        return eligible

    def _tagged(self, tags: frozenset[str]) -> BoolArray:
        found = np.zeros(len(self._tags_of), dtype=np.bool_)
        for tag in tags:
            found[self._tags.rows(tag)] = True
        return found


def _one(text: str | None) -> frozenset[str]:
    return frozenset() if text is None else frozenset({text})
