"""`memoranda consolidate list`, `replay`, `reject` and `suggest`: what may become one."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from domain.canonical import JsonObject
from ops.cli_arguments import Repeatable
from ops.cli_errors import telling
from ops.cli_shared import remark, say_json
from ops.cli_where import Where, show


@dataclass(frozen=True, kw_only=True)
class Page:
    """Which part of a list."""

    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50
    cursor: Annotated[str | None, typer.Option(help="The next page of a question.")] = None

    def asked(self) -> JsonObject:
        """Parameters of the reading routes."""
        said: JsonObject = {"limit": self.limit}
        return said if self.cursor is None else {**said, "cursor": self.cursor}


@dataclass(frozen=True, kw_only=True)
class Listed(Page):
    """What `consolidate list` takes."""

    status: Annotated[
        Literal["open", "applied", "rejected", "stale"] | None,
        typer.Option(help="Only these. A stale one has a member that has changed."),
    ] = None

    def asked(self) -> JsonObject:
        """The same, and the filter."""
        return super().asked() | ({} if self.status is None else {"status": self.status})


def proposals(listed: Listed, where: Where) -> None:
    """List the proposals, oldest first, and how each stands."""
    from ops.cli_views_proposals import many

    with telling(as_json=where.as_json), where.door() as door:
        said = door.proposals.page(listed.asked())
    if where.as_json:
        say_json(said)
    else:
        show(many(said))


def suggest(page: Page, where: Where) -> None:
    """List memories that say the same in one slot now. Nothing is proposed, nothing recorded."""
    from ops.cli_views_proposals import suggested

    with telling(as_json=where.as_json), where.door() as door:
        said = door.proposals.suggestions(page.asked())
    if where.as_json:
        say_json(said)
    else:
        show(suggested(said))


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """Which proposal."""

    proposal_id: Annotated[str, typer.Argument(help="prop_…")]


def replay(replayed: Replayed, where: Where) -> None:
    """Decide a proposal once more from the log, and say whether it comes out as it did."""
    from ops.cli_views_decisions import replayed as view

    with telling(as_json=where.as_json), where.door() as door:
        said = door.proposals.replay(replayed.proposal_id)
    if where.as_json:
        say_json(said)
    else:
        show(view(said, "proposal_id"))


@dataclass(frozen=True, kw_only=True)
class Rejected(Repeatable):
    """Which proposal, and why."""

    proposal_id: Annotated[str, typer.Argument(help="prop_…")]
    reason: Annotated[str, typer.Option(help="Why they stay apart.")]


def reject(rejected: Rejected, where: Where) -> None:
    """Decide against a proposal, for good: it cannot be applied any more."""
    from ops.cli_views_proposals import decided

    given = rejected.idempotency_key
    key = f"cli-{uuid.uuid4()}" if given is None else given
    with telling(as_json=where.as_json, key=key), where.door() as door:
        said = door.proposals.reject(rejected.proposal_id, rejected.reason, key)
    if not where.as_json:
        show(decided(said, key))
        return
    if given is None:
        remark(f"idempotency key: {key}")
    say_json(said)
