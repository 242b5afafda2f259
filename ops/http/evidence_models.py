"""What the routes of the evidence graph and of reviews answer: documentation, and tests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ops.http.models import Answer, Damaged, Position, Timestamp
from ops.http.read_models import AnswerBasis
from read_api.inbox_parts import What

Stands = Annotated[bool, Field(description="Active, and nothing of it was forgotten.")]
Holds = Annotated[bool, Field(description="It stands, and its bounds hold at `as_of`.")]


class GraphNode(Answer):
    """A memory as it stood at the basis."""

    id: str
    version: int
    kind: str
    status: Annotated[str | None, Field(description="Epistemic status, as written.")]
    stands: Stands
    holds: Holds
    depth: Annotated[int, Field(description="Steps from the seed.")]
    text: Annotated[
        str | None,
        Field(description="How its content begins, at most 160 characters; null: it is gone."),
    ]


class GraphEdge(Answer):
    """A relationship; both of its ends are among the nodes."""

    id: str
    version: int
    kind: str
    source_id: str
    target_id: str
    stands: Stands
    holds: Holds


class GraphStep(Answer):
    """A step down from a claim."""

    kind: Literal["derived_from", "supports", "cites"]
    relationship_id: Annotated[str | None, Field(description="Null for what is cited.")]
    to: str


class GraphPath(Answer):
    """The shortest way from a claim to one of its sources."""

    source: Annotated[
        str, Field(description="A memory that rests on nothing, or the name of a source.")
    ]
    steps: list[GraphStep]


class NotFollowed(Answer):
    """A memory of which something was not followed."""

    memory_id: str
    relationship_id: Annotated[str | None, Field(description="The first that was not.")]
    why: Literal[
        "max_depth_reached",
        "node_budget_exhausted",
        "edge_budget_exhausted",
        "supernode_blocked",
    ]
    raise_: Annotated[
        Literal["depth", "limit", "edges"] | None,
        Field(alias="raise", description="The limit to raise; null: none is high enough."),
    ]


class EvidenceGraphAnswer(Answer):
    """The neighbourhood of a memory at a basis, nearest first."""

    seed: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    paths: Annotated[
        list[GraphPath] | None, Field(description="Of a claim; null for what is none.")
    ]
    paths_complete: Annotated[bool | None, Field(description="No limit cut the paths.")]
    skipped_expansions: Annotated[list[NotFollowed], Field(description="At most 200.")]
    complete: Annotated[bool, Field(description="Nothing was left out.")]
    basis: AnswerBasis
    position: Position


class ReviewItem(Answer):
    """Something that waits for a person."""

    what: What
    id: Annotated[str, Field(description="Of the memory, the proposal, the stream or the window.")]
    version: Annotated[int | None, Field(description="Of a memory.")]
    since: Timestamp
    position: Annotated[int, Field(description="Of the event that asks for it.")]
    because: Annotated[
        str | None,
        Field(description="The assessment, the forgotten memory, the error, or the close claims."),
    ]
    policy: Annotated[str | None, Field(description="Under which policy it was assessed.")]
    command: Annotated[str, Field(description="What settles it; words in capitals are yours.")]


class ReviewPage(Answer):
    """What waits, by kind and then oldest first; a page may be short, and have a next one."""

    items: list[ReviewItem]
    next_cursor: str | None
    damaged: Damaged
    position: Position


EVIDENCE_MODELS: tuple[type[Answer], ...] = (EvidenceGraphAnswer, ReviewPage)
