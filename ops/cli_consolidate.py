"""`memoranda consolidate`: several memories become one, in two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from domain.canonical import JsonObject
from ops.cli_arguments import Repeatable, flattened
from ops.cli_proposals import proposals, reject, replay, suggest
from ops.cli_where import Where, ask, mutate

consolidate_app: Final = typer.Typer(
    no_args_is_help=True, help="Make one memory of several: propose, then apply or reject."
)


@dataclass(frozen=True, kw_only=True)
class Members:
    """What a consolidation is about; apply repeats what was proposed."""

    memory_ids: Annotated[
        list[str], typer.Argument(metavar="MEMORY...", help="mem_…, two to a hundred.")
    ]
    reason: Annotated[str, typer.Option(help="Why they are one.")]
    canonical: Annotated[
        str | None, typer.Option(help="The one that stays. Default: the smallest id.")
    ] = None

    def input(self, mode: JsonObject) -> JsonObject:
        """The input of the contract."""
        return {
            "mode": mode,
            "memory_ids": self.memory_ids,
            "canonical_id": self.canonical,
            "reason": self.reason,
            "preserve_disagreements": True,
        }


def propose(members: Members, where: Where) -> None:
    """Record which memories should become one, and where they disagree; nothing changes."""
    from ops.cli_views import proposal

    ask(where, "consolidate", lambda: members.input({"mode": "propose"}), proposal)


@dataclass(frozen=True, kw_only=True)
class Approved(Repeatable):
    """Which proposal, and what approved it."""

    proposal_id: Annotated[str, typer.Argument(help="prop_…")]
    policy: Annotated[str, typer.Option(help="The policy that approved it.")]


def apply(approved: Approved, members: Members, where: Where) -> None:
    """Carry out a proposal: repeat it exactly, with the policy that approved it."""
    from ops.cli_views import applied

    mode = {
        "mode": "apply_approved",
        "proposal_id": approved.proposal_id,
        "approval_policy": approved.policy,
    }
    mutate(
        where,
        "consolidate",
        lambda: members.input(mode),
        applied,
        key=approved.idempotency_key,
    )


consolidate_app.command()(flattened(propose))
consolidate_app.command()(flattened(apply))
consolidate_app.command("list")(flattened(proposals))
consolidate_app.command()(flattened(replay))
consolidate_app.command()(flattened(reject))
consolidate_app.command()(flattened(suggest))
