"""Destroying the text of forgotten memories: the keys of the covered events (policy.md §3.3).

The request is an event of the forget's own transaction, so that it cannot get lost; what a crash
interrupts is resumed at the next start. Every step is idempotent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from commands.engine import Engine
from commands.jobs import Group, RecordJob
from commands.keystore import KeyStore
from commands.log_store import LogStore
from domain.context import Context
from domain.decisions import Fact
from domain.envelope import EventContext, Head, unpack_state
from domain.errors import MemorandaError
from domain.events import ErasureStep, MemoryForgotten, Target
from domain.ports import LogReader

_PAGE: Final = 500


class Eraser:
    """Carries out what `erasure.step {requested}` asks for."""

    def __init__(self, *, store: LogStore, keys: KeyStore, engine: Engine, log: LogReader) -> None:
        self._store = store
        self._keys = keys
        self._engine = engine
        self._log = log

    def run(self, context: Context, stream: str, request: ErasureStep) -> None:
        """Destroy the keys, then record that it is done."""
        covered = self._covered(request.targets, whole=request.scope != "event")
        destroyed = self._keys.destroy(context.workspace, covered)
        self._engine.forget_cached([memory for memory, _ in request.targets])
        done = ErasureStep(
            mode="keys_destroyed",
            scope=request.scope,
            targets=request.targets,
            counts={"keys": destroyed},
        )
        job = RecordJob(context, [Fact(stream, done)])
        verdict = self._engine.submit(Group([job]))[0]
        if isinstance(verdict, MemorandaError):
            raise verdict

    def _covered(self, targets: Sequence[Target], *, whole: bool) -> list[str]:
        """Keys of the covered versions. A forget's own reason stays (spec §5, forget)."""
        keys: list[str] = []
        last = dict(targets)
        for stream, rows in self._store.load(dict.fromkeys(last, 0)).items():
            for row in rows:
                head = Head.from_bytes(unpack_state(row.state)[0])
                covered = row.version <= last[stream] if whole else row.version == last[stream]
                if covered and head.key is not None and row.topic != MemoryForgotten.TOPIC:
                    keys.append(head.key)
        return keys

    def resume(self) -> int:
        """Finish what an earlier process left; gives how many erasures that were."""
        pending: dict[str, tuple[EventContext, ErasureStep]] = {}
        position = 0
        while events := self._log.after(position, _PAGE, topics=(ErasureStep.TOPIC,)):
            for event in events:
                for fact in event.facts:
                    if not isinstance(fact, ErasureStep):
                        continue
                    if fact.mode == "requested":
                        pending[event.stream] = (event.context, fact)
                    else:
                        pending.pop(event.stream, None)
            position = events[-1].position
        for stream, (said, request) in pending.items():
            self.run(_context(said), stream, request)
        return len(pending)


def _context(said: EventContext) -> Context:
    """The erasure goes on in the name of who asked for it."""
    return Context(
        workspace=said.workspace,
        actor=said.actor,
        session=said.session,
        permissions=frozenset(),
        request_id=said.request,
        agent=said.agent,
        trace=said.trace,
    )
