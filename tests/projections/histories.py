"""Realistic logs: random commands, decided by the domain, appended as the engine would."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from domain.context import PERMISSIONS, Context
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.events import (
    CommandRecorded,
    ErasureStep,
    MemoryForgotten,
    Receipt,
)
from domain.guards import apply_guard
from domain.ids import RECEIPT, derived_id, encode_id, uuid7
from domain.instants import server_time
from domain.memory import MemoryState
from domain.memory_streams import fold_memory
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, fold_relationship
from domain.slots import slot_ref
from tests.projections.handlers import HANDLERS, SECRET
from tests.projections.memory_log import MemoryLog

START_US = 1_760_000_000_000_000

Command: TypeAlias = tuple[str, dict[str, Any]]


@dataclass
class World:
    """A log and what a command handler needs to know of it."""

    log: Any = field(default_factory=MemoryLog)
    memories: list[tuple[str, str]] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    refused: list[MemorandaError] = field(default_factory=list)
    _count: Any = field(default_factory=itertools.count)

    def run(self, commands: list[Command]) -> World:
        """Do them in order; a refusal is a result like any other."""
        for name, said in commands:
            self.do(name, **said)
        return self

    def given(self, commands: list[Command]) -> World:
        """Do them in order; none may be refused."""
        self.run(commands)
        if self.refused:
            raise self.refused[0]
        return self

    def do(self, name: str, **said: Any) -> list[RecordedEvent]:
        """One command; the events that it recorded, none where it was refused."""
        try:
            return HANDLERS[name](self, said)
        except MemorandaError as refusal:
            self.refused.append(refusal)
            return []

    def record(self, said: dict[str, Any], facts: list[Fact]) -> list[RecordedEvent]:
        """Append facts and a receipt, and remember which records there are."""
        d = self.decision(said)
        receipt = CommandRecorded(
            targets=[],
            payload=Receipt(
                operation="test",
                idempotency_key=d.context.request_id,
                fingerprint="",
                committed_id="",
                committed_version=1,
            ),
        )
        stream = encode_id(RECEIPT, derived_id(SECRET, d.context.request_id))
        events = self.log.append([*facts, Fact(stream, receipt)], d.context.for_event(), d.now_us)
        for event in events:
            known = {"mem": self.memories, "rel": self.edges}.get(event.stream[:3])
            if known is not None and event.version == 1:
                known.append((event.context.workspace, event.stream))
        return events

    def decision(self, said: dict[str, Any]) -> Decision:
        now_us = START_US + next(self._count) * 1_000
        context = Context(
            workspace=said.get("workspace", "acme"),
            actor=said.get("actor", "ann"),
            session=said.get("session", "monday"),
            permissions=PERMISSIONS,
            request_id=f"request {now_us}",
            agent=said.get("agent"),
        )
        return Decision(
            context=context,
            now=server_time(now_us),
            now_us=now_us,
            new_id=self.new_id,
            slot_ref=lambda slot: slot_ref(SECRET, slot),
        )

    def new_id(self, prefix: str) -> str:
        return encode_id(prefix, uuid7(next(self._count), bytes(10)))

    def memory(self, workspace: str, memory_id: str) -> MemoryState | None:
        return fold_memory(self.log.stream(workspace, memory_id))

    def edge(self, workspace: str, edge_id: str) -> RelationshipState | None:
        return fold_relationship(self.log.stream(workspace, edge_id))

    def holder(self, workspace: str, guard: str | None) -> str | None:
        state = None
        for event in self.log.stream(workspace, guard) if guard is not None else ():
            state = apply_guard(state, event)
        return None if state is None else state.holder

    def pick(self, known: list[tuple[str, str]], said: dict[str, Any], name: str) -> str:
        """An id of the command's workspace, chosen by a number."""
        ids = [stream for workspace, stream in known if workspace == said["workspace"]]
        return ids[said[name] % len(ids)] if ids else "mem_none"

    def destroy_keys(self) -> None:
        """Carry out all erasures that were asked for, as the eraser does."""
        for event in self.log.after(0, 10**6, topics=(ErasureStep.TOPIC,)):
            for step in event.facts:
                for stream, version in step.targets:
                    first = version if step.scope == "event" else 1
                    self._destroy(event.context.workspace, stream, range(first, version + 1))

    def _destroy(self, workspace: str, stream: str, versions: range) -> None:
        for event in self.log.stream(workspace, stream):
            if event.version in versions and event.topic != MemoryForgotten.TOPIC:
                self.log.destroy_key(workspace, stream, event.version)
