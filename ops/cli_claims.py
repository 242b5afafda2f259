"""Commands about claims: claims, claim, assess, approve."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from domain.canonical import JsonObject
from domain.claims.gap_names import GapName
from domain.errors import invalid
from ops.cli_arguments import Basis, Repeatable
from ops.cli_claim_doors import ClaimDoor, Part
from ops.cli_errors import telling
from ops.cli_proposals import Page
from ops.cli_shared import remark, say_json
from ops.cli_where import Where, show

if TYPE_CHECKING:
    from rich.text import Text

ClaimArgument = Annotated[str, typer.Argument(metavar="CLAIM", help="mem_…")]
PolicyOption = Annotated[str, typer.Option(help="Its name, as in reviewer-approval/v1.")]
VersionOption = Annotated[
    int | None, typer.Option(min=1, help="Refuse it if the claim has another version by now.")
]
WHAT_IF: Final = "What if"


@dataclass(frozen=True, kw_only=True)
class Listed(Page):
    """What `claims` takes."""

    status: Annotated[str | None, typer.Option(help="Only those of this epistemic status.")] = None
    gap: Annotated[
        GapName | None, typer.Option(help="Only those behind which this is missing.")
    ] = None
    kind: Annotated[Literal["claim", "fact"] | None, typer.Option(help="Only these.")] = None
    slot: Annotated[str | None, typer.Option(help="Only those about this.")] = None
    rests_on: Annotated[
        str | None,
        typer.Option(metavar="MEMORY", help="Only those that rest on a memory, at any depth."),
    ] = None

    def asked(self) -> JsonObject:
        """The same, and the filters."""
        said = {
            "status": self.status,
            "gap": self.gap,
            "kind": self.kind,
            "slot": self.slot,
            "rests_on": self.rests_on,
        }
        return super().asked() | {name: one for name, one in said.items() if one is not None}


@dataclass(frozen=True, kw_only=True)
class Named(Basis):
    """What `claim` takes."""

    claim_id: ClaimArgument
    evidence: Annotated[
        bool, typer.Option("--evidence", help="What speaks for and against it, in pages.")
    ] = False
    audit: Annotated[
        bool, typer.Option("--audit", help="That, all decisions, and what was never checked.")
    ] = False
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, max=1000, help="Relationships a page of --evidence."),
    ] = None
    cursor: Annotated[str | None, typer.Option(help="The next page of --evidence.")] = None

    def part(self) -> Part:
        """What is asked of it."""
        if self.evidence and self.audit:
            raise invalid("--evidence is a part of --audit: give one of them", field="audit")
        if self._page() and not self.evidence:
            raise invalid("--limit and --cursor page --evidence: give that, too", field="limit")
        return "audit" if self.audit else "evidence" if self.evidence else "claim"

    def asked(self) -> JsonObject:
        """The basis, and which page."""
        return {**super().asked(), **self._page()}

    def _page(self) -> JsonObject:
        said = {"limit": self.limit, "cursor": self.cursor}
        return {name: one for name, one in said.items() if one is not None}


@dataclass(frozen=True, kw_only=True)
class Judged(Repeatable):
    """What `assess` takes."""

    claim_id: ClaimArgument
    policy: PolicyOption
    as_of: Annotated[
        str | None, typer.Option(help="The instant it is decided for. Default: now.")
    ] = None
    exclude: Annotated[
        list[str],
        typer.Option(
            metavar="ID",
            help="A memory or relationship taken for absent; repeat it for more. Nothing is "
            "recorded then.",
            rich_help_panel=WHAT_IF,
        ),
    ] = field(default_factory=list)
    apply: Annotated[
        bool, typer.Option("--apply", help="Write the status that comes out into the claim.")
    ] = False
    expected_version: VersionOption = None

    def said(self) -> JsonObject:
        """The body of the route."""
        said: JsonObject = {"policy": self.policy, "apply": self.apply}
        more = {
            "as_of": self.as_of,
            "exclude": self.exclude or None,
            "expected_version": self.expected_version,
        }
        return said | {name: one for name, one in more.items() if one is not None}


@dataclass(frozen=True, kw_only=True)
class Reviewed(Repeatable):
    """What `approve` takes."""

    claim_id: ClaimArgument
    policy: PolicyOption
    reject: Annotated[bool, typer.Option("--reject", help="Say that it does not stand.")] = False
    expected_version: VersionOption = None

    def said(self) -> JsonObject:
        """The body of the route."""
        said: JsonObject = {
            "policy": self.policy,
            "verdict": "rejected" if self.reject else "approved",
        }
        version = self.expected_version
        return said if version is None else {**said, "expected_version": version}


def claims(listed: Listed, where: Where) -> None:
    """List claims and facts: what they say, their status, and what is missing behind them."""
    from ops.cli_views_claims import many

    with telling(as_json=where.as_json), where.door() as door:
        said = door.claims.page(listed.asked())
    tell(where, said, many)


def claim(named: Named, where: Where) -> None:
    """Tell of a claim: its status and by whom, what is for and against it, what is missing.

    Without --json, this is read from the audit of the claim.
    """
    from ops.cli_views_claims import audited, evidence, whole

    with telling(as_json=where.as_json):
        part = named.part()
        # People are told what is for and against it at once; programs what the route says.
        wanted: Part = "audit" if part == "claim" and not where.as_json else part
        with where.door() as door:
            said = door.claims.one(named.claim_id, wanted, named.asked())
    tell(where, said, {"claim": whole, "evidence": evidence, "audit": audited}[part])


def assess(judged: Judged, where: Where) -> None:
    """Judge a claim by a policy. Its status changes with --apply alone."""
    from ops.cli_views_decisions import assessed

    once(
        where, judged, lambda door, key: door.assess(judged.claim_id, judged.said(), key), assessed
    )


def approve(reviewed: Reviewed, where: Where) -> None:
    """Say as a reviewer that a claim stands, or with --reject that it does not."""
    from ops.cli_views_decisions import decided

    once(
        where,
        reviewed,
        lambda door, key: door.review(reviewed.claim_id, reviewed.said(), key),
        decided,
    )


def tell(where: Where, said: JsonObject, view: Callable[[JsonObject], Iterable[Text]]) -> None:
    """An answer, for machines or for people."""
    if where.as_json:
        say_json(said)
    else:
        show(view(said))


def once(
    where: Where,
    repeatable: Repeatable,
    ask: Callable[[ClaimDoor, str], JsonObject],
    view: Callable[[JsonObject, str], Iterable[Text]],
) -> None:
    """A command under an idempotency key, which is told so that it can be repeated."""
    given = repeatable.idempotency_key
    key = f"cli-{uuid.uuid4()}" if given is None else given
    with telling(as_json=where.as_json, key=key), where.door() as door:
        said = ask(door.claims, key)
    if not where.as_json:
        show(view(said, key))
        return
    if given is None:
        remark(f"idempotency key: {key}")
    say_json(said)
