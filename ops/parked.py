"""What an operator does about parked streams of a store, in use or not."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from sqlalchemy import Engine

from commands.releasing import OPERATE, StreamReleases
from domain.context import SYSTEM_WORKSPACE, Context
from domain.errors import not_found
from domain.ports import LogReader
from ops.beside import Beside, open_beside
from ops.data_folder import DataFolder, DataFolderError
from ops.migrating import check_schema
from ops.settings import ServerMode, local_actor
from projections.catalogue import CATALOGUE, Projection
from projections.checkpoints import BusyError
from projections.database import open_views, part_in, reading
from projections.parked_streams import (
    ParkedEvent,
    ParkedStream,
    parked_events,
    parked_streams,
)
from workers.catch_up import catch_up

Mode: TypeAlias = Literal["retry", "skip"]
TURNS_MAX: Final = 100
TURN_SECONDS: Final = 0.1
"""A worker that is at work on the same part takes turns with us."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A stream that is not shown, with those of its events that are known to stand in the way."""

    stream: ParkedStream
    events: Sequence[ParkedEvent]


def list_parked(where: Path | ServerMode, stream: str | None = None) -> list[Shown]:
    """What the read models of a store do not show; of one stream alone, NOT_FOUND for no such."""
    if isinstance(where, ServerMode):
        check_schema(where.database_url)
        return _parked(where.database_url, stream)
    with closing(DataFolder.open(where, alone=False)) as folder:
        return _parked(folder.views, stream)


def release(
    where: Path | ServerMode, mode: Mode, stream: str, projection: str | None = None
) -> list[ParkedStream]:
    """Have a stream tried again, or passed; what of it is still parked or passed then.

    Raises NOT_FOUND for a stream that no projection has parked or passed.
    """
    with open_beside(where) as beside:
        found = [
            one.stream
            for one in _parked(beside.views, stream)
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
    """Follow the log ourselves: whoever has the store takes turns with us."""
    wanted = {(one.projection, one.workspace, one.stream) for one in found}
    engine = open_views(beside.views)
    try:
        for one in CATALOGUE:
            names = {workspace for projection, workspace, _ in wanted if projection == one.name}
            for part in {part_in(engine, workspace) for workspace in names}:
                _catch_up(one, part, beside.log, engine)
        with reading(engine) as connection:
            left = parked_streams(connection, CATALOGUE, found[0].stream)
    finally:
        engine.dispose()
    return [one for one in left if (one.projection, one.workspace, one.stream) in wanted]


def _catch_up(projection: Projection, part: int, log: LogReader, engine: Engine) -> None:
    for turn in range(TURNS_MAX):
        try:
            catch_up(projection, part, log, engine)
        except BusyError:
            if turn == TURNS_MAX - 1:
                raise
            time.sleep(TURN_SECONDS)
        else:
            return


def _parked(views: Path | str, stream: str | None) -> list[Shown]:
    if isinstance(views, Path) and not views.exists():
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
