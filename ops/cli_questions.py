"""Commands that ask: recall, why-not, replay, trace, log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import typer

from domain.canonical import JsonObject
from ops import cli_inputs as inputs
from ops.cli_errors import telling
from ops.cli_shared import say_json
from ops.cli_where import Where, ask, show

BUDGETS = "Budgets"
FILTERS = "Restricted to"
BASIS = "As of when"


@dataclass(frozen=True, kw_only=True)
class Budgets:
    """The six budgets of a recall."""

    max_items: Annotated[int, typer.Option("--max-items", "-n", rich_help_panel=BUDGETS)] = 10
    max_depth: Annotated[int, typer.Option(rich_help_panel=BUDGETS)] = 1
    max_payload_bytes: Annotated[int, typer.Option(rich_help_panel=BUDGETS)] = 262144
    max_cost: Annotated[int, typer.Option(rich_help_panel=BUDGETS)] = 1000
    timeout_ms: Annotated[int, typer.Option(rich_help_panel=BUDGETS)] = 10000
    supernode_threshold: Annotated[int, typer.Option(rich_help_panel=BUDGETS)] = 100

    def limits(self) -> JsonObject:
        """The contract's `limits`."""
        return {
            "max_items": self.max_items,
            "max_depth": self.max_depth,
            "max_payload_bytes": self.max_payload_bytes,
            "max_cost": self.max_cost,
            "timeout_ms": self.timeout_ms,
            "supernode_threshold": self.supernode_threshold,
        }


@dataclass(frozen=True, kw_only=True)
class Restrictions:
    """Which memories may answer, and at what time."""

    as_of: Annotated[
        str | None, typer.Option(help="What held then, RFC 3339.", rich_help_panel=BASIS)
    ] = None
    as_known_at: Annotated[
        str | None, typer.Option(help="What was known then.", rich_help_panel=BASIS)
    ] = None
    as_known_position: Annotated[
        int | None, typer.Option(help="What was known at a position.", rich_help_panel=BASIS)
    ] = None
    min_position: Annotated[
        int | None, typer.Option(help="Have seen this position.", rich_help_panel=BASIS)
    ] = None
    in_session: Annotated[
        str | None, typer.Option(help="First recorded in it.", rich_help_panel=FILTERS)
    ] = None
    kind: Annotated[
        list[str], typer.Option(help="Any of these kinds.", rich_help_panel=FILTERS)
    ] = field(default_factory=list)
    tag: Annotated[list[str], typer.Option(help="Any of these tags.", rich_help_panel=FILTERS)] = (
        field(default_factory=list)
    )
    epistemic_status: Annotated[
        list[str], typer.Option(help="Any of these statuses.", rich_help_panel=FILTERS)
    ] = field(default_factory=list)
    min_confidence: Annotated[float | None, typer.Option(rich_help_panel=FILTERS)] = None
    slot: Annotated[str | None, typer.Option(rich_help_panel=FILTERS)] = None
    repo: Annotated[str | None, typer.Option(rich_help_panel=FILTERS)] = None

    def said(self) -> JsonObject:
        """The contract's fields."""
        return {
            "as_of": self.as_of,
            "as_known_at": self.as_known_at,
            "as_known_position": self.as_known_position,
            "min_position": self.min_position,
            "session_id": self.in_session,
            "kinds": self.kind,
            "tags": self.tag,
            "epistemic_status": self.epistemic_status,
            "min_confidence": self.min_confidence,
            "slot": self.slot,
            "repo": self.repo,
        }


@dataclass(frozen=True, kw_only=True)
class Recall(Restrictions, Budgets):
    """What `recall` takes."""

    objective: Annotated[
        str, typer.Argument(metavar="QUESTION", help="In plain words; - reads standard input.")
    ]
    seed: Annotated[list[str], typer.Option(help="mem_… to begin with; repeat it for more.")] = (
        field(default_factory=list)
    )
    prefer_repo: Annotated[str | None, typer.Option(help="Rank its memories higher.")] = None
    policy: Annotated[
        str | None,
        typer.Option(
            help="newest-recorded/v1 gives one memory of each slot. Default: the workspace's."
        ),
    ] = None
    explain: Annotated[bool, typer.Option("--explain", help="Say what was left out.")] = False
    page_token: Annotated[str | None, typer.Option(help="The next page of a question.")] = None

    def input(self) -> JsonObject:
        """The input of the contract."""
        return {
            "objective": inputs.text_of(self.objective),
            "seed_ids": self.seed,
            "limits": self.limits(),
            "page_token": self.page_token,
            "prefer_repo": self.prefer_repo,
            "explain": self.explain,
            **({} if self.policy is None else {"policy": self.policy}),
            **self.said(),
        }


def recall(said: Recall, where: Where) -> None:
    """Ask what is remembered; the answer says why each item is in it."""
    from ops.cli_views_recall import recalled

    ask(where, "recall", said.input, recalled)


@dataclass(frozen=True, kw_only=True)
class Missed:
    """What `why-not` takes."""

    recall_id: Annotated[str, typer.Argument(metavar="RECALL", help="recall_… of an answer.")]
    memory_id: Annotated[
        str, typer.Argument(metavar="MEMORY", help="mem_… that was not in the answer.")
    ]


def why_not(missed: Missed, where: Where) -> None:
    """Say why a memory was not in the answer of a recall, and which limit to raise."""
    from ops.cli_views_recall import missed as view

    with telling(as_json=where.as_json), where.door() as door:
        said = door.why_not(missed.recall_id, missed.memory_id)
    if where.as_json:
        say_json(said)
    else:
        show(view(said))


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What `replay` takes."""

    recall_id: Annotated[str, typer.Argument(metavar="RECALL", help="recall_… of an answer.")]


def replay(replayed: Replayed, where: Where) -> None:
    """Execute a recall once more at its basis, and say whether the answer is the same."""
    from ops.cli_views_recall import replayed as view

    with telling(as_json=where.as_json), where.door() as door:
        said = door.replay(replayed.recall_id)
    if where.as_json:
        say_json(said)
    else:
        show(view(said))


@dataclass(frozen=True, kw_only=True)
class Traced:
    """What `trace` takes."""

    target: Annotated[
        str,
        typer.Argument(help="mem_…, rel_…, recall_…, else an idempotency key or correlation id."),
    ]
    kind: Annotated[
        Literal["memory", "relationship", "recall", "mutation"] | None,
        typer.Option(help="Default: what the id says."),
    ] = None

    def input(self) -> JsonObject:
        """The input of the contract."""
        return {"target": inputs.traceable(self.target, self.kind)}


def trace(said: Traced, where: Where) -> None:
    """Tell how something came about: every version, by whom, what changed, what is missing."""
    from ops.cli_views_trace import traced

    ask(where, "trace", said.input, traced)


@dataclass(frozen=True, kw_only=True)
class Window:
    """Which part of the log."""

    after: Annotated[int, typer.Option(min=0, help="Events after this position.")] = 0
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50


def log(window: Window, where: Where) -> None:
    """List stored events in the order of the log."""
    from ops.cli_views import events

    with telling(as_json=where.as_json), where.door() as door:
        found = door.events(window.after, window.limit)
    if where.as_json:
        say_json(found)
    else:
        show(events(found))
