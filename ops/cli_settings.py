"""`memoranda settings`: what holds in a workspace, and changing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from domain.canonical import JsonObject
from ops.cli_errors import telling
from ops.cli_shared import say, say_json
from ops.cli_where import Where


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What to change; without any the settings are shown."""

    session_isolation: Annotated[
        Literal["label", "strict"] | None,
        typer.Option(
            help="strict: each session sees its own records only. Fixed once there are records."
        ),
    ] = None
    require_source: Annotated[
        bool | None,
        typer.Option(
            "--require-source/--no-require-source", help="Refuse memories that name no source."
        ),
    ] = None
    recall_policy: Annotated[
        Literal["surface-all/v1", "newest-recorded/v1"] | None,
        typer.Option(help="The policy of questions that name none."),
    ] = None

    def said(self) -> JsonObject | None:
        """The members to change; None for none."""
        named = {
            "session_isolation": self.session_isolation,
            "require_source": self.require_source,
            "recall_policy": self.recall_policy,
        }
        return {name: value for name, value in named.items() if value is not None} or None


def settings(changes: Changes, where: Where) -> None:
    """Show what holds in a workspace, or change it; with --url that of the key."""
    change = changes.said()
    with telling(as_json=where.as_json), where.door(create=change is not None) as door:
        found = door.settings(change)
    if where.as_json:
        say_json(found)
        return
    for name, value in found.items():
        say(f"{name}: {str(value).lower()}")
