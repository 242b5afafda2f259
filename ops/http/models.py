"""What answers look like (spec/operations.md §4): the documentation, and what tests hold it to.

Within v1 members may be added, so a reader must not refuse what it does not know.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from domain.canonical import Json, JsonObject
from domain.contract import Content
from domain.event_bases import Lifecycle
from domain.events import ForgetMode

Timestamp = Annotated[str, Field(description="RFC 3339, as it was sent; the server's own in UTC.")]
Position = Annotated[int, Field(ge=0, description="A position in the log.")]
Damaged = Annotated[
    list[int],
    Field(description="Positions of events that cannot be read, so that what they say is missing."),
]


class Answer(BaseModel):
    """Members may be added."""

    model_config = ConfigDict(extra="allow", strict=True)


class Reference(Answer):
    """Where something was read."""

    source_id: str
    locator: str | None
    observed_at: str | None


class _Versioned(Answer):
    id: str
    identity_key: str | None
    kind: str
    provenance: list[Reference]
    confidence: float | None
    valid_from: Timestamp | None
    valid_until: Timestamp | None
    recorded_at: Timestamp
    expires_at: Timestamp | None
    lifecycle: Lifecycle
    version: Annotated[int, Field(ge=1)]
    erased: Annotated[bool, Field(description="Only where it is true: the text is gone.")] = False


class Record(_Versioned):
    """A memory at one version."""

    schema_version: str
    content: Annotated[Content | None, Field(description="Null where it was erased.")]
    tags: list[str]


class Relationship(_Versioned):
    """A directed edge at one version."""

    source_id: str
    target_id: str
    properties: Json


class Receipt(Answer):
    """Given only once the command is durable."""

    committed_id: str
    committed_version: Annotated[int, Field(ge=1)]
    audit_correlation_id: str
    replayed: bool
    position: Annotated[int, Field(ge=1, description="Wait for it with `min_position`.")]


class SlotMember(Answer):
    """Another memory of the same slot."""

    id: str
    version: int
    status: str | None
    same_value: bool


class Slot(Answer):
    """What else the slot holds; `more` others are not listed."""

    key: str | None
    others: Annotated[list[SlotMember], Field(max_length=20)]
    conflicts: int
    more: int = 0


class RememberResult(Answer):
    """The memory as it is now."""

    record: Record
    receipt: Receipt
    slot: Slot | None = None


class RelateResult(Answer):
    """The relationship as it is now."""

    relationship: Relationship
    receipt: Receipt


class Erasure(Answer):
    """What a forget for good leaves; absent for an expiry, and when a command is replayed.

    `completed` is there for an application_delete: false means that its steps go on. `more_…` count
    the ids that are not listed.
    """

    completed: bool | None = None
    stays: Annotated[list[str], Field(description="What stays readable in the store.")]
    out_of_reach: Annotated[list[str], Field(description="Where no erasure gets to.")]
    derived: Annotated[
        list[str] | None,
        Field(description="Made from it, to be reviewed. Null: not known yet.", max_length=100),
    ]
    originals: Annotated[
        list[str],
        Field(description="Superseded by it; their content is still there.", max_length=100),
    ]
    more_derived: int = 0
    more_originals: int = 0


class ForgetResult(Answer):
    """What was done."""

    receipt: Receipt
    mode: ForgetMode
    slot: Slot | None = None
    erasure: Erasure | None = None


class ConsolidateResult(Answer):
    """A proposal, or one that was applied."""

    proposal_id: str
    applied: bool
    canonical_id: str
    originals_retained: list[str]
    disagreements_retained: bool
    disagreements: list[JsonObject] = []
    rationale: str | None = None
    receipt: Receipt | None


class RecallItem(Answer):
    """A selected memory and why."""

    record: Record
    selection_reasons: list[str]
    score: float
    path: list[str]
    contested: bool
    stale_sources: list[str]
    needs_review: Annotated[
        bool, Field(description="Made from something that was forgotten since.")
    ]
    gaps: Annotated[
        list[str] | None,
        Field(
            default=None,
            description="Of a claim or a fact what is missing behind it, as `/v1/claims` says; "
            "null where there was no time to look. Absent for other memories.",
        ),
    ]


class Completeness(Answer):
    """Whether anything was left out, and why."""

    complete: bool
    truncated: bool
    outcomes: list[str]


class Usage(Answer):
    """What of the budgets was used."""

    items: int
    depth: int
    payload_bytes: int
    cost: int
    elapsed_ms: float


class ScorePart(Answer):
    """What one thing counts in a score; of a `term` also in which fields of which memory it stands.

    `lent`: it stands in a neighbour of the item. `fields` is null where time was up.
    """

    part: Literal["term", "preferred_repo", "depth"]
    score: float
    term: str | None = None
    weight: Annotated[float | None, Field(description="Of the term in the question.")] = None
    memory_id: str | None = None
    version: int | None = None
    lent: bool | None = None
    fields: list[Literal["text", "properties", "tags", "kind", "identity_key"]] | None = None
    depth: int | None = None


class PathStep(Answer):
    """A relationship that was followed, in either direction."""

    from_: Annotated[str, Field(alias="from")]
    relationship_id: str
    to: str


class ContestedBy(Answer):
    """A memory that says something else: in the same slot, or by a relationship."""

    memory_id: str
    why: Literal["slot", "contradicts"]
    relationship_id: str | None


class ExplainedItem(Answer):
    """Why an item is there. `parts` added one by one are the score, to the bit.

    `parts` and `contested_by` are null where time was up.
    """

    id: str
    version: int
    score: float
    parts: list[ScorePart] | None
    path: list[PathStep]
    contested_by: list[ContestedBy] | None
    more_contests: Annotated[int, Field(description="Memories that `contested_by` leaves out.")]


class RecallResult(Answer):
    """A page of an answer; `next_page_token` leads to the next one."""

    recall_id: str
    items: list[RecallItem]
    relationships: list[Relationship]
    completeness: Completeness
    usage: Usage
    next_page_token: str | None
    basis: Annotated[JsonObject, Field(description="What the answer is a function of.")]
    explained: Annotated[
        list[ExplainedItem] | None,
        Field(description="With `explain`: why each item is there, in their order."),
    ] = None


class Target(Answer):
    """What was traced."""

    kind: Literal["memory", "relationship", "recall", "mutation"]
    id: str


class TracedVersion(Answer):
    """One version: what happened and by whom."""

    record_id: str
    version: int
    lifecycle: Lifecycle
    recorded_at: Timestamp
    event: str
    position: Position
    record: JsonObject | None = None


class TracedPath(Answer):
    """A relationship, its ends and its sources."""

    memory_ids: list[str]
    relationship_ids: list[str]
    evidence_source_ids: list[str]


class TraceResult(Answer):
    """How it came about, from the log alone."""

    target: Target
    versions: list[TracedVersion]
    paths: list[TracedPath]
    actor_id: str
    agent_id: str | None
    session_id: str
    policy_decisions: list[Json]
    details: JsonObject
    gaps: list[Json] = []


RESULTS: Final[dict[str, type[Answer]]] = {
    "remember": RememberResult,
    "relate": RelateResult,
    "recall": RecallResult,
    "update": RememberResult,
    "update_relationship": RelateResult,
    "forget": ForgetResult,
    "consolidate": ConsolidateResult,
    "trace": TraceResult,
}  # by tag


class ErrorDetail(Answer):
    """Why a request was refused, and what to do."""

    code: str
    message: str
    retryable: bool
    field: str | None = None
    reason: str | None = None
    current_version: int | None = None


class ErrorBody(Answer):
    """A refusal on the contract routes."""

    ok: Literal[False]
    correlation_id: str
    error: ErrorDetail


class Problem(Answer):
    """A refusal on all other routes (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    retryable: bool
    correlation_id: str
    field: str | None = None
    reason: str | None = None
