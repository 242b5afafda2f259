"""Commands about what was decided: assessment, reassess, derive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from domain.canonical import Json, JsonObject
from domain.errors import invalid
from domain.instants import FOREVER
from ops import cli_inputs as inputs
from ops.cli_arguments import CONTENT, Properties, Repeatable
from ops.cli_claims import PolicyOption, once, tell
from ops.cli_errors import telling
from ops.cli_where import Where


@dataclass(frozen=True, kw_only=True)
class Decided:
    """What `assessment` takes."""

    assessment_id: Annotated[str, typer.Argument(metavar="ASSESSMENT", help="dec_…")]
    replay: Annotated[
        bool, typer.Option("--replay", help="Compute it again from the log, and compare.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Again:
    """What `reassess` takes."""

    policy: PolicyOption
    since: Annotated[
        int, typer.Option(min=0, max=FOREVER, help="Of assessments behind this position.")
    ] = 0


@dataclass(frozen=True, kw_only=True)
class Derived(Repeatable, Properties):
    """What `derive` takes."""

    made_from: Annotated[
        list[str],
        typer.Argument(metavar="ID@VERSION...", help="Claims or episodes, each as it stands."),
    ]
    text: Annotated[
        str | None,
        typer.Option(help="The text; - reads it from standard input.", rich_help_panel=CONTENT),
    ] = None
    kind: Annotated[Literal["fact", "procedure"], typer.Option(help="What is made.")] = "fact"
    policy: PolicyOption
    assessment: Annotated[
        str | None, typer.Option(metavar="DECISION", help="An assessment of one of them: dec_…")
    ] = None

    def said(self) -> JsonObject:
        """The body of the route."""
        content = inputs.content_of(inputs.text_of(self.text), inputs.properties_of(self))
        if content is None:
            raise invalid("there is nothing to say: give --text, or properties", field="--text")
        said: JsonObject = {
            "claims": [_version(one) for one in self.made_from],
            "kind": self.kind,
            "content": content,
            "policy": self.policy,
        }
        return said if self.assessment is None else {**said, "assessment": self.assessment}


def assessment(decided: Decided, where: Where) -> None:
    """Show an assessment or a review as it was recorded; with --replay whether it comes out so."""
    from ops.cli_views_decisions import one_decision, replayed

    with telling(as_json=where.as_json), where.door() as door:
        said = door.claims.assessment(decided.assessment_id, replayed=decided.replay)
    tell(where, said, replayed if decided.replay else one_decision)


def reassess(again: Again, where: Where) -> None:
    """List claims that a policy would now recommend otherwise. Nothing is changed or recorded."""
    from ops.cli_views_decisions import reassessed

    with telling(as_json=where.as_json), where.door() as door:
        said = door.claims.reassessed({"policy": again.policy, "since": again.since})
    tell(where, said, reassessed)


def derive(derived: Derived, where: Where) -> None:
    """Make a fact or a procedure from claims or episodes, which stay as they are."""
    from ops.cli_views import mutation

    with telling(as_json=where.as_json):
        said = derived.said()
    once(where, derived, lambda door, key: door.derive(said, key), mutation)


def _version(one: str) -> list[Json]:
    memory, at, version = one.rpartition("@")
    if not at or not (version.isascii() and version.isdigit()):
        raise invalid("name each as ID@VERSION, as in mem_…@1", field="ID@VERSION")
    return [memory, int(version)]
