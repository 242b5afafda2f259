"""Commands that read slots: slot, slots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from domain.canonical import JsonObject
from domain.errors import invalid
from domain.instants import FOREVER
from ops.cli_arguments import Basis
from ops.cli_errors import telling
from ops.cli_shared import say_json
from ops.cli_where import Where, show


@dataclass(frozen=True, kw_only=True)
class AtBasis(Basis):
    """At which basis slots are read, and under which policy."""

    policy: Annotated[
        str | None,
        typer.Option(
            help="newest-recorded/v1 selects one memory of each slot. Default: the workspace's."
        ),
    ] = None
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=200)] = 50

    def asked(self) -> JsonObject:
        """The same, with the policy and the size of a page."""
        said: JsonObject = {"limit": self.limit}
        return super().asked() | said | ({} if self.policy is None else {"policy": self.policy})


@dataclass(frozen=True, kw_only=True)
class Named(AtBasis):
    """What `slot` takes."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="The slot, as a memory names it.")]
    history: Annotated[
        bool, typer.Option("--history", help="What changed its answer, oldest first.")
    ] = False
    after: Annotated[
        int | None,
        typer.Option(min=0, max=FOREVER, help="With --history: the next page, by its position."),
    ] = None

    def past(self) -> JsonObject:
        """What is said of a history; INVALID_REQUEST for a basis, since it has all of them."""
        given = self.asked()
        for name in ("as_of", "as_known_at", "as_known_position"):
            if name in given:
                option = f"--{name.replace('_', '-')}"
                raise invalid(f"{option} does not go with --history: leave it out", field=name)
        return given if self.after is None else {**given, "after": self.after}

    def asked(self) -> JsonObject:
        """The same; a page of a history needs one."""
        if self.after is not None and not self.history:
            raise invalid("--after goes with --history: add it", field="after")
        return super().asked()


@dataclass(frozen=True, kw_only=True)
class Listed(AtBasis):
    """What `slots` takes."""

    conflicts: Annotated[
        bool, typer.Option("--conflicts", help="Only slots whose memories disagree.")
    ] = False
    changed_since: Annotated[
        str | None, typer.Option(help="Only slots with another answer at a time, or a position.")
    ] = None
    cursor: Annotated[str | None, typer.Option(help="The next page of a question.")] = None

    def asked(self) -> JsonObject:
        """The same, and the filters."""
        said = {"changed_since": self.changed_since, "cursor": self.cursor}
        given: JsonObject = {name: one for name, one in said.items() if one is not None}
        return super().asked() | given | ({"conflicts": True} if self.conflicts else {})


def slot(named: Named, where: Where) -> None:
    """Tell what is known about a slot: what is selected, what disagrees, and what is left out."""
    from ops.cli_views_slots import changes, one

    with telling(as_json=where.as_json):
        _check(named.name)
        asked = named.past() if named.history else named.asked()
        with where.door() as door:
            ask = door.slot_history if named.history else door.slot
            said = ask(named.name, asked)
    if where.as_json:
        say_json(said)
    else:
        show(changes(said) if named.history else one(said))


def _check(name: str) -> None:
    """Refuse bytes that are no text; a memory cannot be named so."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise invalid("NAME is not UTF-8: give the slot as text", field="slot") from None


def slots(listed: Listed, where: Where) -> None:
    """List the slots, those whose memories disagree, or those that changed."""
    from ops.cli_views_slots import many

    with telling(as_json=where.as_json), where.door() as door:
        said = door.slots(listed.asked())
    if where.as_json:
        say_json(said)
    else:
        show(many(said))
