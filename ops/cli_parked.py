"""`memoranda parked`: streams that the read models could not go on with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from domain.canonical import JsonObject
from domain.instants import server_time
from ops.cli_arguments import flattened
from ops.cli_errors import REFUSED, telling
from ops.cli_shared import place, remark, say, say_json
from ops.cli_store import WholeStore

if TYPE_CHECKING:
    from ops.parked import Mode, Shown
    from projections.parked_streams import ParkedStream

parked_app = typer.Typer(
    no_args_is_help=True, help="Records that an event stands in the way of: look, retry, skip."
)


@dataclass(frozen=True, kw_only=True)
class OneStream:
    """Which record."""

    stream: Annotated[
        str, typer.Argument(help="mem_… or rel_…, as `memoranda parked list` shows it.")
    ]


@dataclass(frozen=True, kw_only=True)
class OfProjection:
    """In which of the read models."""

    projection: Annotated[
        str | None, typer.Option(help="Of one read model alone; default: of all that parked it.")
    ] = None


def list_streams(store: WholeStore) -> None:
    """List the records that the read models do not show, by position."""
    with telling(as_json=store.as_json):
        found = _listed(store)
    if store.as_json:
        say_json(found)
        return
    if not found:
        remark("nothing is parked")
    for one in found:
        say(_line(one))


def _listed(store: WholeStore) -> list[JsonObject]:
    if store.url is not None:
        return list(store.job(store.url, "parked list")[0])
    from ops.parked import list_parked

    return [_plain(one.stream) for one in list_parked(place(store.data))]


def show(one: OneStream, store: WholeStore) -> None:
    """Show which events of a record are parked, and what for. Never what they say."""
    with telling(as_json=store.as_json):
        found = _shown(one.stream, store)
    if store.as_json:
        say_json(found)
        return
    for shown in found:
        for line in _lines(shown):
            say(line)


def _shown(stream: str, store: WholeStore) -> list[JsonObject]:
    if store.url is not None:
        return list(store.job(store.url, "parked show", stream=stream)[0])
    from ops.parked import list_parked

    return [_whole(one) for one in list_parked(place(store.data), stream)]


def retry(one: OneStream, of: OfProjection, store: WholeStore) -> None:
    """Read a record again from its first event; exit status 1 if it is still parked then."""
    released = _release("retry", one.stream, of.projection, store)
    left = released["left"]
    if store.as_json:
        say_json(released)
    elif left:
        for still in left:
            say(_line(still))
        remark(
            f"{one.stream} failed again: look at the error, or `memoranda parked skip {one.stream}`"
        )
    else:
        say(f"{one.stream} is shown again")
    if left:
        raise typer.Exit(REFUSED)


def skip(one: OneStream, of: OfProjection, store: WholeStore) -> None:
    """Pass a record: it stays out of the read models, now and when they are built anew."""
    released = _release("skip", one.stream, of.projection, store)
    if store.as_json:
        say_json(released)
    else:
        say(
            f"{one.stream} is passed from here on; "
            f"`memoranda parked retry {one.stream}` takes it up again"
        )


def _release(mode: Mode, stream: str, projection: str | None, store: WholeStore) -> JsonObject:
    with telling(as_json=store.as_json):
        if store.url is not None:
            named = {"stream": stream, "projection": projection}
            answer: JsonObject = store.job(store.url, f"parked {mode}", **named)[0]
            return answer
        from ops.parked import release

        left = release(place(store.data), mode, stream, projection)
        plain = [_plain(one) for one in left]
        return {"stream": stream, "released": mode == "skip" or not left, "left": plain}


parked_app.command("list")(flattened(list_streams))
parked_app.command()(flattened(show))
parked_app.command()(flattened(retry))
parked_app.command()(flattened(skip))


def _line(one: Mapping[str, Any]) -> str:
    why = f"  {one['error']}" if one["error"] else ""
    return (
        "{stream}  {state} by {projection} since position {position} ({since})"
        "  workspace {workspace}, {events} events".format_map(one)
        + why
    )


def _lines(one: Mapping[str, Any]) -> Iterator[str]:
    yield _line({**one, "events": len(one["events"])})
    for event in one["events"]:
        waits = "" if event["blocked_by"] is None else f" behind {event['blocked_by']}"
        yield f"  position {event['position']}  {event['state']}{waits}  {event['error']}".rstrip()


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
