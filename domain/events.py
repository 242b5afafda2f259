"""Everything that can happen, as one closed set. Pinned (design.md §2, table of topics).

What stands outside `payload` is structure and never erased; the names there are those that
design.md lists, and no others. A topic is added here together with the command that writes it.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal, TypeAlias

from domain.bundle_events import (
    CitationAdded,
    ConceptOpened,
    TakeawayAdded,
    TakeawayMoved,
    WindowRecorded,
    WindowResolved,
)
from domain.canonical import Json, JsonObject
from domain.event_bases import Homed, Lifecycle, Reason, Target, Visibility
from domain.registry import Event, Payload, Registry
from domain.resolver.policies import PolicyName

Isolation: TypeAlias = Literal["label", "strict"]
ForgetMode: TypeAlias = Literal["expire", "tombstone", "application_delete"]
ForgetScope: TypeAlias = Literal["lineage", "event", "key"]
EpistemicStatus: TypeAlias = Literal["candidate", "validated", "contested", "rejected"]


class _MemoryEvent(Homed):
    slot_ref: str | None


class Remembered(Payload):
    """All of a first version, or of an upsert. An absent confidence is kept by an upsert."""

    kind: str
    schema_version: str
    content: JsonObject
    tags: list[str]
    provenance: list[JsonObject]
    confidence: float | None = None
    identity_key: str | None = None


class MemoryRemembered(_MemoryEvent):
    """Version 1 of a memory."""

    TOPIC: ClassVar[str] = "memory.remembered"
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    lifecycle: Lifecycle
    payload: Remembered | None


class MemoryRevised(_MemoryEvent):
    """An upsert: everything replaced, the dates too (null opens), provenance added.

    `targets` as in `MemoryUpdated`.
    """

    TOPIC: ClassVar[str] = "memory.revised"
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    lifecycle: Lifecycle
    targets: list[Target] | None = None
    payload: Remembered | None


class Patch(Payload):
    """What an update sets; a field that is not set is kept, a confidence of null is cleared."""

    content: JsonObject | None = None
    confidence: float | None = None
    add_tags: list[str] | None = None
    add_provenance: list[JsonObject] | None = None


class MemoryUpdated(_MemoryEvent):
    """A correction or an expiry: only what was set is stored.

    It corrects the version before it, or in a stream of another store the one that `targets`
    names.
    """

    TOPIC: ClassVar[str] = "memory.updated"
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    lifecycle: Lifecycle | None = None
    targets: list[Target] | None = None
    payload: Patch | None


class MemoryForgotten(_MemoryEvent):
    """An expiry or a tombstone; `targets` names the covered versions where scope is `event`."""

    TOPIC: ClassVar[str] = "memory.forgotten"
    mode: ForgetMode
    scope: ForgetScope
    lifecycle: Lifecycle | None = None
    expires_at: str | None = None
    targets: list[Target] | None = None
    payload: Reason | None


class MemorySuperseded(_MemoryEvent):
    """Consolidated away behind `target_id`, the canonical memory."""

    TOPIC: ClassVar[str] = "memory.superseded"
    lifecycle: Literal["superseded"]
    target_id: str


class Related(Payload):
    """The content of an edge. An absent confidence is kept by an upsert."""

    kind: str
    properties: Json
    provenance: list[JsonObject]
    confidence: float | None = None
    identity_key: str | None = None


class RelationshipRelated(Homed):
    """Version 1 of a relationship."""

    TOPIC: ClassVar[str] = "relationship.related"
    source_id: str
    target_id: str
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    lifecycle: Lifecycle
    payload: Related | None


class RelationshipRevised(Homed):
    """An upsert by identity key; the endpoints stay those of version 1."""

    TOPIC: ClassVar[str] = "relationship.revised"
    source_id: str
    target_id: str
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    lifecycle: Lifecycle
    payload: Related | None


class EdgePatch(Payload):
    """What an update of a relationship sets."""

    properties: Json = None
    confidence: float | None = None
    add_provenance: list[JsonObject] | None = None


class RelationshipUpdated(Homed):
    """Only what was set is stored."""

    TOPIC: ClassVar[str] = "relationship.updated"
    source_id: str
    target_id: str
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    lifecycle: Lifecycle | None = None
    payload: EdgePatch | None


class IdentityClaimed(Event):
    """An identity key belongs to `target_id` from here on."""

    TOPIC: ClassVar[str] = "identity.claimed"
    target_id: str


class IdentityReleased(Event):
    """The key is free again."""

    TOPIC: ClassVar[str] = "identity.released"
    target_id: str


class Proposal(Payload):
    """Why memories should become one, and where they contradict each other.

    `compared` names what the members were compared by (`domain.consolidation.COMPARED`).
    """

    reason: str
    preserve_disagreements: bool
    disagreements: list[JsonObject]
    compared: list[str] | None = None


class ConsolidationProposed(Event):
    """`targets` are the members at the versions that the proposal has seen."""

    TOPIC: ClassVar[str] = "consolidation.proposed"
    session: str
    visibility: Visibility
    owner: str
    targets: list[Target]
    target_id: str
    payload: Proposal | None


class Approval(Payload):
    """The policy that the approver names."""

    approval_policy: str


class ConsolidationApplied(Event):
    """`targets` are the members at their versions after the apply."""

    TOPIC: ClassVar[str] = "consolidation.applied"
    AUDIT_KEY: ClassVar[bool] = True
    targets: list[Target]
    target_id: str
    payload: Approval | None


class ConsolidationRejected(Homed):
    """Somebody decided against a proposal; `targets` are its members at their versions then."""

    TOPIC: ClassVar[str] = "consolidation.rejected"
    targets: list[Target]
    payload: Reason | None


class Receipt(Payload):
    """Operation, ids, fingerprint of one executed command. Never content."""

    operation: str
    idempotency_key: str
    fingerprint: str
    committed_id: str
    committed_version: int
    mode: str | None = None


class _Decision(Event):
    """What was said about the claim `target_id`; it belongs where the claim does.

    Names, numbers and ids only, never content: it is not erased with the claim.
    """

    AUDIT_KEY: ClassVar[bool] = True
    session: str
    visibility: Visibility
    owner: str
    target_id: str
    targets: list[Target]


class Assessment(Payload):
    """The verdict of a validation policy at a basis; `definition` is the policy's SHA-256 in hex.

    `basis` is `{position, as_of}`; `complete` is False where a limit cut the evidence.
    """

    policy: str
    definition: str
    recommended: EpistemicStatus
    blockers: list[JsonObject]
    dimensions: JsonObject
    basis: JsonObject
    complete: bool


class ClaimAssessed(_Decision):
    """A policy was applied to a claim. `targets`: the claim, then every version that was read."""

    TOPIC: ClassVar[str] = "claim.assessed"
    counts: dict[str, int]
    payload: Assessment | None


class Review(Payload):
    """The policy under which a person looked at a claim."""

    policy: str


class ReviewApproved(_Decision):
    """A reviewer stands for what the claim states at the version in `targets`."""

    TOPIC: ClassVar[str] = "review.approved"
    payload: Review | None


class ReviewRejected(_Decision):
    """A reviewer does not, or not any more."""

    TOPIC: ClassVar[str] = "review.rejected"
    payload: Review | None


class CommandRecorded(Event):
    """The one event of a receipt stream; `targets` are all records it changed."""

    TOPIC: ClassVar[str] = "command.recorded"
    AUDIT_KEY: ClassVar[bool] = True
    targets: list[Target]
    payload: Receipt | None


class Recalled(Payload):
    """The question and how it was answered; `items` are [id, version, score, reasons]."""

    objective: str
    seed_ids: list[str]
    limits: dict[str, int]
    filters: JsonObject
    basis: JsonObject
    items: list[JsonObject]
    outcomes: list[JsonObject]
    usage: dict[str, int | float]


class RecallRecorded(Event):
    """`targets`: items, then edges, as answered. `counts` survive an erasure of the question."""

    TOPIC: ClassVar[str] = "recall.recorded"
    session: str
    visibility: Visibility
    owner: str
    targets: list[Target]
    counts: dict[str, int]
    payload: Recalled | None


class ErasureStep(Event):
    """One step of the erasure of `targets`; `requested` stands in the transaction of the forget.

    A target names one version where the scope is `event`, else the last of all its versions.
    """

    TOPIC: ClassVar[str] = "erasure.step"
    mode: Literal[
        "requested", "keys_destroyed", "views_cleared", "caches_cleared", "questions_destroyed"
    ]
    scope: ForgetScope
    targets: list[Target]
    counts: dict[str, int]


class Completion(Payload):
    """What an erasure leaves readable here, and what it cannot reach (words of domain.erasure)."""

    stays: list[str]
    out_of_reach: list[str]


class ErasureCompleted(Event):
    """All steps of the erasure of `targets` were done; `counts` says how much was destroyed."""

    TOPIC: ClassVar[str] = "erasure.completed"
    AUDIT_KEY: ClassVar[bool] = True
    scope: ForgetScope
    targets: list[Target]
    counts: dict[str, int]
    payload: Completion | None


class SettingsChange(Payload):
    """What of a workspace's settings was changed; a field that is not set is kept."""

    session_isolation: Isolation | None = None
    require_source: bool | None = None
    recall_policy: PolicyName | None = None


class WorkspaceSettingsChanged(Event):
    """What holds in the workspace from here on."""

    TOPIC: ClassVar[str] = "workspace.settings_changed"
    AUDIT_KEY: ClassVar[bool] = True
    payload: SettingsChange | None


class PolicyDefinition(Payload):
    """A validation policy under its name, and what `domain.validation.definition` says of it."""

    name: str
    definition: JsonObject


class PolicyDefined(Event):
    """The policy may be used from here on. Its name is never given another definition."""

    TOPIC: ClassVar[str] = "policy.defined"
    AUDIT_KEY: ClassVar[bool] = True
    payload: PolicyDefinition | None


class PolicyEnd(Payload):
    """Which policy is used no more, and why."""

    name: str
    reason: str


class PolicyRetired(Event):
    """Nothing is decided by the policy from here on. What was decided stays."""

    TOPIC: ClassVar[str] = "policy.retired"
    AUDIT_KEY: ClassVar[bool] = True
    payload: PolicyEnd | None


class KeyIssue(Payload):
    """What an API key may do; `digest` is SHA-256 of the bearer token, in hex."""

    key_id: str
    digest: str
    name: str
    workspace: str | None
    actor: str | None
    agent: str | None
    permissions: list[str]
    expires_at: str | None


class KeyIssued(Event):
    """An API key exists from here on."""

    TOPIC: ClassVar[str] = "key.issued"
    AUDIT_KEY: ClassVar[bool] = True
    payload: KeyIssue | None


class KeyRevocation(Payload):
    """Which key is refused from here on."""

    key_id: str


class KeyRevoked(Event):
    """An API key is refused from here on."""

    TOPIC: ClassVar[str] = "key.revoked"
    AUDIT_KEY: ClassVar[bool] = True
    payload: KeyRevocation | None


class Release(Payload):
    """Whose way it stood in: the projection, and the workspace of the stream."""

    projection: str
    workspace: str


class StreamReleased(Event):
    """A projection takes up the parked stream `target_id` again, or passes it from here on."""

    TOPIC: ClassVar[str] = "stream.released"
    AUDIT_KEY: ClassVar[bool] = True
    mode: Literal["retry", "skip"]
    target_id: str
    payload: Release | None


MemoryEvent: TypeAlias = (
    MemoryRemembered | MemoryRevised | MemoryUpdated | MemoryForgotten | MemorySuperseded
)
RelationshipEvent: TypeAlias = RelationshipRelated | RelationshipRevised | RelationshipUpdated

REGISTRY: Final = Registry(
    (
        MemoryRemembered,
        MemoryRevised,
        MemoryUpdated,
        MemoryForgotten,
        MemorySuperseded,
        RelationshipRelated,
        RelationshipRevised,
        RelationshipUpdated,
        IdentityClaimed,
        IdentityReleased,
        ConsolidationProposed,
        ConsolidationApplied,
        ConsolidationRejected,
        ClaimAssessed,
        ReviewApproved,
        ReviewRejected,
        CommandRecorded,
        RecallRecorded,
        ConceptOpened,
        TakeawayAdded,
        TakeawayMoved,
        CitationAdded,
        WindowRecorded,
        WindowResolved,
        ErasureStep,
        ErasureCompleted,
        WorkspaceSettingsChanged,
        PolicyDefined,
        PolicyRetired,
        KeyIssued,
        KeyRevoked,
        StreamReleased,
    )
)
