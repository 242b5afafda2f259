"""The wire models of the v1 contract (spec/operations.md §2–3).

Parsing is two steps, because permissions come between them (§1, which error wins): the models
refuse wrong shapes, unknown keys and wrong types; `check` then refuses wrong values, in the
order of the fields.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from domain import checks, limits
from domain.canonical import Json, JsonObject, copied
from domain.errors import Code, MemorandaError, invalid
from domain.event_bases import Lifecycle, Visibility
from domain.events import ForgetMode, ForgetScope
from domain.resolver.policies import SURFACE_ALL, PolicyName

Uint: TypeAlias = Annotated[int, Field(ge=0)]


class Wire(BaseModel):
    """Strict: no unknown keys, no coercion between types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ProvenanceReference(Wire):
    """Where something was read."""

    source_id: str
    locator: str | None = None
    observed_at: str | None = None

    def as_json(self) -> JsonObject:
        """The reference as stored: every field present, null when unset."""
        return {
            "source_id": self.source_id,
            "locator": self.locator,
            "observed_at": self.observed_at,
        }


class TextContent(Wire):
    """Plain text."""

    format: Literal["text"]
    value: str

    def as_json(self) -> JsonObject:
        """The content as it is stored, which shares nothing with what was sent."""
        return {"format": "text", "value": self.value}


class PropertiesContent(Wire):
    """A JSON object."""

    format: Literal["properties"]
    value: dict[str, Json]

    def as_json(self) -> JsonObject:
        """The content as it is stored, which shares nothing with what was sent."""
        return {"format": "properties", "value": copied(self.value)}


class TextAndProperties(Wire):
    """The value of `text_and_properties`."""

    text: str
    properties: Json


class TextAndPropertiesContent(Wire):
    """Text with JSON of any kind beside it."""

    format: Literal["text_and_properties"]
    value: TextAndProperties

    def as_json(self) -> JsonObject:
        """The content as it is stored, which shares nothing with what was sent."""
        value = {"text": self.value.text, "properties": copied(self.value.properties)}
        return {"format": "text_and_properties", "value": value}


Content: TypeAlias = Annotated[
    TextContent | PropertiesContent | TextAndPropertiesContent, Field(discriminator="format")
]


def plain(references: list[ProvenanceReference]) -> list[JsonObject]:
    """Provenance as stored."""
    return [reference.as_json() for reference in references]


class Input(Wire):
    """An operation's input. `check` refuses wrong values in the order of the fields."""

    PERMISSION: ClassVar[str]

    def check(self) -> None:
        """Raise the first MemorandaError in field order."""
        raise AssertionError("each input checks its own fields")


def _or_workspace(value: Json) -> Json:
    """Null is absent, and absent is the default: all three have one fingerprint."""
    return "workspace" if value is None else value


class RememberInput(Input):
    """A new memory, or a new version of the one with the same identity key."""

    PERMISSION: ClassVar[str] = "write"
    identity_key: str | None = None
    kind: str
    schema_version: str
    content: Content
    provenance: list[ProvenanceReference]
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    tags: list[str]
    visibility: Annotated[Visibility, BeforeValidator(_or_workspace)] = "workspace"
    expected_version: Uint | None = None

    def check(self) -> None:
        checks.short(self.identity_key, "identity_key")
        checks.not_blank(self.kind, "kind")
        checks.not_blank(self.schema_version, "schema_version")
        checks.content(self.content.as_json(), "content")
        checks.provenance(plain(self.provenance), "provenance")
        checks.confidence(self.confidence, "confidence")
        checks.validity(self.valid_from, self.valid_until)
        checks.instant(self.expires_at, "expires_at")
        checks.tags(self.tags, "tags")


class RelateInput(Input):
    """A directed edge between two addressable memories."""

    PERMISSION: ClassVar[str] = "write"
    identity_key: str | None = None
    source_id: str
    target_id: str
    kind: str
    properties: Json
    provenance: list[ProvenanceReference]
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    expires_at: str | None = None
    lifecycle: Lifecycle

    def check(self) -> None:
        checks.short(self.identity_key, "identity_key")
        checks.not_blank(self.source_id, "source_id")
        checks.not_blank(self.target_id, "target_id")
        checks.not_blank(self.kind, "kind")
        checks.properties(self.properties, "properties")
        checks.provenance(plain(self.provenance), "provenance")
        checks.confidence(self.confidence, "confidence")
        checks.validity(self.valid_from, self.valid_until)
        checks.instant(self.expires_at, "expires_at")


class Limits(Wire):
    """The six budgets of a recall, all required."""

    max_items: Uint
    max_depth: Uint
    max_payload_bytes: Uint
    max_cost: Uint
    timeout_ms: Uint
    supernode_threshold: Uint

    def check(self) -> None:
        """INVALID_BUDGET outside `limits.BUDGETS`."""
        for name, most in limits.BUDGETS.items():
            value: int = getattr(self, name)
            if value < 1 or (most is not None and value > most):
                span = "at least 1" if most is None else f"from 1 to {most}"
                raise MemorandaError(
                    Code.INVALID_BUDGET,
                    f"limits.{name} must be {span}",
                    field=f"limits.{name}",
                )


def _without_default(schema: JsonObject) -> None:
    """Who names none asks by the workspace's; the default is for recalls that are recorded so."""
    schema.pop("default", None)


class RecallInput(Input):
    """A question, its budgets, and what it is restricted to."""

    PERMISSION: ClassVar[str] = "read"
    objective: str
    seed_ids: list[str]
    limits: Limits
    page_token: str | None = None
    as_of: str | None = None
    as_known_at: str | None = None
    as_known_position: Uint | None = None
    policy: Annotated[
        PolicyName,
        Field(
            description="Without it that of the workspace, which is surface-all/v1 at first.",
            json_schema_extra=_without_default,
        ),
    ] = SURFACE_ALL
    session_id: str | None = None
    repo: str | None = None
    prefer_repo: str | None = None
    kinds: list[str] = []
    tags: list[str] = []
    epistemic_status: list[str] = []
    min_confidence: float | None = None
    slot: str | None = None
    explain: bool = False
    min_position: Uint | None = None

    def check(self) -> None:
        checks.not_blank(self.objective, "objective", limits.TEXT_BYTES_MAX)
        checks.few(self.seed_ids, "seed_ids", limits.SEEDS_MAX)
        self.limits.check()
        checks.instant(self.as_of, "as_of")
        checks.instant(self.as_known_at, "as_known_at")
        checks.one_knowledge(self.as_known_at, self.as_known_position)
        for name in ("session_id", "repo", "prefer_repo", "slot"):
            checks.short(getattr(self, name), name)
        for name in ("kinds", "tags", "epistemic_status"):
            checks.few(getattr(self, name), name, limits.FILTERS_MAX)
        checks.confidence(self.min_confidence, "min_confidence")


class UpdateTarget(Wire):
    """What may be updated."""

    kind: Literal["memory", "relationship"]
    id: str


class Patch(Wire):
    """What changes; null or absent keeps the value."""

    content: Content | None = None
    confidence: float | None = None
    lifecycle: Lifecycle | None = None
    expires_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    add_provenance: list[ProvenanceReference] = []
    add_tags: list[str] = []
    clear: list[Literal["confidence", "expires_at", "valid_from", "valid_until"]] = []

    def check(self) -> None:
        """The checks of each field, and that nothing is both set and cleared."""
        if self.content is not None:
            checks.content(self.content.as_json(), "patch.content")
        checks.confidence(self.confidence, "patch.confidence")
        checks.instant(self.expires_at, "patch.expires_at")
        checks.validity(self.valid_from, self.valid_until, "patch.")
        checks.provenance(plain(self.add_provenance), "patch.add_provenance")
        checks.tags(self.add_tags, "patch.add_tags")
        for name in self.clear:
            if getattr(self, name) is not None:
                raise invalid(
                    f"patch.{name} is both set and cleared: do one of them", field="patch.clear"
                )


class UpdateInput(Input):
    """A new version of a memory or a relationship."""

    PERMISSION: ClassVar[str] = "write"
    target: UpdateTarget
    expected_version: Uint | None = None
    patch: Patch

    def check(self) -> None:
        self.patch.check()


class ForgetInput(Input):
    """Hide for now (`expire`) or for good; see spec/operations.md §5."""

    PERMISSION: ClassVar[str] = "forget"
    memory_id: str
    mode: ForgetMode
    expires_at: str | None = None
    reason: str
    scope: ForgetScope = "lineage"
    version: Uint | None = None

    def check(self) -> None:
        checks.not_blank(self.memory_id, "memory_id")
        if self.mode == "expire" and self.expires_at is None:
            raise invalid("expires_at is required for mode expire", field="expires_at")
        checks.instant(self.expires_at, "expires_at")
        checks.not_blank(self.reason, "reason", limits.TEXT_BYTES_MAX)
        if self.scope != "lineage" and self.mode == "expire":
            raise invalid("scope goes with tombstone or application_delete", field="scope")
        if (self.scope == "event") != (self.version is not None):
            raise invalid("version goes with scope event, and only with it", field="version")


class Propose(Wire):
    """Record a proposal; change nothing."""

    mode: Literal["propose"]


class ApplyApproved(Wire):
    """Carry out a recorded proposal."""

    mode: Literal["apply_approved"]
    proposal_id: str
    approval_policy: str


class ConsolidateInput(Input):
    """Several memories become one canonical memory."""

    PERMISSION: ClassVar[str] = "consolidate"
    mode: Annotated[Propose | ApplyApproved, Field(discriminator="mode")]
    memory_ids: list[str]
    canonical_id: str | None = None
    reason: str
    preserve_disagreements: bool

    def check(self) -> None:
        if isinstance(self.mode, ApplyApproved):
            checks.not_blank(self.mode.proposal_id, "mode.proposal_id")
            checks.not_blank(self.mode.approval_policy, "mode.approval_policy")
        count = len(self.memory_ids)
        if not limits.MEMBERS_MIN <= count <= limits.MEMBERS_MAX or len(set(self.memory_ids)) < 2:
            raise invalid(
                f"memory_ids must name {limits.MEMBERS_MIN} to {limits.MEMBERS_MAX} memories, "
                "at least two different ones",
                field="memory_ids",
            )
        if self.canonical_id is not None and self.canonical_id not in self.memory_ids:
            raise invalid("canonical_id must be one of memory_ids", field="canonical_id")
        checks.not_blank(self.reason, "reason", limits.TEXT_BYTES_MAX)


class TraceTarget(Wire):
    """What may be traced."""

    kind: Literal["memory", "relationship", "recall", "mutation"]
    id: str


class TraceInput(Input):
    """Why is it as it is?"""

    PERMISSION: ClassVar[str] = "trace"
    target: TraceTarget

    def check(self) -> None:
        checks.not_blank(self.target.id, "target.id")


AnyInput: TypeAlias = (
    RememberInput
    | RelateInput
    | RecallInput
    | UpdateInput
    | ForgetInput
    | ConsolidateInput
    | TraceInput
)

INPUTS: dict[str, type[AnyInput]] = {
    "remember": RememberInput,
    "relate": RelateInput,
    "recall": RecallInput,
    "update": UpdateInput,
    "forget": ForgetInput,
    "consolidate": ConsolidateInput,
    "trace": TraceInput,
}
