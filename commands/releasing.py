"""Releasing parked streams: an operator's decision, recorded as an event (design.md §4).

Projections fold these events like all others, so that read models that are built anew are the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from commands.engine import Engine
from commands.jobs import Group, RecordJob
from commands.keystore import KeyStore
from domain.context import SYSTEM_WORKSPACE, Context
from domain.decisions import Fact
from domain.errors import MemorandaError, invalid
from domain.events import Release, StreamReleased
from domain.ids import SYSTEM, derived_id, encode_id, split_id

OPERATE: Final = "operate"
_STREAM: Final = "released streams"


class StreamReleases:
    """Records what becomes of streams that a projection could not go on with."""

    def __init__(self, engine: Engine, keys: KeyStore) -> None:
        self._engine = engine
        self._keys = keys

    def release(
        self,
        context: Context,
        mode: Literal["retry", "skip"],
        *,
        projection: str,
        workspace: str,
        stream: str,
    ) -> int:
        """Have a projection take up a stream again, or pass it from here on; the event's position.

        Needs the permission `operate`. `workspace` is that of the stream; the event itself stands
        in the workspace `system`, in the name of the context's actor.
        """
        context.require(OPERATE)
        if split_id(stream) is None:
            raise invalid(
                "the stream is no id of a record: take one from `memoranda parked list`",
                field="stream",
            )
        event = StreamReleased(
            mode=mode,
            target_id=stream,
            payload=Release(projection=projection, workspace=workspace),
        )
        secret = self._keys.ensure_workspace(SYSTEM_WORKSPACE).ids
        ours = encode_id(SYSTEM, derived_id(secret, _STREAM))
        job = RecordJob(replace(context, workspace=SYSTEM_WORKSPACE), [Fact(ours, event)])
        verdict = self._engine.submit(Group([job]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict
        return verdict.position
