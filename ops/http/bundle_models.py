"""What the reading routes of bundles answer: documentation, and tests."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from domain.bundles.takeaways import CitedAs
from domain.canonical import Json, JsonObject
from domain.event_bases import Visibility
from ops.http.models import Answer, Position, Timestamp
from ops.http.window_models import ProposalVerdict, WindowReceipt

Erased = Annotated[bool, Field(description="Its words are gone, and so null.")]
Stands = Annotated[
    Literal["active", "expired", "superseded", "tombstoned", "forgotten"] | None,
    Field(description="How the memory stands; null where that is not known."),
]
Text = Annotated[str | None, Field(description="Null where it was erased.")]
Result = Literal["knowledge_patched", "no_output", "failed"]


class _Concept(Answer):
    id: str
    source_id: Annotated[
        str | None, Field(description="`agent-sessions/` and the client of the first window.")
    ]
    owner: str
    visibility: Visibility
    repo_identifier: str | None
    concept_type: Text
    concept_path: Annotated[str | None, Field(description="A label, and no file.")]
    title: Text
    claim_count: int
    created_at: Timestamp
    updated_at: Annotated[str, Field(description="When a claim came to say something else.")]


class ConceptPage(Answer):
    """One's own concepts, oldest first."""

    items: list[_Concept]
    next_cursor: str | None
    position: Position


class _Wording(Answer):
    claim_text: Text
    rule: Text
    scope: Text
    rationale: str | None
    memory_type: Text
    tags: list[str] | None
    confidence: float | None
    memory_id: str
    memory_lifecycle: Stands
    erased: Erased


class ShortCitation(Answer):
    """Which window a claim rests on."""

    citation_url: Text
    window_id: str
    cited_as: CitedAs
    observed_at: Timestamp | None


class _Claim(_Wording):
    id: str
    concept_id: str
    display_anchor: Text
    created_at: Timestamp
    updated_at: Annotated[str, Field(description="When it came to say what it says.")]


class ConceptClaim(_Claim):
    """A claim as it stands."""

    citations: list[ShortCitation]


class ConceptAnswer(_Concept):
    """A concept, and its claims in the order of their creation."""

    claims: list[ConceptClaim]
    position: Position


class Citation(ShortCitation):
    """Evidence for a claim, with the events of the window that it opens."""

    memory_id: Annotated[str, Field(description="The memory that it was given for.")]
    recorded_at: Timestamp
    history_window: JsonObject | None
    evidence: Annotated[
        list[JsonObject] | None, Field(description="Redacted: `id`, `kind`, `actor`, `text`.")
    ]
    citations: Annotated[list[Json] | None, Field(description="As the proposal gave them.")]
    reason: str | None
    erased: Erased


class FormerWording(_Wording):
    """What a claim said before, and how it came to say something else."""

    recorded_at: Timestamp
    window_id: Annotated[str, Field(description="By which it was said.")]
    mode: Annotated[Literal["revision", "supersession"], Field(description="How it was replaced.")]
    reason: Annotated[str | None, Field(description="Why it was replaced.")]
    replaced_at: Timestamp
    replaced_by: Annotated[str, Field(description="The next memory.")]
    replaced_in: Annotated[str, Field(description="The window that replaced it.")]
    diff: Annotated[
        list[str] | None,
        Field(description="Lines of a unified diff of rule, scope and rationale to the next."),
    ]


class LateEvidence(Answer):
    """Evidence that is older than the current one, and what it says instead."""

    window_id: str
    citation_url: Text
    observed_at: Timestamp | None
    recorded_at: Timestamp
    reason: str | None
    offered: JsonObject | None


class BundleClaimAnswer(_Claim):
    """One evolving claim: what it says, said before, and rests on."""

    concept_path: str | None
    concept_title: str | None
    repo_identifier: str | None
    owner: str
    visibility: Visibility
    citations: list[Citation]
    former: Annotated[list[FormerWording], Field(description="Oldest first.")]
    late: list[LateEvidence]
    position: Position


class _Sent(Answer):
    client: Text
    session_id: Text
    trigger: Text
    workspace: Annotated[str | None, Field(description="The path that the agent worked in.")]
    repo_identifier: str | None
    branch: str | None
    commit_sha: str | None
    history_window: JsonObject | None
    window_hash: Text
    observed_at: Timestamp | None
    author: Annotated[JsonObject | None, Field(description="Who proposed: the caller, or a model.")]
    raw: Annotated[str | None, Field(description="The raw answer of an extractor.")]
    basis: JsonObject | None
    redactions: Annotated[dict[str, int] | None, Field(description="How many secrets, by kind.")]
    erased: Erased


class WindowAttempt(_Sent):
    """One time that the window was sent; `proposals` as they were decided then."""

    version: int
    result: Result | Literal["accepted", "repeated"]
    recorded_at: Timestamp
    counts: dict[str, int]
    memories: Annotated[list[str], Field(description="The memories that it speaks of.")]
    sent: Annotated[Json, Field(description="The caller's own receipt, redacted.")]
    proposals: list[ProposalVerdict] | None


class ResolvedProposal(Answer):
    """An ambiguous proposal that the owner decided."""

    index: int
    claim_id: Annotated[str | None, Field(description="Null: a new claim.")]


class StoredWindow(_Sent):
    """A window as it was sent, redacted, and what came out of it."""

    id: str
    owner: str
    visibility: Visibility
    status: Literal["accepted", "processed"]
    result: Annotated[Result | None, Field(description="Null while it waits for its extractor.")]
    submitted_at: Timestamp
    processed_at: Annotated[Timestamp | None, Field(description="Null while it waits.")]
    events: Annotated[list[JsonObject] | None, Field(description="Canonical, `E1` to `En`.")]
    transcript: str | None
    proposed: Annotated[list[JsonObject] | None, Field(description="The proposals as sent.")]
    receipt: WindowReceipt
    proposals: Annotated[
        list[ProposalVerdict],
        Field(description="What became of each, in their order; what was resolved included."),
    ]
    resolved: list[ResolvedProposal]
    attempts: Annotated[list[WindowAttempt], Field(description="Oldest first.")]
    position: Position


class WindowFailure(Answer):
    """A proposal that failed its window; null where the words are erased."""

    window_id: str
    session_id: str | None
    at: Timestamp
    index: int | None
    outcome: str | None
    reason: str | None


class CompletenessAnswer(Answer):
    """What became of one's own windows."""

    session_id: str | None
    total: int
    processed: Annotated[int, Field(description="Neither failed nor waiting.")]
    knowledge_patched: int
    no_output: int
    no_output_share: Annotated[
        float | None, Field(description="Of the processed ones; null for none.")
    ]
    failed: int
    waiting: int
    failures: Annotated[list[WindowFailure], Field(description="The latest first, at most 100.")]
    position: Position


BUNDLE_MODELS: Final[tuple[type[Answer], ...]] = (
    ConceptPage,
    ConceptAnswer,
    BundleClaimAnswer,
    StoredWindow,
    CompletenessAnswer,
)
