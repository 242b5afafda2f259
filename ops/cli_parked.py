"""`memoranda parked`: streams that the read models could not go on with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from domain.canonical import JsonObject
from domain.instants import server_time
from ops.cli_errors import REFUSED, telling
from ops.cli_shared import DataOption, JsonOption, remark, say, say_json
from ops.settings import load_settings

if TYPE_CHECKING:
    from ops.parked import Mode, Shown
    from projections.parked_streams import ParkedStream

parked_app = typer.Typer(
    no_args_is_help=True, help="Records that an event stands in the way of: look, retry, skip."
)
StreamArgument = Annotated[
    str, typer.Argument(help="mem_… or rel_…, as `memoranda parked list` shows it.")
]
ProjectionOption = Annotated[
    str | None, typer.Option(help="Of one read model alone; default: of all that parked it.")
]


@parked_app.command("list")
def list_streams(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the records that the read models do not show, by position."""
    with telling(as_json=as_json):
        from ops.parked import list_parked

        found = list_parked(load_settings(data=data).data)
    if as_json:
        say_json([_plain(one.stream) for one in found])
        return
    if not found:
        remark("nothing is parked")
    for one in found:
        say(_line(one.stream))


@parked_app.command()
def show(stream: StreamArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show which events of a record are parked, and what for. Never what they say."""
    with telling(as_json=as_json):
        from ops.parked import list_parked

        found = list_parked(load_settings(data=data).data, stream)
    if as_json:
        say_json([_whole(one) for one in found])
        return
    for one in found:
        for line in _lines(one):
            say(line)


@parked_app.command()
def retry(
    stream: StreamArgument,
    projection: ProjectionOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read a record again from its first event; exit status 1 if it is still parked then."""
    left = _release("retry", stream, projection, data, as_json=as_json)
    if as_json:
        say_json({"stream": stream, "released": not left, "left": [_plain(one) for one in left]})
    elif left:
        for one in left:
            say(_line(one))
        remark(f"{stream} failed again: look at the error, or `memoranda parked skip {stream}`")
    else:
        say(f"{stream} is shown again")
    if left:
        raise typer.Exit(REFUSED)


@parked_app.command()
def skip(
    stream: StreamArgument,
    projection: ProjectionOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pass a record: it stays out of the read models, now and when they are built anew."""
    left = _release("skip", stream, projection, data, as_json=as_json)
    if as_json:
        say_json({"stream": stream, "released": True, "left": [_plain(one) for one in left]})
    else:
        say(f"{stream} is passed from here on; `memoranda parked retry {stream}` takes it up again")


def _release(
    mode: Mode, stream: str, projection: str | None, data: Path | None, *, as_json: bool
) -> list[ParkedStream]:
    with telling(as_json=as_json):
        from ops.parked import release

        return release(load_settings(data=data).data, mode, stream, projection)


def _line(one: ParkedStream) -> str:
    since = server_time(one.since_us)
    why = f"  {one.error}" if one.error else ""
    return (
        f"{one.stream}  {one.state} by {one.projection} since position {one.position} ({since})"
        f"  workspace {one.workspace}, {one.events} events{why}"
    )


def _lines(one: Shown) -> Iterator[str]:
    yield _line(one.stream)
    for event in one.events:
        waits = "" if event.blocked_by is None else f" behind {event.blocked_by}"
        yield f"  position {event.position}  {event.state}{waits}  {event.error}".rstrip()


def _plain(one: ParkedStream) -> JsonObject:
    return {**_without_us(asdict(one)), "since": server_time(one.since_us)}


def _whole(one: Shown) -> JsonObject:
    events = [
        {**_without_us(asdict(event)), "parked_at": server_time(event.parked_us)}
        for event in one.events
    ]
    return {**_plain(one.stream), "events": events}


def _without_us(said: JsonObject) -> JsonObject:
    return {name: value for name, value in said.items() if not name.endswith("_us")}
