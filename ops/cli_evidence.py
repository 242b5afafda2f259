"""Commands that look around: graph, and review, what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_arguments import Basis
from ops.cli_errors import telling
from ops.cli_proposals import Page
from ops.cli_shared import say, say_json
from ops.cli_where import Where, show


@dataclass(frozen=True, kw_only=True)
class Around(Basis):
    """What `graph` takes."""

    seed: Annotated[str, typer.Argument(metavar="ID", help="A memory, mem_….")]
    depth: Annotated[int, typer.Option(min=0, max=8, help="Steps from it.")] = 2
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1000, help="Memories, the nearest.")
    ] = 100
    edges: Annotated[int, typer.Option(min=0, max=5000, help="Relationships.")] = 500
    mermaid: Annotated[bool, typer.Option("--mermaid", help="As a Mermaid flowchart.")] = False

    def asked(self) -> JsonObject:
        """The basis, the memory, and how far."""
        around = {"seed": self.seed, "depth": self.depth, "limit": self.limit, "edges": self.edges}
        return super().asked() | around


def graph(around: Around, where: Where) -> None:
    """Show what is related to a memory, in both directions, and what a claim rests on."""
    from ops.cli_views_evidence import neighbourhood
    from ops.mermaid import flowchart

    with telling(as_json=where.as_json):
        if around.mermaid and where.as_json:
            raise invalid("--mermaid and --json exclude each other: give one", field="mermaid")
        with where.door() as door:
            said = door.evidence.graph(around.asked())
    if where.as_json:
        say_json(said)
    elif around.mermaid:
        say(flowchart(said).rstrip("\n"))
    else:
        show(neighbourhood(said))


def review(page: Page, where: Where) -> None:
    """List what waits for a person, and the command that settles each. Nothing is recorded."""
    from ops.cli_views_evidence import inbox

    with telling(as_json=where.as_json), where.door() as door:
        said = door.evidence.reviews(page.asked())
    if where.as_json:
        say_json(said)
    else:
        show(inbox(said))
