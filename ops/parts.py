"""Small parts that stand between the sides when everything is put together."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from commands.engine import Engine
from commands.jobs import Group, RecordJob
from commands.keystore import KeyStore
from domain.context import Context
from domain.decisions import Fact
from domain.errors import Code, MemorandaError
from domain.events import RecallRecorded
from domain.ports import LogReader
from domain.receipts import receipt_stream
from domain.slots import slot_ref
from ops.metrics import Standing
from workers.following import Following


class EngineRecallRecorder:
    """Records recalls through the engine, without waiting for the disk (design.md §3)."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record(self, context: Context, recall_id: str, event: RecallRecorded) -> int:
        """The position of the recorded event; it can be traced when this returns."""
        job = RecordJob(context, [Fact(recall_id, event)], durable=False)
        verdict = self._engine.submit(Group([job]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict
        return verdict.position


def standing(log: LogReader, runner: Following, engine: Engine) -> Standing:
    """What a scrape is told."""
    parked = {name: events for name, (_, events) in runner.parked().items()}
    return Standing(log.head(), runner.lags(), parked, engine.waiting())


class OpenFor:
    """Counts who is inside, so that closing waits for them; nobody comes in after that."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False

    def __enter__(self) -> None:
        with self._changed:
            if self._closed:
                raise MemorandaError(
                    Code.OVERLOADED, "the store is shutting down: try again", retry_after=1
                )
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    def close(self) -> None:
        """Refuse newcomers, wait for the rest."""
        with self._changed:
            self._closed = True
            self._changed.wait_for(lambda: self._inside == 0)


@dataclass(frozen=True, slots=True)
class WorkspaceLookup:
    """What readers may know of a workspace's secrets; an unknown workspace is not created."""

    keys: KeyStore

    def page_tokens(self, workspace: str) -> bytes | None:
        """The secret that signs its page tokens and cursors."""
        found = self.keys.workspace(workspace)
        return None if found is None else found.page_tokens

    def ids(self, workspace: str) -> bytes | None:
        """The secret that its derived ids are made with."""
        found = self.keys.workspace(workspace)
        return None if found is None else found.ids

    def slot_ref(self, workspace: str, slot: str) -> str | None:
        """The reference that memories of a slot have."""
        found = self.keys.workspace(workspace)
        return None if found is None else slot_ref(found.slots, slot)

    def receipt_stream(self, context: Context, key: str) -> str | None:
        """The receipt of the context's actor under an idempotency key."""
        found = self.keys.workspace(context.workspace)
        if found is None:
            return None
        return receipt_stream(found.ids, context.workspace, context.actor, key)
