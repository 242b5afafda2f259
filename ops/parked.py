"""What an operator does about parked streams of a data folder, in use or not."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from commands.releasing import OPERATE, StreamReleases
from domain.context import SYSTEM_WORKSPACE, Context
from domain.errors import not_found
from ops.beside import Beside, open_beside
from ops.data_folder import DataFolder, DataFolderError
from ops.settings import local_actor
from projections.catalogue import CATALOGUE
from projections.database import open_views, reading
from projections.parked_streams import (
    ParkedEvent,
    ParkedStream,
    parked_events,
    parked_streams,
)
from workers.catch_up import catch_up

Mode: TypeAlias = Literal["retry", "skip"]
_PART: Final = 0


@dataclass(frozen=True, slots=True)
class Shown:
    """A stream that is not shown, with those of its events that are known to stand in the way."""

    stream: ParkedStream
    events: Sequence[ParkedEvent]


def list_parked(data: Path, stream: str | None = None) -> list[Shown]:
    """What the read models of a folder do not show; of one stream alone, NOT_FOUND for no such."""
    with closing(DataFolder.open(data, alone=False)) as folder:
        return _parked(folder.views, stream)


def release(
    data: Path, mode: Mode, stream: str, projection: str | None = None
) -> list[ParkedStream]:
    """Have a stream tried again, or passed; what of it is still parked or passed then.

    Raises NOT_FOUND for a stream that no projection has parked or passed.
    """
    with open_beside(data) as beside:
        found = [
            one.stream
            for one in _parked(beside.folder.views, stream)
            if projection in {None, one.stream.projection}
        ]
        if not found:
            raise not_found(f"a stream parked by {projection}", field="projection")
        _record(beside, mode, found)
        return _followed(beside, found)


def _record(beside: Beside, mode: Mode, found: Sequence[ParkedStream]) -> None:
    context = Context(
        workspace=SYSTEM_WORKSPACE,
        actor=local_actor(),
        session="parked",
        permissions=frozenset({OPERATE}),
        request_id="parked-" + secrets.token_hex(8),
    )
    releases = StreamReleases(beside.engine, beside.keys)
    named = dict.fromkeys((one.projection, one.workspace, one.stream) for one in found)
    for projection, workspace, stream in named:
        releases.release(context, mode, projection=projection, workspace=workspace, stream=stream)


def _followed(beside: Beside, found: Sequence[ParkedStream]) -> list[ParkedStream]:
    """Follow the log ourselves: a server that has the folder takes turns with us."""
    wanted = {(one.projection, one.workspace, one.stream) for one in found}
    engine = open_views(beside.folder.views)
    try:
        for one in CATALOGUE:
            if one.name in {projection for projection, _, _ in wanted}:
                catch_up(one, _PART, beside.log, engine)
        with reading(engine) as connection:
            left = parked_streams(connection, CATALOGUE, found[0].stream)
    finally:
        engine.dispose()
    return [one for one in left if (one.projection, one.workspace, one.stream) in wanted]


def _parked(views: Path, stream: str | None) -> list[Shown]:
    if not views.exists():
        raise DataFolderError(f"{views} is not there: start the server, or `memoranda rebuild`")
    engine = open_views(views)
    try:
        with reading(engine) as connection:
            found = [
                Shown(one, parked_events(connection, one))
                for one in parked_streams(connection, CATALOGUE, stream)
            ]
    finally:
        engine.dispose()
    if stream is not None and not found:
        raise not_found("a parked stream with this id", field="stream")
    return found
