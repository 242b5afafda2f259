"""A recorded recall, executed once more at its basis (spec/operations.md §7, policy.md §3.6).

Its question is asked again of what was known then, without what was forgotten since, and what
would be recorded of the answer is held against what was. Nothing is recorded by a replay.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, or_, select

from domain.canonical import JsonObject
from domain.context import Context
from domain.contract import RecallInput
from domain.errors import Code, MemorandaError
from domain.events import MemoryForgotten
from projections.catalogue import CATALOGUE
from projections.columns import BIG
from projections.database import reading
from projections.parked_streams import first_parked
from projections.schema import MEMORY_VERSION
from read_api.basis import known
from read_api.basis_choice import Chosen
from read_api.deadlines import Deadline
from read_api.expansion import TIMEOUT
from read_api.given_pages import given_by
from read_api.pages import PARTIAL, make_page
from read_api.recall import page_of, shown
from read_api.recorded_recalls import Recorded, RecordedRecalls
from read_api.recordings import asked, earlier_pages, forgotten_of, recording, was_told
from read_api.replay_comparing import Compared, compare, side
from read_api.rereading import Rereading
from read_api.selecting import NO_SLOT
from read_api.why_not import basis_of

SECONDS_MAX: Final = 20.0
"""How long a replay may take: half of it may be waiting for the read models."""

NOT_COMPARABLE: Final = "not_comparable"
ERASED: Final = "objective_erased"
HIDDEN: Final = "objective_hidden"
PARKED: Final = "event_parked"
LOST: Final = "earlier_page_lost"
REASONS: Final = {
    ERASED: "the question was erased with something that the recall gave",
    HIDDEN: "the question may quote what was forgotten since, and is not for you",
    TIMEOUT: "time was up before the answer was whole: where it stopped is no matter of its basis",
    PARTIAL: "the recall had not seen everything up to its basis",
    PARKED: "an event of the workspace waits for an operator",
    LOST: "the recording of an earlier page is gone",
}
"""Why a recall is not replayed, in words."""

_ROW: Final = MEMORY_VERSION.c
_LATER: Final = MEMORY_VERSION.alias("later")
_FORGOTTEN_SINCE: Final = (
    select(_ROW.memory_id)
    .join(
        _LATER,
        (_LATER.c.workspace == _ROW.workspace)
        & (_LATER.c.memory_id == _ROW.memory_id)
        & (_LATER.c.version > _ROW.version),
    )
    .where(
        known(MEMORY_VERSION),
        or_(_ROW.forgotten.is_not(None), _ROW.erased.is_(True)),
        _LATER.c.topic == MemoryForgotten.TOPIC,
        _LATER.c.position > bindparam("basis_position", type_=BIG),
    )
    .limit(1)
)


class Replay:
    """Replays recalls. Safe to share between threads."""

    def __init__(self, on: Rereading) -> None:
        self._log = on.log
        self._views = on.views
        self._recalls = RecordedRecalls(on.log)
        self._bases = on.bases()
        self._slot_ref = on.slot_ref
        self._trusted = on.trusted

    def answer(self, context: Context, recall_id: str) -> JsonObject:
        """`{recall_id, verdict, reason, detail, first_difference, recorded, replayed, position}`.

        `reason` and `detail` say why nothing can be compared, and are null otherwise; `replayed`
        is null then. NOT_FOUND where the recall is absent, of another workspace or owner.
        OVERLOADED where the read models do not see all of the log in time, or time is up.
        """
        context = self._trusted(context)
        position = self._log.head()
        recorded = self._recalls.read(context, recall_id)
        reason = _not_comparable(recorded)
        found = reason if reason is not None else self._compared(context, recorded)
        return {
            "recall_id": recall_id,
            **(found.wire() if isinstance(found, Compared) else _unanswered(found)),
            "recorded": side(recorded.fact),
            "position": position,
        }

    def _compared(self, context: Context, recorded: Recorded) -> Compared | str:
        """The comparison, or why there is none."""
        fact, said = recorded.fact, asked(recorded.fact)
        pages = earlier_pages(fact)
        given = given_by(self._log, context.workspace, pages)
        if said is None or given is None:
            return LOST
        deadline = Deadline.after(SECONDS_MAX)
        chosen = self._bases.again(basis_of(context, recorded), deadline)
        if chosen.partial:
            raise _late("the read models do not see all of the log yet: ask again")
        told, slot = was_told(fact), self._asked_slot(context, said)
        with reading(self._views) as connection:
            if first_parked(connection, CATALOGUE, context.workspace) is not None:
                return PARKED
            made = make_page(connection, chosen, said, given, deadline, told=told, slot_ref=slot)
            forgot = _forgotten_since(connection, chosen)
        if any(one["outcome"] == TIMEOUT for one in made.outcomes):
            raise _late(f"this took longer than {SECONDS_MAX:g} seconds: ask again")
        page = page_of(made, shown(made, said, deadline), pages, told=told)
        again = recording(context, said, page)
        gone = forgotten_of(fact, recorded.memories)
        return compare(fact, again, forgot=forgot or bool(gone), gone=gone)

    def _asked_slot(self, context: Context, said: RecallInput) -> str | None:
        if said.slot is None:
            return None
        return self._slot_ref(context.workspace, said.slot) or NO_SLOT


def _not_comparable(recorded: Recorded) -> str | None:
    """Why a recording cannot be replayed; None where it can."""
    said = recorded.fact.payload
    if said is None:
        return ERASED
    if recorded.hides:
        return HIDDEN
    happened = {one["outcome"] for one in said.outcomes}
    return next((reason for reason in (TIMEOUT, PARTIAL) if reason in happened), None)


def _forgotten_since(connection: Connection, chosen: Chosen) -> bool:
    """Whether anything that was known at the basis, and may be seen, was forgotten after it."""
    return connection.execute(_FORGOTTEN_SINCE, chosen.basis.binds).first() is not None


def _unanswered(reason: str) -> JsonObject:
    return {
        "verdict": NOT_COMPARABLE,
        "reason": reason,
        "detail": REASONS[reason],
        "first_difference": None,
        "replayed": None,
    }


def _late(message: str) -> MemorandaError:
    return MemorandaError(Code.OVERLOADED, message, reason="NOT_CAUGHT_UP", retry_after=1)
