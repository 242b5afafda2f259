"""What the routes of claims take and answer: the documentation, and what tests hold it to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from domain.canonical import Json, JsonObject
from domain.claims.gap_names import GapName
from domain.contract import Content
from domain.errors import invalid
from domain.event_bases import Target
from domain.events import EpistemicStatus
from ops.http.models import Answer, Damaged, Position, Receipt, Record, Timestamp
from ops.http.read_models import AnswerBasis


class _Sent(BaseModel):
    """Members may not be added."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewAssessment(_Sent):
    """A policy to be applied to a claim."""

    policy: Annotated[
        str, Field(description="Its name, as in `two-independent-current-sources/v1`.")
    ]
    as_of: Annotated[str | None, Field(description="The instant it is decided for; now.")] = None
    exclude: Annotated[
        list[str] | None,
        Field(
            max_length=1000,
            description="Memories and relationships that are taken for absent: what if they were? "
            "Nothing is recorded then, and no key is needed.",
        ),
    ] = None
    apply: Annotated[
        bool, Field(description="Write the status that comes out, citing the assessment.")
    ] = False
    expected_version: Annotated[
        int | None, Field(ge=1, description="Of the claim; `If-Match` says the same.")
    ] = None


class NewReview(_Sent):
    """What a reviewer says about what a claim states now."""

    policy: Annotated[str, Field(description="The policy that asks for it.")]
    verdict: Literal["approved", "rejected"]
    expected_version: Annotated[
        int | None, Field(ge=1, description="Of the claim; `If-Match` says the same.")
    ] = None


class NewFact(_Sent):
    """A memory that is made from others; each of these must be at the version that is named."""

    claims: Annotated[
        list[Annotated[list[str | int], Field(min_length=2, max_length=2)]],
        Field(min_length=1, max_length=100, description="`[id, version]` each; episodes too."),
    ]
    kind: Literal["fact", "procedure"]
    content: Content
    policy: Annotated[str, Field(description="The policy by which it was decided.")]
    assessment: Annotated[
        str | None, Field(description="An assessment of one of the claims by that policy.")
    ] = None

    def contributors(self) -> list[Target]:
        """The memories at their versions; INVALID_REQUEST for a pair of other types."""
        found: list[Target] = []
        for at, (memory, version) in enumerate(self.claims):
            if not isinstance(memory, str) or not isinstance(version, int):
                raise invalid(f"claims.{at} must be [id, version]", field=f"claims.{at}")
            found.append((memory, version))
        return found


class Version(Answer):
    """A record at a version."""

    id: str
    version: int


class ClaimDimensions(Answer):
    """Figures about the evidence; one that cannot be computed is absent, which is not 0."""

    support_mass: Annotated[float | None, Field(default=None, ge=0)]
    contradiction_mass: Annotated[float | None, Field(default=None, ge=0)]
    independence: Annotated[int | None, Field(default=None, ge=0)]
    authority: Annotated[float | None, Field(default=None, ge=0, le=1)]
    temporal_cover: Annotated[float | None, Field(default=None, ge=0, le=1)]


class ClaimItem(Answer):
    """What a claim says, its status as written, what the evidence weighs, what is missing."""

    id: str
    version: int
    kind: Literal["claim", "fact"]
    slot: str | None
    subject: str | None
    predicate: str | None
    object: Json
    scope: Json
    status: str | None
    policy: str | None
    assessment_id: str | None
    last_assessment: Annotated[
        str | None, Field(description="The latest assessment of what it states now.")
    ]
    dimensions: ClaimDimensions
    gaps: list[GapName]
    supports: Annotated[int, Field(ge=0, description="Supports that hold at the basis.")]
    contradicts: Annotated[int, Field(ge=0)]
    rivals: Annotated[
        list[Version], Field(description="Claims of its slot that say something else meanwhile.")
    ]


class ClaimPage(Answer):
    """A page of claims, oldest first."""

    items: list[ClaimItem]
    next_cursor: Annotated[
        str | None, Field(description="Also where a page with filters is short, or empty.")
    ]
    basis: AnswerBasis
    position: Position


class ClaimStatus(Answer):
    """A status that a claim got, and by whom."""

    version: int
    status: str | None
    policy: str | None
    assessment_id: str | None
    actor_id: str
    recorded_at: Timestamp
    position: Position


class DecisionSummary(Answer):
    """An assessment, or what a reviewer said; members of the other are absent."""

    id: str
    claim: Annotated[list[str | int], Field(description="`[id, version]`")]
    policy: str
    actor_id: str
    recorded_at: Timestamp
    review: Annotated[Literal["approved", "rejected"] | None, Field(default=None)]
    definition: Annotated[str | None, Field(default=None, description="SHA-256 of the policy.")]
    basis: Annotated[AnswerBasis | None, Field(default=None)]
    recommended: Annotated[EpistemicStatus | None, Field(default=None)]
    blockers: Annotated[list[JsonObject] | None, Field(default=None)]
    dimensions: Annotated[ClaimDimensions | None, Field(default=None)]
    complete: Annotated[bool | None, Field(default=None)]
    counts: Annotated[dict[str, int] | None, Field(default=None)]
    evidence: Annotated[
        list[str] | None, Field(default=None, description="Every version read: `<id>@<version>`.")
    ]


class WholeClaim(ClaimItem):
    """A claim with its record, every status it has had, and what was decided about it."""

    record: JsonObject
    statuses: list[ClaimStatus]
    decisions: list[DecisionSummary]


class ClaimAnswer(WholeClaim):
    """A claim at a basis."""

    basis: AnswerBasis
    position: Position


class EvidencePiece(Answer):
    """A relationship for or against a claim, and the memory at its other end."""

    relationship: Version
    memory: Version
    stands: bool
    holds: Annotated[bool, Field(description="It stands, and is valid at the basis.")]
    valid_from: Timestamp
    valid_until: Timestamp | None
    weight: Annotated[float, Field(ge=0, le=1)]
    cluster: Annotated[
        int | None, Field(description="Pieces with the same number come from one origin.")
    ]
    sources: list[str]
    origins: list[str]
    kinds: list[str]
    located: bool
    observed_at: Timestamp | None
    independent: bool
    scope: Json


class RivalClaim(Version):
    """A claim of the same slot with another object."""

    weight: float


class FallenSource(Version):
    """A memory that the claim rests on and that no longer stands, or is contradicted."""

    why: Literal["forgotten", "expired", "superseded", "contradicted"]


class ClaimEvidence(Answer):
    """All that speaks for and against a claim."""

    supports: list[EvidencePiece]
    contradicts: list[EvidencePiece]
    rivals: list[RivalClaim]
    fallen: list[FallenSource]
    complete: Annotated[bool, Field(description="False where a limit cut the evidence.")]


class ClaimEvidenceAnswer(ClaimEvidence):
    """A page of the evidence about a claim at a basis, numbered and fallen as of that page.

    The dimensions of the claim are of all its pages.
    """

    id: str
    complete: Annotated[
        bool, Field(description="This is all evidence: no limit cut it, and there is one page.")
    ]
    cut: Annotated[bool, Field(description="A limit cut what the evidence of this page rests on.")]
    next_cursor: str | None
    basis: AnswerBasis
    position: Position


class ClaimAudit(Answer):
    """Everything for and against a claim, what was decided when, and what nobody has checked."""

    claim: WholeClaim
    evidence: ClaimEvidence
    never_checked: list[Version]
    basis: AnswerBasis
    position: Position


class DecisionAnswer(DecisionSummary):
    """A decision as it was recorded."""

    position: Position


class AssessmentAnswer(Answer):
    """What a policy made of a claim. With `exclude` nothing was recorded: no receipt, no id."""

    assessment: DecisionSummary | None
    receipt: Annotated[Receipt | None, Field(default=None)]
    applied: Annotated[
        list[str | int] | None,
        Field(
            default=None, description="`[id, version]` of the claim that cites it, with `apply`."
        ),
    ]
    claim: Annotated[list[str | int] | None, Field(default=None)]
    exclude: Annotated[list[str] | None, Field(default=None)]
    policy: Annotated[str | None, Field(default=None)]
    definition: Annotated[str | None, Field(default=None)]
    basis: Annotated[AnswerBasis | None, Field(default=None)]
    recommended: Annotated[EpistemicStatus | None, Field(default=None)]
    blockers: Annotated[list[JsonObject] | None, Field(default=None)]
    dimensions: Annotated[ClaimDimensions | None, Field(default=None)]
    complete: Annotated[bool | None, Field(default=None)]
    pieces: Annotated[list[JsonObject] | None, Field(default=None)]


class ReviewAnswer(Answer):
    """What a reviewer said, and the receipt."""

    review: DecisionSummary
    receipt: Receipt


class AssessmentDifference(Answer):
    """Where an assessment and its replay differ first."""

    path: str
    recorded: Json
    replayed: Json


class AssessmentReplay(Answer):
    """An assessment computed again from the log."""

    assessment_id: str
    verdict: Literal["identical", "identical_except_erased", "differs"]
    first_difference: AssessmentDifference | None
    erased: Annotated[list[str], Field(description="What of it was forgotten since.")]
    replayed: JsonObject | None
    position: Position


class DerivedAnswer(Answer):
    """The derived memory, and the receipt."""

    record: Record
    receipt: Receipt


class Reassessment(Answer):
    """A claim that its policy would now recommend otherwise."""

    claim: Annotated[list[str | int], Field(description="`[id, version]` when it was assessed.")]
    assessment_id: str
    was: EpistemicStatus
    now: EpistemicStatus
    blockers: list[JsonObject]
    dimensions: ClaimDimensions


class ReassessmentPage(Answer):
    """Claims that a policy would now recommend otherwise; nothing was changed."""

    items: list[Reassessment]
    next_since: Annotated[int | None, Field(description="`since` of the next page; null: none.")]
    damaged: Damaged
    basis: AnswerBasis
    position: Position


CLAIM_MODELS: tuple[type[BaseModel], ...] = (
    NewAssessment,
    NewReview,
    NewFact,
    DerivedAnswer,
    ReassessmentPage,
    ClaimPage,
    ClaimAnswer,
    ClaimEvidenceAnswer,
    ClaimAudit,
    DecisionAnswer,
    AssessmentAnswer,
    ReviewAnswer,
    AssessmentReplay,
)
