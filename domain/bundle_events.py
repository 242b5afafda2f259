"""What happens to concepts, takeaways and windows (spec/bundle.md, design.md §2). Pinned.

A takeaway is what the wire and the documentation for users call a claim of a bundle; `claim` is
already the kind of a memory. All of it is private to the owner, and sealed by keys that an erasure
destroys: what names a memory in `targets` goes with the memory.
"""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from domain.canonical import Json, JsonObject
from domain.event_bases import Homed, Target
from domain.registry import Payload

WindowMode: TypeAlias = Literal["accepted", "knowledge_patched", "no_output", "failed", "repeated"]
"""What became of a window: it waits for its extractor, one of the three results, or it was sent
again over another range."""


class ConceptOpening(Payload):
    """A topic. `source_id` is `agent-sessions/<client>` of the first window."""

    source_id: str
    repo_identifier: str | None
    concept_type: str
    concept_path: str
    title: str


class ConceptOpened(Homed):
    """The one event of a concept: its owner has a topic of this type in this repository."""

    TOPIC: ClassVar[str] = "concept.opened"
    payload: ConceptOpening | None


class Takeaway(Payload):
    """What a takeaway says from here on, and the citation that authorises it.

    `citation`: `{window_id, window_hash, citation_url, observed_at, history_window, evidence,
    citations}`; `evidence` are the redacted events, each `{id, kind, actor, text}`.
    """

    display_anchor: str
    claim_text: str
    rule: str
    scope: str
    rationale: str | None
    memory_type: str
    tags: list[str]
    confidence: float
    reason: str
    citation: JsonObject


class TakeawayAdded(Homed):
    """Version 1 of a takeaway: `target_id` is its memory.

    `targets`: the memory, the concept, the window.
    """

    TOPIC: ClassVar[str] = "takeaway.added"
    target_id: str
    targets: list[Target]
    payload: Takeaway | None


class TakeawayMoved(Homed):
    """The takeaway says something else, and its memory is `target_id`; the old one is superseded.

    `mode` says whether it was corrected or replaced; `targets` as in `TakeawayAdded`. The memory
    before is not named: with it, this text would be erased.
    """

    TOPIC: ClassVar[str] = "takeaway.moved"
    mode: Literal["revision", "supersession"]
    target_id: str
    targets: list[Target]
    payload: Takeaway | None


class Citing(Payload):
    """A citation; `offered` is what late evidence says, which the takeaway was not moved to.

    `offered`: `{claim_text, rule, scope, rationale}`.
    """

    citation: JsonObject
    reason: str
    offered: JsonObject | None = None


class CitationAdded(Homed):
    """More evidence for the takeaway, whose memory is `target_id`; `targets`: memory and window.

    `restated` says the same again, `late` is older than the current evidence and says something
    else, `repeated` is a window that was sent again over another range.
    """

    TOPIC: ClassVar[str] = "citation.added"
    mode: Literal["restated", "late", "repeated"]
    target_id: str
    targets: list[Target]
    payload: Citing | None


class Window(Payload):
    """A window as it was processed: what was sent, redacted, and what came out of it.

    `observed_at` is UTC, as server times are; `events` and `more` are the canonical events and
    what else they held; `author` says who proposed: `{kind: caller}` or the model with the hashes
    of its prompt; `raw` is its answer. `basis`: `{position, thresholds}`. `redactions`: how many
    by kind. `verdicts` hold one member for each proposal, in their order.
    """

    client: str
    session_id: str
    trigger: str
    workspace: str
    repo_identifier: str | None
    branch: str | None
    commit_sha: str | None
    history_window: JsonObject | None
    window_hash: str
    observed_at: str
    events: list[JsonObject]
    transcript: str | None
    proposals: list[JsonObject]
    author: JsonObject
    raw: str | None
    basis: JsonObject
    redactions: dict[str, int]
    receipt: Json
    verdicts: list[JsonObject]


class WindowRecorded(Homed):
    """A window was processed, or waits for its extractor. `targets`: the memories it speaks of.

    `counts`: events, proposals, redactions; they survive an erasure of the words.
    """

    TOPIC: ClassVar[str] = "window.recorded"
    mode: WindowMode
    targets: list[Target]
    counts: dict[str, int]
    payload: Window | None


class Resolution(Payload):
    """Which takeaway the proposal at `index` was about, as its owner said; None: a new one.

    `basis` as in `Window`.
    """

    index: int
    claim_id: str | None
    basis: JsonObject
    verdict: JsonObject


class WindowResolved(Homed):
    """An ambiguous proposal of a window was decided by its owner; `targets`: the memory."""

    TOPIC: ClassVar[str] = "window.resolved"
    targets: list[Target]
    payload: Resolution | None
