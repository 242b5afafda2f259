"""The wire models of a window (docs/spec/bundle.md §2, §6), read as domain/contract.py reads.

Shapes are strict whoever wrote them: the same models hold what a caller proposes and what an
extractor answers. What only a proposal's outcome tells (a blank claim_text, no durable_claim) is
left to reconciliation.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from domain import checks, limits
from domain.bundles import limits as most
from domain.bundles.event_checks import check_events
from domain.bundles.field_types import Events, Name, Strings, Text, no_list
from domain.bundles.redaction import redacted_text
from domain.canonical import Json, check_json
from domain.contract import Wire
from domain.errors import MemorandaError, invalid
from domain.instants import Micros, parse_instant
from domain.requests import refusal

Action: TypeAlias = Literal[
    "create_new_concept",
    "add_new_claim",
    "update_existing_claim",
    "supersede_existing_claim",
    "no_output",
]
ConceptType: TypeAlias = Literal[
    "preference", "convention", "procedure", "debugging_takeaway", "decision", "pitfall"
]
MemoryType: TypeAlias = Literal["fact", "decision", "convention", "procedure"]


class DurableClaim(Wire):
    """What holds from now on, where it holds, and why."""

    rule: str
    scope: str
    rationale: Name = None

    def check(self, field: str) -> None:
        """INVALID_REQUEST for a blank rule or scope, and for what is too long."""
        checks.not_blank(self.rule, f"{field}.rule", most.WORDING_BYTES_MAX)
        checks.not_blank(self.scope, f"{field}.scope", most.WORDING_BYTES_MAX)
        checks.short(self.rationale, f"{field}.rationale", most.WORDING_BYTES_MAX)


class ProposalBody(Wire):
    """What a window is said to yield. Unset names are None, unset texts and lists are empty."""

    action: Action
    concept_id: Name = None
    claim_id: Name = None
    concept_type: ConceptType | None = None
    title: Name = None
    claim_text: Text = ""
    durable_claim: DurableClaim | None = None
    memory_type: MemoryType | None = None
    tags: Strings = Field(default=[])
    confidence: float | None = None
    citations: Strings = Field(default=[])
    primary_evidence_ids: Strings = Field(default=[])
    reason: Text = ""
    covered_concept_id: Name = None
    covered_claim_id: Name = None

    def check(self, field: str) -> None:
        """INVALID_REQUEST for a missing key, a value out of range, a text that is too long."""
        if self.action != "no_output":
            self._check_presence(field)
        for name in ("concept_id", "claim_id", "covered_concept_id", "covered_claim_id", "title"):
            checks.short(getattr(self, name), f"{field}.{name}")
        checks.short(self.claim_text, f"{field}.claim_text", most.CLAIM_TEXT_BYTES_MAX)
        if self.durable_claim is not None:
            self.durable_claim.check(f"{field}.durable_claim")
        checks.tags(self.tags, f"{field}.tags")
        checks.confidence(self.confidence, f"{field}.confidence")
        _few_and_short(
            self.citations, f"{field}.citations", most.CITATIONS_MAX, most.CITATION_BYTES_MAX
        )
        _few_and_short(
            self.primary_evidence_ids,
            f"{field}.primary_evidence_ids",
            most.EVIDENCE_IDS_MAX,
            limits.NAME_BYTES_MAX,
        )
        checks.short(self.reason, f"{field}.reason", most.WORDING_BYTES_MAX)

    def _check_presence(self, field: str) -> None:
        for name in REQUIRED_UNLESS_NO_OUTPUT:
            if name not in self.model_fields_set or getattr(self, name) is None:
                raise invalid(
                    f"{field}.{name} is required for action {self.action}", field=f"{field}.{name}"
                )


REQUIRED_UNLESS_NO_OUTPUT: Final = (
    "claim_text",
    "memory_type",
    "tags",
    "confidence",
    "citations",
    "primary_evidence_ids",
    "reason",
)


class HistoryWindow(Wire):
    """Which part of the session this is; its places are the client's own: lines, turns, times."""

    kind: str
    start: Json = None
    end: Json = None

    def check(self) -> None:
        """INVALID_REQUEST for a blank kind, and for places that are no strings and no integers."""
        checks.not_blank(self.kind, "history_window.kind")
        for name in ("start", "end"):
            value, field = getattr(self, name), f"history_window.{name}"
            if isinstance(value, str):
                checks.short(value, field)
            elif isinstance(value, bool) or not isinstance(value, int | None):
                raise invalid(f"{field} must be a string or an integer", field=field)


class WindowBody(Wire):
    """A window of a session as it is sent. Owner and visibility are never read from here."""

    schema_version: Literal["agent-session-window/v1"]
    client: str
    session_id: str
    trigger: str
    workspace: str
    repo: Name = None
    branch: Name = None
    commit_sha: Name = None
    history_window: HistoryWindow | None = None
    events: Events = Field(default=[])
    transcript_markdown: Name = None
    observed_at: str | None = None
    proposals: Annotated[list[ProposalBody], BeforeValidator(no_list)] = Field(default=[])
    receipt: Json = None

    def check(self) -> None:
        """Raise the first MemorandaError in the order of the fields."""
        for name in ("client", "session_id", "trigger", "workspace"):
            checks.not_blank(getattr(self, name), name)
        for name in ("repo", "branch", "commit_sha"):
            checks.short(getattr(self, name), name)
        if self.history_window is not None:
            self.history_window.check()
        check_events(self.events)
        checks.short(self.transcript_markdown, "transcript_markdown", most.TRANSCRIPT_BYTES_MAX)
        checks.instant(self.observed_at, "observed_at")
        _check_proposals(self.proposals)
        checks.properties(self.receipt, "receipt")

    def observed_us(self) -> Micros | None:
        """When it was observed; None for the time of arrival."""
        return None if self.observed_at is None else parse_instant(self.observed_at, "observed_at")


def _few_and_short(items: list[str], field: str, count_max: int, bytes_max: int) -> None:
    checks.few(items, field, count_max)
    for index, item in enumerate(items):
        checks.short(item, f"{field}.{index}", bytes_max)


def _check_proposals(proposals: list[ProposalBody], field: str = "proposals") -> None:
    checks.few(proposals, field, most.PROPOSALS_MAX)
    for index, proposal in enumerate(proposals):
        proposal.check(f"{field}.{index}")


def parse_window(value: Json) -> WindowBody:
    """The checked window of a JSON value; INVALID_REQUEST that names the first field at fault."""
    check_json(value)
    if not isinstance(value, dict):
        raise invalid("the body must be a JSON object: one window of a session")
    try:
        window = WindowBody.model_validate(value)
    except ValidationError as error:
        raise _refused(error) from None
    window.check()
    return window


def _refused(error: ValidationError, *within: str) -> MemorandaError:
    """The refusal of a shape; a key that nobody knows may be a secret, and comes back as none."""
    told = refusal(error, *within)
    return invalid(
        redacted_text(told.message)[0], field=told.field and redacted_text(told.field)[0]
    )


_PROPOSALS: Final = TypeAdapter(list[ProposalBody])


def parse_proposals(value: Json) -> list[ProposalBody]:
    """The checked proposals of a JSON array, as in a window, whoever wrote it.

    INVALID_REQUEST names the field from `proposals` on, as it does in a window.
    """
    check_json(value)
    if not isinstance(value, list):
        raise invalid("proposals must be an array", field="proposals")
    try:
        proposals = _PROPOSALS.validate_python(value)
    except ValidationError as error:
        raise _refused(error, "proposals") from None
    _check_proposals(proposals)
    return proposals


def refuse_future(observed_us: Micros, now_us: Micros) -> None:
    """INVALID_REQUEST for a time that is more than five minutes ahead of the server's.

    Clocks differ a little; a window from the far future would block its claims for ever.
    """
    if observed_us > now_us + most.FUTURE_MICROS_MAX:
        raise invalid(
            f"observed_at is more than {most.FUTURE_MICROS_MAX // 1_000_000} s ahead of the "
            "server's time: set the clock, or leave it out for the time of arrival",
            field="observed_at",
        )
