"""Realistic logs: random commands, decided by the domain, appended as the engine would."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from domain import consolidation, memory_decisions, relationship_decisions
from domain.context import PERMISSIONS, Context
from domain.contract import ConsolidateInput, ForgetInput, Patch, RelateInput, RememberInput
from domain.decisions import Decision, Fact
from domain.errors import MemorandaError
from domain.events import (
    CommandRecorded,
    ErasureStep,
    MemoryForgotten,
    Recalled,
    RecallRecorded,
    Receipt,
)
from domain.guards import apply_guard, guard_stream
from domain.ids import RECALL, RECEIPT, derived_id, encode_id, uuid7
from domain.instants import server_time
from domain.memory import MemoryState, fold_memory
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, fold_relationship
from domain.slots import slot_ref
from tests.projections.memory_log import MemoryLog

SECRET = b"a secret of tests"
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
            return _HANDLERS[name](self, said)
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


def _guard(said: dict[str, Any], kind: Any, private: bool, key: str | None) -> str | None:
    owner = said.get("actor", "ann") if private else None
    return None if key is None else guard_stream(SECRET, said["workspace"], kind, key, owner)


def _remember(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    given = RememberInput(**said["input"])
    given.check()
    private = given.visibility == "private"
    guard = _guard(said, "memory", private, given.identity_key)
    held = world.holder(said["workspace"], guard)
    existing = None if held is None else world.memory(said["workspace"], held)
    d = world.decision(said)
    return world.record(said, memory_decisions.remember(d, given, guard, existing))


def _update(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    patch = Patch(**said["patch"])
    patch.check()
    state = world.memory(said["workspace"], world.pick(world.memories, said, "memory"))
    return world.record(said, memory_decisions.update(world.decision(said), state, patch, None))


def _forget(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    memory_id = world.pick(world.memories, said, "memory")
    state = world.memory(said["workspace"], memory_id)
    version = said.get("version")
    if version is not None and state is not None:
        version = version % state.version + 1
    given = ForgetInput(
        memory_id=memory_id,
        mode=said["mode"],
        scope=said.get("scope", "lineage"),
        version=version,
        expires_at=said.get("expires_at"),
        reason=said.get("reason", "asked to"),
    )
    given.check()
    d = world.decision(said)
    if given.scope == "key":
        if state is None or not state.addressable_by(d.context.actor):
            return []
        slot = [
            (other, _guard_of(said, other))
            for workspace, stream in world.memories
            if workspace == said["workspace"]
            and (other := world.memory(workspace, stream)) is not None
            and other.slot_ref == state.slot_ref
        ]
        return world.record(said, memory_decisions.forget_slot(d, given, slot))
    guard = None if state is None else _guard_of(said, state)
    return world.record(said, memory_decisions.forget(d, given, state, guard))


def _guard_of(said: dict[str, Any], state: MemoryState) -> str | None:
    return _guard(said, "memory", state.home.visibility == "private", state.identity_key)


def _relate(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    ends = [world.pick(world.memories, said, name) for name in ("source", "target")]
    given = RelateInput(source_id=ends[0], target_id=ends[1], **said["input"])
    given.check()
    states = tuple(world.memory(said["workspace"], end) for end in ends)
    guard = _guard(said, "relationship", False, given.identity_key)
    held = world.holder(said["workspace"], guard)
    existing = None if held is None else world.edge(said["workspace"], held)
    d = world.decision(said)
    return world.record(said, relationship_decisions.relate(d, given, states, guard, existing))


def _update_edge(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    patch = Patch(**said["patch"])
    patch.check()
    state = world.edge(said["workspace"], world.pick(world.edges, said, "edge"))
    d = world.decision(said)
    return world.record(said, relationship_decisions.update(d, state, patch, None))


def _consolidate(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    ids = sorted({world.pick(world.memories, said, name) for name in ("one", "other")})
    shared = {"memory_ids": ids, "reason": "the same", "preserve_disagreements": True}
    given = ConsolidateInput(mode={"mode": "propose"}, **shared)
    given.check()
    states = [world.memory(said["workspace"], member) for member in ids]
    d = world.decision(said)
    members = consolidation.members_of(d, states)
    [proposed, _] = world.record(said, consolidation.propose(d, given, members, []))
    mode = {
        "mode": "apply_approved",
        "proposal_id": proposed.stream,
        "approval_policy": "four eyes",
    }
    given = ConsolidateInput(mode=mode, **shared)
    proposal = consolidation.apply_proposal(None, proposed)
    facts = consolidation.apply(world.decision(said), given, given.mode, proposal, states)
    return world.record(said, facts)


def _recall(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    d = world.decision(said)
    recalled = RecallRecorded(
        session=d.context.session,
        visibility="workspace",
        owner=d.context.actor,
        targets=[],
        counts={},
        payload=Recalled(
            objective="what is there?",
            seed_ids=[],
            limits={},
            filters={},
            basis={},
            items=[],
            outcomes=[],
            usage={},
        ),
    )
    fact = Fact(d.new_id(RECALL), recalled)
    return world.log.append([fact], d.context.for_event(), d.now_us)


def _burn(world: World, said: dict[str, Any]) -> list[RecordedEvent]:
    world.log.burn(said["count"])
    return []


_HANDLERS: dict[str, Callable[[World, dict[str, Any]], list[RecordedEvent]]] = {
    "remember": _remember,
    "update": _update,
    "forget": _forget,
    "relate": _relate,
    "update_edge": _update_edge,
    "consolidate": _consolidate,
    "recall": _recall,
    "burn": _burn,
}
