"""What the reading routes answer: the documentation, and what tests hold it to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from domain.canonical import Json, JsonObject
from domain.event_bases import Visibility
from ops.http.models import Answer, Position, Record, Relationship, Timestamp

Reason = Literal[
    "returned",
    "on_earlier_page",
    "absent",
    "other_owner",
    "recorded_later",
    "deleted",
    "superseded",
    "hidden",
    "not_yet_valid",
    "validity_ended",
    "expired",
    "objective_erased",
    "objective_hidden",
    "other_session",
    "filtered",
    "shadowed",
    "same_value",
    "corrected",
    "no_lexical_match",
    "max_depth_reached",
    "supernode_blocked",
    "cost_budget_exhausted",
    "rank_cutoff",
    "payload_budget_exhausted",
    "item_exceeds_payload_budget",
    "timeout",
    "event_damaged",
    "answer_changed",
]


class MemoryItem(Record):
    """A memory, and where it belongs."""

    visibility: Visibility
    owner: str
    session: Annotated[str, Field(description="The home session, that of version 1.")]
    needs_review: Annotated[
        bool, Field(description="Made from something that was forgotten since.")
    ]


class MemoryAnswer(MemoryItem):
    """One memory."""

    position: Position


class AnswerBasis(Answer):
    """What was known, and for which instant it is an answer."""

    position: Position
    as_of: Timestamp


class Excluded(Answer):
    """The first reason why a memory is no answer at a basis."""

    reason: str


class PastMemory(MemoryAnswer):
    """One memory as it was known at a basis; `needs_review` goes by what is known today."""

    basis: AnswerBasis
    excluded: Annotated[Excluded | None, Field(description="Null where it may be an answer.")]


class MemoryPage(Answer):
    """A page of memories, by id, which is by creation."""

    items: list[MemoryItem]
    next_cursor: str | None
    position: Position


class RelationshipItem(Relationship):
    """A relationship, and where it belongs."""

    visibility: Visibility
    owner: str
    session: Annotated[str, Field(description="The home session, that of version 1.")]


class RelationshipAnswer(RelationshipItem):
    """One relationship."""

    position: Position


class RelationshipPage(Answer):
    """A page of relationships, by id, which is by creation."""

    items: list[RelationshipItem]
    next_cursor: str | None
    position: Position


class RecalledItem(Answer):
    """A memory as it was given; reasons and score are null where the question was erased."""

    record: Record
    selection_reasons: list[str] | None
    score: float | None


class RecordedRecall(Answer):
    """A recall as it was answered. `details` are those of its trace, and the question."""

    recall_id: str
    recorded_at: Timestamp
    actor_id: str
    agent_id: str | None
    session_id: str
    items: list[RecalledItem]
    relationships: list[Relationship]
    details: JsonObject
    position: Position


class WhyNotAnswer(Answer):
    """Why a memory was no item of a recall: the first reason that applies, and what to do.

    A memory that the caller may not see gets the answer for one that never was.
    """

    recall_id: str
    memory_id: str
    item: Annotated[bool, Field(description="Whether it was an item of this recall after all.")]
    reason: Reason
    detail: Annotated[str, Field(description="The reason in words.")]
    version: int | None
    by: Annotated[
        str | None, Field(description="The event (`<id>@<version>`), or recall, that did it.")
    ]
    filter: Annotated[str | None, Field(description="The filter that it is not within.")]
    rank: Annotated[int | None, Field(description="Its place among all items, from 1.")]
    page: Annotated[int | None, Field(description="The page that gave it, from 1.")]
    limit: Annotated[str | None, Field(description="The first limit that it met.")]
    raise_: Annotated[
        dict[str, int | None],
        Field(
            alias="raise",
            description="All limits that have to be larger for it to be on the first page, with "
            "the least values that suffice together; null where no value allowed does.",
        ),
    ]
    position: Position


class ReplayedItem(Answer):
    """An item of a page; `score` and `reasons` are null where they were erased."""

    id: str
    version: int
    score: float | None
    reasons: list[str] | None


class ReplayedRecord(Answer):
    """A record that a page gave, or named as too large."""

    id: str
    version: int


class ReplaySide(Answer):
    """What is compared of an answered page; null where it was erased."""

    basis: JsonObject | None
    items: list[ReplayedItem]
    relationships: list[ReplayedRecord]
    skipped_items: list[ReplayedRecord]
    outcomes: list[JsonObject] | None
    truncated: bool
    usage: dict[str, int]


class ReplayDifference(Answer):
    """Where two pages differ; null for what is not there."""

    path: Annotated[str, Field(description="For example `basis.ranker` or `items[2].score`.")]
    recorded: Json
    replayed: Json


class ReplayAnswer(Answer):
    """A recorded recall and the same one executed once more."""

    recall_id: str
    verdict: Literal["identical", "identical_except_erased", "differs", "not_comparable"]
    reason: Annotated[
        Literal[
            "objective_erased",
            "objective_hidden",
            "timeout",
            "partial_page_in",
            "event_parked",
            "earlier_page_lost",
        ]
        | None,
        Field(description="Why it is not comparable."),
    ]
    detail: Annotated[str | None, Field(description="The reason in words.")]
    first_difference: ReplayDifference | None
    recorded: ReplaySide
    replayed: Annotated[ReplaySide | None, Field(description="Null where not comparable.")]
    position: Position


class StoredEvent(Answer):
    """An event as it is stored.

    `event_hash` = SHA-256("memoranda.event.v1\\n" ‖ SHA-256(head) ‖ SHA-256(body)), where head is
    the canonical JSON of `head` and the last part is `body_sha256`; `head.prev` is the
    `event_hash` of the version before.
    """

    event: Annotated[str, Field(description="`<stream>@<version>`")]
    position: Annotated[int, Field(ge=1)]
    appended_at: Timestamp
    head: JsonObject
    head_bytes: int
    body_bytes: int
    body_sha256: str
    event_hash: str
    payload: Json
    payload_absent: Annotated[
        Literal["none", "erased", "forgotten", "permission"] | None,
        Field(description="Why `payload` is null."),
    ]


class EventPage(Answer):
    """Stored events; go on at `next_after`, until it stays the same."""

    events: list[StoredEvent]
    next_after: int
    position: Position


class StreamPage(EventPage):
    """Stored events of one stream; `next_after` is a version."""

    stream: str


class Live(Answer):
    """The process answers."""

    status: Literal["live"]


class Parked(Answer):
    """Streams of a read model that an event stands in the way of: `memoranda parked list`."""

    projection: str
    streams: int
    events: int


class ReadModels(Answer):
    """How far the read models have seen the log."""

    position: Position
    lag: int
    lag_max: int
    failing: Annotated[str | None, Field(description="The read model that cannot go on.")]
    parked: list[Parked]


class DoorbellAnswer(Answer):
    """Redis, by which workers are woken. Without it read models follow a second or two later."""

    away: bool
    errors: int
    last_error: str | None


class Ready(Answer):
    """Whether requests should come here."""

    status: Literal["ready", "behind", "failing"]
    position: Position
    read_models: ReadModels
    doorbell: Annotated[
        DoorbellAnswer | None, Field(description="How workers are woken; null without workers.")
    ]


class About(Answer):
    """What answers here."""

    name: str
    version: str
    contract_versions: list[str]


READ_MODELS: tuple[type[Answer], ...] = (
    MemoryAnswer,
    PastMemory,
    MemoryPage,
    RelationshipAnswer,
    RelationshipPage,
    RecordedRecall,
    WhyNotAnswer,
    ReplayAnswer,
    EventPage,
    StreamPage,
    Live,
    Ready,
    About,
)
