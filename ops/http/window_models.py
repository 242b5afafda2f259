"""What is sent about windows of sessions, and answered: documentation, checks and tests."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from domain.bundles.reconciling import Outcome
from domain.bundles.window_body import WindowBody
from domain.canonical import Json, JsonObject
from domain.contract import Wire
from ops.http.models import Answer


class Resolve(Wire):
    """What an ambiguous proposal of a window is about."""

    index: Annotated[int, Field(ge=0, description="Which proposal of the window, from 0 on.")]
    claim_id: Annotated[str, Field(description="The claim that it is about, or `new`.")]


class Candidate(Answer):
    """A claim that a proposal was compared with."""

    claim_id: str
    concept_id: str
    memory_id: str
    score: Annotated[float, Field(ge=0, le=1)]
    verdict: str
    differing: Annotated[list[str], Field(description="What the two do not agree about.")]


class ProposalVerdict(Answer):
    """What became of a proposal."""

    index: int
    outcome: Outcome
    restated: bool
    reason: str
    concept_id: str | None
    claim_id: str | None
    memory_id: str | None
    covered_concept_id: str | None
    covered_claim_id: str | None
    candidates: Annotated[list[Candidate], Field(description="Best first.")]


class WindowReceipt(Answer):
    """What the window did; `sent` is the caller's own receipt, redacted."""

    window_id: str
    outcome: str
    reason: str | None
    redactions: Annotated[dict[str, int], Field(description="How many secrets, by kind.")]
    author: Annotated[JsonObject | None, Field(description="Who wrote the proposals.")]
    proposals: list[JsonObject]
    sent: Json


class SubmittedWindow(Answer):
    """What became of a window."""

    accepted: Literal[True]
    status: Literal["processed", "accepted"]
    result: Literal["knowledge_patched", "no_output", "failed"] | None
    window_id: str
    window_hash: str | None
    idempotent: Annotated[bool, Field(description="Whether it was known before.")]
    receipt: WindowReceipt
    proposals: list[ProposalVerdict]


class WindowProblem(Answer):
    """A window of which a proposal failed; the others stand. `detail` is the whole answer."""

    type: str
    title: str
    status: Literal[422]
    detail: SubmittedWindow
    code: str
    retryable: bool
    correlation_id: str
    reason: str


class ReplayedAttempt(Answer):
    """One attempt, or resolution, decided again."""

    event: str
    recorded_at: str
    verdict: Literal["identical", "identical_except_erased", "differs"]
    thresholds: Annotated[str, Field(description="The version that it was decided by again.")]
    difference: Annotated[
        JsonObject | None, Field(description="The first: index, field, recorded, now.")
    ]


class WindowReplayAnswer(Answer):
    """A window decided again on what was known then."""

    window_id: str
    verdict: Literal["identical", "identical_except_erased", "differs"]
    attempts: list[ReplayedAttempt]


WINDOW_MODELS: Final[tuple[type[BaseModel], ...]] = (
    WindowBody,
    Resolve,
    SubmittedWindow,
    WindowProblem,
    WindowReplayAnswer,
)
