"""What is sent to and answered by the routes of proposals: documentation, checks and tests."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ops.http.models import Answer, Damaged, Position, Receipt, Timestamp
from ops.http.read_models import ReplayDifference
from read_api.proposal_bodies import Status


class Rejection(BaseModel):
    """Why a proposal is decided against."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(description="Not blank, at most 256 KiB.")]


class MemberVersion(Answer):
    """A memory at the version that was seen."""

    memory_id: str
    version: int


class ChangedMember(Answer):
    """A member that has another version than the proposal has seen."""

    memory_id: str
    proposed_version: int
    version: int
    forgotten: bool


class Decided(Answer):
    """By whom and when something was recorded."""

    at: Timestamp
    actor_id: str
    position: Position


class Ended(Decided):
    """How a proposal ended: applied under a policy, or rejected for a reason."""

    policy: str | None
    reason: Annotated[
        str | None,
        Field(description="Null for who neither decides nor audits, and where it was erased."),
    ]


class ProposalItem(Answer):
    """A proposal to consolidate, and how it stands."""

    proposal_id: str
    status: Status
    canonical_id: str
    members: list[MemberVersion]
    changed: Annotated[
        list[ChangedMember], Field(description="Why it is stale; empty once it has ended.")
    ]
    disagreements: list[dict[str, object]]
    rationale: Annotated[
        str | None,
        Field(
            description="Null for who neither decides nor audits, and where a member was forgotten."
        ),
    ]
    visibility: Literal["workspace", "private"]
    owner: str
    session: str
    proposed: Decided
    ended: Ended | None


class ProposalAnswer(ProposalItem):
    """One proposal."""

    position: Position


class ProposalPage(Answer):
    """Proposals, oldest first."""

    items: list[ProposalItem]
    next_cursor: str | None
    damaged: Damaged
    position: Position


class Suggestion(Answer):
    """Memories of a slot that say the same now."""

    slot: Annotated[str | None, Field(description="Null where the text that named it was erased.")]
    canonical_id: Annotated[str, Field(description="The oldest.")]
    members: list[MemberVersion]
    proposals: Annotated[
        list[str], Field(description="Open proposals about two or more of the members.")
    ]


class SuggestionPage(Answer):
    """Duplicates by slot; a page may be short, or empty, and yet have a `next_cursor`."""

    items: list[Suggestion]
    next_cursor: str | None
    position: Position


class RejectedProposal(Answer):
    """A proposal that cannot be applied any more."""

    proposal_id: str
    status: Literal["rejected"]
    receipt: Receipt


class Superseded(Answer):
    """What applying a proposal wrote, or would write."""

    members: list[tuple[str, int]]
    canonical_id: str
    superseded: Annotated[
        list[tuple[str, int, str]], Field(description="`[member, version, canonical]`.")
    ]
    links: Annotated[
        list[tuple[str, str]], Field(description="`superseded_by`, from a member to the canonical.")
    ]


class Rejecting(Answer):
    """What rejecting a proposal wrote, or would write."""

    members: list[tuple[str, int]]


class RefusedStep(Answer):
    """A step that would be refused now."""

    refused: str


class ProposalSide(Answer):
    """A proposal and how it ended, as they are compared."""

    members: list[tuple[str, int]] | None
    canonical_id: str | None
    visibility: Literal["workspace", "private"] | None
    disagreements: Annotated[
        list[dict[str, object]] | None,
        Field(description="Slots by their keyed reference. Null where the text was erased."),
    ]
    applied: Superseded | RefusedStep | None
    rejected: Rejecting | RefusedStep | None


class ProposalReplay(Answer):
    """A proposal decided once more from the log."""

    proposal_id: str
    verdict: Literal["identical", "identical_except_erased", "differs"]
    first_difference: ReplayDifference | None
    erased: Annotated[list[str], Field(description="Members that were forgotten since.")]
    recorded: ProposalSide
    replayed: ProposalSide
    position: Position


PROPOSAL_MODELS: Final[tuple[type[BaseModel], ...]] = (
    Rejection,
    ProposalAnswer,
    ProposalPage,
    SuggestionPage,
    RejectedProposal,
    ProposalReplay,
)
