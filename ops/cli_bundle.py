"""`memoranda bundle`: what windows of agents' sessions came to, for their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from ops.cli_arguments import flattened
from ops.cli_errors import telling
from ops.cli_proposals import Page
from ops.cli_shared import say, say_json
from ops.cli_where import Where, show

if TYPE_CHECKING:
    from rich.text import Text

    from ops.cli_bundle_doors import BundleDoor

bundle_app: Final = typer.Typer(
    no_args_is_help=True, help="Read what agents' sessions taught: concepts, claims, windows."
)
_PAGE: Final = 200


@dataclass(frozen=True, kw_only=True)
class Filtered(Page):
    """What `bundle concepts` takes."""

    repo: Annotated[
        str | None, typer.Option(help="Of this repository, however its address is written.")
    ] = None
    type: Annotated[str | None, typer.Option(help="Of this type, such as pitfall.")] = None

    def asked(self) -> JsonObject:
        """The page, and the filters."""
        said = {"repo": self.repo, "type": self.type}
        return super().asked() | {name: one for name, one in said.items() if one is not None}


@dataclass(frozen=True, kw_only=True)
class OneConcept:
    """What `bundle concept` takes."""

    concept_id: Annotated[str, typer.Argument(metavar="ID", help="con_…")]
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown.")] = False


@dataclass(frozen=True, kw_only=True)
class OneClaim:
    """What `bundle claim` takes."""

    claim_id: Annotated[str, typer.Argument(metavar="ID", help="clm_…")]


@dataclass(frozen=True, kw_only=True)
class OneWindow:
    """What `bundle window` takes."""

    window_id: Annotated[str, typer.Argument(metavar="ID", help="win_…")]


@dataclass(frozen=True, kw_only=True)
class Resolved:
    """What `bundle resolve` takes."""

    window_id: Annotated[str, typer.Argument(metavar="WINDOW", help="win_…")]
    index: Annotated[
        int, typer.Argument(metavar="INDEX", min=0, help="Which proposal of it, from 0 on.")
    ]
    claim_id: Annotated[str, typer.Argument(metavar="CLAIM", help="clm_…, or new")]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """What `bundle completeness` takes."""

    session_id: Annotated[
        str | None, typer.Option(help="Of this session of an agent. Default: of all.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Tree:
    """What `bundle export` takes."""

    out: Annotated[Path, typer.Argument(metavar="OUT_DIR", help="An empty or a new directory.")]
    into: Annotated[
        bool, typer.Option("--into", help="Write into it although it is not empty.")
    ] = False


def concepts(filtered: Filtered, where: Where) -> None:
    """List your concepts, oldest first."""
    from ops.cli_views_bundle import many

    _tell(where, lambda door: door.concepts(filtered.asked()), many)


def concept(one: OneConcept, where: Where) -> None:
    """Show a concept with its claims, as they stand."""
    from ops.cli_views_bundle import concept as view
    from read_api.bundle_markdown import concept_markdown

    if one.markdown:
        with telling(as_json=where.as_json):
            if where.as_json:
                raise invalid(
                    "--markdown and --json exclude each other: give one", field="markdown"
                )
            with where.door() as door:
                said = door.bundles.concept(one.concept_id)
        say(concept_markdown(said).rstrip("\n"))
        return
    _tell(where, lambda door: door.concept(one.concept_id), view)


def claim(one: OneClaim, where: Where) -> None:
    """Show a claim, what it said before and why not any more, and what it rests on."""
    from ops.cli_views_bundle import claim as view

    _tell(where, lambda door: door.claim(one.claim_id), view)


def window(one: OneWindow, where: Where) -> None:
    """Show a window as it was sent, redacted, and what came out of it."""
    from ops.cli_views_bundle import window as view

    _tell(where, lambda door: door.window(one.window_id), view)


def resolve(resolved: Resolved, where: Where) -> None:
    """Say which claim an ambiguous proposal of a window is about, or that it is a new one."""
    from ops.cli_views_bundle import resolved as view

    _tell(
        where,
        lambda door: door.resolve(resolved.window_id, resolved.index, resolved.claim_id),
        view,
    )


def completeness(counted: Counted, where: Where) -> None:
    """Count what your windows came to, and tell which failed and why."""
    from ops.cli_views_bundle import completeness as view

    asked = {} if counted.session_id is None else {"session_id": counted.session_id}
    _tell(where, lambda door: door.completeness(asked), view)


def export(tree: Tree, where: Where) -> None:
    """Write a Markdown file for each of your concepts. They are never read back."""
    from ops.bundle_tree import write_tree

    with telling(as_json=where.as_json):
        with where.door() as door:
            told = list(_all_concepts(door.bundles))
        try:
            written = write_tree(tree.out, told, into=tree.into)
        except OSError as error:
            raise invalid(
                f"{tree.out} cannot be written ({error.strerror}): name another directory",
                field="OUT_DIR",
            ) from None
    claims = sum(len(one["claims"]) for one in told)
    if where.as_json:
        say_json({"export": str(tree.out), "concepts": len(written), "claims": claims})
    else:
        say(f"{len(written)} concepts with {claims} claims are in {tree.out}")


def _all_concepts(door: BundleDoor) -> Iterator[JsonObject]:
    """Each concept with its claims, page by page; the directory is written when all are there."""
    asked: JsonObject = {"limit": _PAGE}
    while True:
        page = door.concepts(asked)
        for item in page["items"]:
            yield door.concept(item["id"])
        if page["next_cursor"] is None:
            return
        asked = {"limit": _PAGE, "cursor": page["next_cursor"]}


def _tell(
    where: Where,
    ask: Callable[[BundleDoor], JsonObject],
    view: Callable[[JsonObject], Iterable[Text]],
) -> None:
    with telling(as_json=where.as_json), where.door() as door:
        said = ask(door.bundles)
    if where.as_json:
        say_json(said)
    else:
        show(view(said))


for _command in (concepts, concept, claim, window, resolve, completeness, export):
    bundle_app.command()(flattened(_command))
