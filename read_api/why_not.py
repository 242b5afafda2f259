"""Why a memory was not among the items of a recorded recall (spec/policy.md §2.8).

Judged at the basis of the recall, by its question, with what was forgotten since. One reason is
told, the first that applies: who may know of it, what the recall gave, what was known, whether it
held, the filters, the policy, and then the retrieval. Who may not see a memory gets the answer for
one that never was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row

from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import RecallInput
from domain.errors import Code, MemorandaError
from domain.events import RecallRecorded
from domain.memory import UNKNOWN
from domain.ports import LogReader
from projections.database import reading
from projections.lexical.eligibility import Filters
from projections.lexical.scoring import SearchStopped
from read_api.basis import Basis, parts_of
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.exclusion_causes import cause
from read_api.exclusion_view import ExclusionView
from read_api.expansion import TIMEOUT, UNLIMITED
from read_api.left_out import Retrieval
from read_api.record_doors import MEMORIES, missing
from read_api.recorded_recalls import Recorded, RecordedRecalls
from read_api.recordings import asked, earlier_pages, returned, visible_to
from read_api.rereading import Rereading
from read_api.selecting import NO_SLOT, SlotRef, filters_of
from read_api.verdicts import (
    ABSENT,
    EARLIER,
    ERASED,
    FILTERED,
    HIDDEN,
    LATER,
    OTHER_OWNER,
    OTHER_SESSION,
    RETURNED,
    Verdict,
)

SECONDS_MAX: Final = 20.0
"""How long an answer may take: half of it may be waiting for the read models."""

_NOBODY: Final = ""
"""No actor has this name: what nobody's is may be seen by all of the workspace."""


class WhyNot:
    """Answers why-not. Safe to share between threads."""

    def __init__(self, on: Rereading, seconds_max: float = SECONDS_MAX) -> None:
        self._log = on.log
        self._views = on.views
        self._recalls = RecordedRecalls(on.log)
        self._bases = on.bases()
        self._slot_ref = on.slot_ref
        self._trusted = on.trusted
        self._seconds_max = seconds_max

    def answer(self, context: Context, recall_id: str, memory_id: str) -> JsonObject:
        """See `Verdict.wire`. NOT_FOUND where the recall is absent, of another workspace or owner.

        INTERNAL for a memory that is parked. OVERLOADED where the read models do not see all of
        the log in time, or the answer takes longer than `SECONDS_MAX`.
        """
        context = self._trusted(context)
        recorded = self._recalls.read(context, recall_id)
        deadline = Deadline.after(self._seconds_max)
        position = self._log.head()
        chosen = self._bases.again(basis_of(context, recorded), deadline)
        if chosen.partial:
            raise _late("the read models do not see all of the log yet: ask again")
        asking = _Asking(context, recorded, chosen, deadline, self._log, self._slot_ref)
        try:
            with reading(self._views) as connection:
                verdict = asking.verdict(connection, memory_id)
        except SearchStopped:
            raise _late(f"this took longer than {self._seconds_max:g} seconds: ask again") from None
        return verdict.wire(recall_id, memory_id, position)


class _Asking:
    """One question about a recall."""

    def __init__(
        self,
        context: Context,
        recorded: Recorded,
        chosen: Chosen,
        deadline: Deadline,
        log: LogReader,
        slot_ref: SlotRef,
    ) -> None:
        self._context = context
        self._recorded = recorded
        self._fact = recorded.fact
        self._chosen = chosen
        self._deadline = deadline
        self._log = log
        self._slot_ref = slot_ref

    def verdict(self, connection: Connection, memory_id: str) -> Verdict:
        """The first reason that applies, in the order of spec/policy.md §2.8."""
        basis = self._chosen.basis
        viewer = self._context.viewer
        now = Basis(basis.workspace, viewer.actor, UNLIMITED, basis.as_of_us, viewer.session)
        rows = ExclusionView(connection, now, Filters()).lineage(memory_id)
        if not rows:
            why = missing(connection, MEMORIES, self._context, memory_id)
            if why.code is not Code.NOT_FOUND:
                raise why
            return Verdict(ABSENT)
        given = self._given(memory_id)
        if given is not None:
            return given
        if rows[0].visibility == "private" and basis.actor == _NOBODY:
            return Verdict(OTHER_OWNER)
        born = [row for row in rows if row.forgotten != UNKNOWN]
        if not born:
            return Verdict(ABSENT)
        known = [row for row in rows if row.position <= basis.position]
        if not known or known[-1].forgotten == UNKNOWN:
            return Verdict(LATER, born[0].version)
        reason = ExclusionView(connection, basis, Filters()).reason(known)
        if reason is not None:
            return Verdict(
                reason, known[-1].version, by=cause(reason, rows if reason == "deleted" else known)
            )
        return self._question(connection, known[-1])

    def _given(self, memory_id: str) -> Verdict | None:
        """That it was an item, or one of a page before; None where it was neither."""
        before, rank = earlier_pages(self._fact), 0
        number = self._fact.counts["page"]
        pages = [*zip(before, self._earlier(before), strict=True), (None, self._fact)]
        first = number - len(before)  # the pages before are not known where the question is gone
        for page, (recall, fact) in enumerate(pages, first):
            items = [] if fact is None else returned(fact).items
            for at, (record, version) in enumerate(items, rank + 1):
                if record == memory_id:
                    place = at if first == 1 else None
                    reason = RETURNED if recall is None else EARLIER
                    return Verdict(reason, version, by=recall, rank=place, page=page)
            rank += len(items)
        return None

    def _earlier(self, recalls: Sequence[str]) -> list[RecallRecorded | None]:
        """What the pages before were recorded to give; None for one that is not there."""
        found = {
            recall: events
            for part in parts_of(recalls)
            for recall, events in self._log.streams(self._context.workspace, part).items()
        }
        facts = [[fact for event in found.get(one, ()) for fact in event.facts] for one in recalls]
        return [
            next(
                (
                    fact
                    for fact in of_one
                    if isinstance(fact, RecallRecorded) and visible_to(self._context.viewer, fact)
                ),
                None,
            )
            for of_one in facts
        ]

    def _question(self, connection: Connection, row: Row[Any]) -> Verdict:
        """Of a memory that might have been an answer: why it was none to this question."""
        said = asked(self._fact)
        if said is None or self._fact.payload is None:
            return Verdict(ERASED, row.version)
        if self._recorded.hides:
            return Verdict(HIDDEN, row.version)
        filters = filters_of(said, self._asked_slot(said))
        name = ExclusionView(connection, self._chosen.basis, filters).filter_of(row)
        if name is not None:
            reason = OTHER_SESSION if name == "session_id" else FILTERED
            return Verdict(reason, row.version, filter=name)
        retrieval = Retrieval(
            connection,
            self._chosen,
            said,
            filters,
            self._deadline,
            late=any(made["outcome"] == TIMEOUT for made in self._fact.payload.outcomes),
            skipped=row.memory_id in {record for record, _ in returned(self._fact).skipped},
        )
        return retrieval.verdict(row.memory_id, row.version)

    def _asked_slot(self, said: RecallInput) -> str | None:
        if said.slot is None:
            return None
        return self._slot_ref(self._context.workspace, said.slot) or NO_SLOT


def basis_of(context: Context, recorded: Recorded) -> Basis:
    """That of the recall. Of somebody else's recall only what all of the workspace may see.

    It gave nothing else, else it would be private; and of what it may have met, nobody is told.
    """
    fact = recorded.fact
    actor = context.actor if fact.owner == context.actor else _NOBODY
    position, as_of_us = fact.counts["position"], fact.counts["as_of_us"]
    return Basis(context.workspace, actor, position, as_of_us, context.viewer.session)


def _late(message: str) -> MemorandaError:
    return MemorandaError(Code.OVERLOADED, message, reason="NOT_CAUGHT_UP", retry_after=1)
