"""`memoranda stats`: how much is in a data folder, which may be in use, or on a server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from ops.cli_errors import telling
from ops.cli_shared import DataOption, JsonOption, place, say_json
from ops.cli_where import Server, show
from ops.settings import ServerMode

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True, kw_only=True)
class Counted(Server):
    """What is counted: a data folder, or what a key sees of a server."""

    data: DataOption = None
    workspace: Annotated[
        str | None, typer.Option(help="Only this one. Default: all; with --url the key's.")
    ] = None
    as_json: JsonOption = False


def stats(counted: Counted) -> None:
    """Count what a data folder holds, and what it takes; it may be in use."""
    with telling(as_json=counted.as_json):
        found = _found(counted)
    if counted.as_json:
        say_json(found)
    else:
        show(_told(found))


def _found(counted: Counted) -> JsonObject:
    if counted.url is None:
        return _measured(counted)
    from ops.cli_remote import operator_door

    local = {"data": counted.data, "workspace": counted.workspace}
    return operator_door(counted.url, counted.api_key, **local).get("/v1/stats")


def _measured(counted: Counted) -> JsonObject:
    """The database of the server mode, unless a folder is named."""
    where = place(counted.data)
    if isinstance(where, ServerMode):
        from ops.counting_database import measured_database

        return measured_database(where, counted.workspace)
    from ops.counting import measured

    return measured(where, counted.workspace)


def _told(found: JsonObject) -> Iterator[Text]:
    from ops.cli_text import counted, line, pairs, plain

    yield line(
        counted(found["memories"], "memory", "memories"),
        f"{found['forgotten']} of them forgotten" if found["forgotten"] else "",
        counted(found["relationships"], "relationship"),
        counted(found["recalls"], "recall"),
        counted(found["events"], "event"),
    )
    for workspace, said in sorted(found["workspaces"].items()):
        yield line(f"{plain(workspace)}: {pairs(said)}", indent=1)
    positions = found["read_models"] or {}
    seen = ", ".join(f"{name} at {position}" for name, position in positions.items())
    yield line(f"log at {found['head']}", seen or "no read models")
    if found["files"] is None:
        return
    for name, size in found["files"].items():
        yield line(f"{size:>14,}  {name}")
    each = found["bytes_per_memory"]
    yield line(f"{found['bytes']:>14,}  bytes", f"{each:,} a memory" if each is not None else "")
