"""Which versions may be the answer to a recall, as a mask over the rows of the index.

The rule is that of spec/operations.md §5 ("recallable") and §6, point 2; `domain.visibility` says
it in words for one record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from domain.instants import FOREVER
from domain.visibility import Viewer
from projections.lexical.columns import ALL, BoolArray, Column, Rows, TextColumn
from projections.lexical.documents import Document
from projections.lexical.frozen import FrozenColumns
from projections.lexical.kept_mask import KeptMasks
from projections.lexical.postings import PostingList, Postings
from projections.lexical.tags import frozen_tags, tagged

_STILL_KNOWN: Final = 2**62  # later than every position: no other version has closed this one


@dataclass(frozen=True, slots=True)
class Basis:
    """What a recall is a function of: how much of the log, which instant, and who asks."""

    position: int
    as_of_us: int
    actor: str
    session: str | None = None
    """The only session whose memories are seen, where sessions are strict."""


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
    private_owner: str | None = None
    """Whose private memories alone; None for those that all see as well."""


class SessionColumns(NamedTuple):
    """Of each row a number of its home session, and the position that made its version."""

    sessions: NDArray[np.int32]
    positions: NDArray[np.int64]


class Eligibility:
    """The columns that decide, and the rule over them; rows are numbered as they are appended."""

    def __init__(self, begin: Sequence[FrozenColumns] = ()) -> None:
        """`begin` are the first rows, of which each is known until `close` says otherwise."""
        self._from_position = Column(np.int64, [one.from_position for one in begin])
        known = [np.full(len(one.active), _STILL_KNOWN, dtype=np.int64) for one in begin]
        self._to_position = Column(np.int64, known)
        self._valid_from = Column(np.int64, [one.valid_from for one in begin])
        self._valid_until = Column(np.int64, [one.valid_until for one in begin])
        self._expires_at = Column(np.int64, [one.expires_at for one in begin])
        self._active = Column(np.bool_, [one.active for one in begin])
        self._gone = Column(np.bool_, [one.gone for one in begin])
        self._confidence = Column(np.float64, [one.confidence for one in begin])
        self._owner = TextColumn([one.owner for one in begin])
        self._session = TextColumn([one.session for one in begin])
        self._kind = TextColumn([one.kind for one in begin])
        self._status = TextColumn([one.status for one in begin])
        self._slot = TextColumn([one.slot for one in begin])
        self._repo = TextColumn([one.repo for one in begin])
        self._begun_tags = [one.tags for one in begin]
        self._begun = [len(one.active) for one in begin]
        self._first = sum(self._begun)
        self._tags = Postings()
        self._tags_of: list[tuple[PostingList, ...]] = []
        self._newest = max((int(one.from_position.max(initial=0)) for one in begin), default=0)
        self._kept = KeptMasks()

    def append(self, document: Document) -> None:
        """Add a row, the version that is known from its position on."""
        until, expires = document.valid_until_us, document.expires_at_us
        self._newest = max(self._newest, document.from_position)
        self._from_position.append(document.from_position)
        self._to_position.append(_STILL_KNOWN)
        self._valid_from.append(document.valid_from_us)
        self._valid_until.append(FOREVER if until is None else until)
        self._expires_at.append(FOREVER if expires is None else expires)
        self._active.append(document.active)
        self._gone.append(False)
        self._confidence.append(np.nan if document.confidence is None else document.confidence)
        self._owner.append(document.private_owner)
        self._session.append(document.home_session)
        self._kind.append(document.kind)
        self._status.append(document.epistemic_status)
        self._slot.append(document.slot)
        self._repo.append(document.repo)
        row = self._first + len(self._tags_of)
        self._tags_of.append(self._tags.add(row, dict.fromkeys(document.tags, 1.0)))
        self._kept.changed(row)

    def close(self, row: int, position: int) -> None:
        """The row's version is known no more from this position on."""
        self._newest = max(self._newest, position)
        self._to_position.values[row] = position
        self._kept.changed(row)

    def close_all(self, rows: Rows, closing: Rows) -> None:
        """`close` rows at the positions at which other rows are known from."""
        self._kept.forget()
        self._to_position.values[rows] = self._from_position.values[closing]

    def bury(self, row: int) -> None:
        """The row's version is eligible at no basis any more."""
        self._active.values[row] = False
        self._kept.changed(row)

    def clear(self, row: int) -> None:
        """Bury a row and take its strings out, so that none stays that only it had."""
        self.bury(row)
        self._kept.forget()  # questions may have named its strings
        for column in (
            self._owner,
            self._session,
            self._kind,
            self._status,
            self._slot,
            self._repo,
        ):
            column.clear(row)
        if row >= self._first:
            self._tags.remove(row, self._tags_of[row - self._first])
            self._tags_of[row - self._first] = ()
        self._confidence.values[row] = np.nan
        self._gone.values[row] = True

    @property
    def gone(self) -> BoolArray:
        """The rows that were cleared."""
        return self._gone.values

    def owns(self, viewer: Viewer) -> bool:
        """Whether a row that was not cleared is private to who looks."""
        if viewer.session is None:
            return self._owner.holds(viewer.actor)
        here = self._session.any_of([viewer.session])
        return bool((here & self._owner.any_of([viewer.actor])).any())

    def readable(self, basis: Basis) -> BoolArray:
        """The rows that may be seen and that are known from the basis or before, if ever.

        Cleared rows are none.
        """
        known = (self._from_position.values <= basis.position) & ~self._gone.values
        return known & self._seen_by(basis)

    def _seen_by(self, basis: Basis, rows: Rows | slice = ALL) -> BoolArray:
        """`domain.visibility.Home.visible_to` over some rows."""
        mine = self._owner.absent(rows) | self._owner.any_of([basis.actor], rows)
        if basis.session is None:
            return mine
        return mine & self._session.any_of([basis.session], rows)

    def document(
        self, row: int, memory_id: str, version: int, terms: Mapping[str, float]
    ) -> Document:
        """What was added as a row; without strings where it was cleared since."""
        until, expires = int(self._valid_until.values[row]), int(self._expires_at.values[row])
        confidence = float(self._confidence.values[row])
        return Document(
            memory_id=memory_id,
            version=version,
            from_position=int(self._from_position.values[row]),
            terms=terms,
            valid_from_us=int(self._valid_from.values[row]),
            valid_until_us=None if until == FOREVER else until,
            expires_at_us=None if expires == FOREVER else expires,
            active=bool(self._active.values[row]),
            private_owner=self._owner.text(row),
            home_session=self._session.text(row) or "",
            kind=self._kind.text(row) or "",
            tags=frozenset(one.term for one in self._tags_of[row - self._first]),
            epistemic_status=self._status.text(row),
            confidence=None if np.isnan(confidence) else confidence,
            slot=self._slot.text(row),
            repo=self._repo.text(row),
        )

    def frozen(self) -> FrozenColumns:
        """A copy of all rows, but of when they cease to be the known ones."""
        return FrozenColumns(
            from_position=self._from_position.values.copy(),
            valid_from=self._valid_from.values.copy(),
            valid_until=self._valid_until.values.copy(),
            expires_at=self._expires_at.values.copy(),
            active=self._active.values.copy(),
            gone=self._gone.values.copy(),
            confidence=self._confidence.values.copy(),
            owner=self._owner.frozen(),
            session=self._session.frozen(),
            kind=self._kind.frozen(),
            status=self._status.frozen(),
            slot=self._slot.frozen(),
            repo=self._repo.frozen(),
            tags=frozen_tags(self._begun_tags, self._begun, self._tags, ~self._gone.values),
        )

    def sessions(self) -> SessionColumns:
        """In which session each row is, and when in it."""
        return SessionColumns(self._session.codes, self._from_position.values)

    def mask(self, basis: Basis, filters: Filters) -> BoolArray:
        """The rows that are recallable at the basis and within the filters: not to be changed."""
        key = (
            # All later positions know the same versions, and what is known now may grow.
            None if basis.position >= self._newest else basis.position,
            basis.actor if self._owner.holds(basis.actor) else None,
            basis.session,
            filters,
        )
        bounds = (self._valid_from.values, self._valid_until.values, self._expires_at.values)

        def made(rows: Rows | slice) -> BoolArray:
            return self._made(basis, filters, rows)

        return self._kept.of(key, basis.as_of_us, made, bounds)

    def _made(self, basis: Basis, filters: Filters, rows: Rows | slice) -> BoolArray:
        at, now = basis.position, basis.as_of_us
        eligible = self._active.values[rows] & (self._from_position.values[rows] <= at)
        eligible &= self._to_position.values[rows] > at
        eligible &= self._valid_from.values[rows] <= now
        eligible &= self._valid_until.values[rows] > now
        eligible &= self._expires_at.values[rows] > now
        eligible &= self._seen_by(basis, rows)
        for column, wanted in (
            (self._session, _one(filters.session_id)),
            (self._kind, filters.kinds),
            (self._status, filters.epistemic_status),
            (self._slot, _one(filters.slot)),
            (self._repo, _one(filters.repo)),
            (self._owner, _one(filters.private_owner)),
        ):
            if wanted:
                eligible &= column.any_of(wanted, rows)
        if filters.tags:
            eligible &= self._tagged(filters.tags)[rows]
        if filters.min_confidence is not None:
            eligible &= self._confidence.values[rows] >= filters.min_confidence
        return eligible

    def sharing_a_slot(self, mask: BoolArray, also: Iterable[str]) -> BoolArray:
        """The rows of a mask whose slot another row of it has, or that is one of `also`."""
        named = mask & (self._slot.codes > 0)
        codes = np.where(named, self._slot.codes, 0)
        shared = np.bincount(codes, minlength=1)[codes] > 1
        return named & (shared | self._slot.any_of(also))

    def _tagged(self, tags: frozenset[str]) -> BoolArray:
        found = np.zeros(len(self._gone.values), dtype=np.bool_)
        for tag in tags:
            found[self._tags.rows(tag)] = True
            found[tagged(self._begun_tags, self._begun, tag)] = True
        return found


def _one(text: str | None) -> frozenset[str]:
    return frozenset() if text is None else frozenset({text})
