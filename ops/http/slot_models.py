"""What the routes of slots answer: the documentation, and what tests hold it to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ops.http.models import Answer, Position, Timestamp
from ops.http.read_models import AnswerBasis, MemoryItem

DecidedBy = Literal["recorded_at", "valid_from", "event_id", "correction_order"]


class SlotConflict(Answer):
    """Memories of a slot that say different things; without a winner all are selected."""

    winner: str | None
    losers: list[str]
    candidates: list[str]
    decided_by: DecidedBy | None


class SlotExcluded(Answer):
    """A version of a slot that is no answer, and the first reason that applies."""

    id: str
    version: int
    reason: str
    by: Annotated[
        str | None, Field(description="Where the policy chose something else: `<id>@<version>`.")
    ]


class SlotAnswer(Answer):
    """What is known about a slot at a basis."""

    slot: str
    policy: str
    basis: AnswerBasis
    selected: Annotated[list[str], Field(description="Memories, the first in precedence first.")]
    items: Annotated[
        list[MemoryItem], Field(description="The records of the first `limit` selected ones.")
    ]
    conflicts: list[SlotConflict]
    excluded: list[SlotExcluded]
    position: Position


class SelectedVersion(Answer):
    """A version of a memory."""

    id: str
    version: int


class SlotItem(Answer):
    """A slot and what is selected in it."""

    slot: Annotated[str | None, Field(description="Null where the text that named it was erased.")]
    selected: list[SelectedVersion]
    candidates: Annotated[list[str], Field(description="All memories that may be an answer.")]
    conflict: SlotConflict | None
    before: Annotated[
        list[SelectedVersion],
        Field(
            default_factory=list,
            description="What was selected by `changed_since`; only where that is asked.",
        ),
    ]


class SlotPage(Answer):
    """A page of slots; an order of references, which says nothing of names."""

    items: list[SlotItem]
    policy: str
    basis: AnswerBasis
    since: Annotated[AnswerBasis | None, Field(description="The basis of `changed_since`.")]
    next_cursor: Annotated[
        str | None, Field(description="Also where a page with filters is short, or empty.")
    ]
    position: Position


class SlotInterval(Answer):
    """Instants for which a slot has one answer: from `from` on, before `until`."""

    from_: Annotated[Timestamp, Field(alias="from")]
    until: Annotated[Timestamp | None, Field(description="Null: for ever.")]
    selected: list[SelectedVersion]
    conflicts: list[SlotConflict]


class SlotChange(Answer):
    """An event after which a slot has another answer, and the answer."""

    position: Position
    event: Annotated[str, Field(description="`<id>@<version>`")]
    recorded_at: Annotated[Timestamp, Field(description="Of the event, as its writer says.")]
    appended_at: Annotated[Timestamp, Field(description="When the store got it.")]
    answers: Annotated[list[SlotInterval], Field(description="In order; no answer in between.")]


class SlotChanges(Answer):
    """What changed the answer about a slot, oldest first."""

    slot: str
    policy: str
    entries: list[SlotChange]
    next_after: Annotated[int | None, Field(description="`after` of the next page; null: none.")]
    position: Position


SLOT_MODELS: tuple[type[Answer], ...] = (SlotAnswer, SlotPage, SlotChanges)
