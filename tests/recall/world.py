"""A small world for recall and trace: the domain decides, a log in memory keeps, SQLite shows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from domain import consolidation, memory_decisions, relationship_decisions
from domain.context import Context
from domain.contract import ConsolidateInput, ForgetInput, Patch, RelateInput, RememberInput
from domain.decisions import Decision, Fact
from domain.events import CommandRecorded, ErasureStep, RecallRecorded, Receipt
from domain.ids import MEMORY, PROPOSAL, RECEIPT, RELATIONSHIP, derived_id, encode_id, uuid7
from domain.instants import Micros, server_time
from domain.memory import MemoryState
from domain.memory_streams import fold_memory
from domain.proposals import apply_proposal
from domain.receipts import receipt_stream
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, fold_relationship
from domain.slots import slot_ref
from tests.projections.memory_log import MemoryLog

SECRET = b"a secret of tests"
START_US = 1_760_000_000_000_000
ALL = frozenset({"read", "write", "trace", "forget", "consolidate"})


class FixedClock:
    """The store's clock; it moves when it is told to."""

    def __init__(self, now_us: Micros = START_US) -> None:
        self.now = now_us

    def now_us(self) -> Micros:
        return self.now


class World:
    """Commands in one line each. Ids are in the order of creation."""

    def __init__(self) -> None:
        self.log = MemoryLog()
        self.clock = FixedClock()
        self._count = itertools.count(1)
        self._commands = itertools.count(1)

    # --- Context ------------------------------------------------------------------------------

    def context(self, said: dict[str, Any] | None = None, **more: Any) -> Context:
        given = {
            "workspace": "w",
            "actor": "ann",
            "session": "monday",
            "permissions": ALL,
            "request_id": f"request-{next(self._commands)}",
            **(said or {}),
            **more,
        }
        return Context(**given)

    def decision(self, context: Context) -> Decision:
        self.clock.now += 1_000
        return Decision(
            context=context,
            now=server_time(self.clock.now),
            now_us=self.clock.now,
            new_id=self.new_id,
            slot_ref=lambda slot: slot_ref(SECRET, slot),
        )

    def new_id(self, prefix: str) -> str:
        return encode_id(prefix, uuid7(next(self._count), bytes(10)))

    # --- Commands -----------------------------------------------------------------------------

    def remember(self, text: Any = "alpha", by: dict[str, Any] | None = None, **more: Any) -> str:
        """The id; `text` may be a whole content."""
        content = {"format": "text", "value": text} if isinstance(text, str) else text
        fields = {
            "kind": "observation",
            "schema_version": "1",
            "content": content,
            "provenance": [],
            "tags": [],
            **more,
        }
        said = RememberInput(**fields)
        said.check()
        d = self.decision(self.context(by))
        return self.record(d, "remember", memory_decisions.remember(d, said, None, None))

    def claim(self, by: dict[str, Any] | None = None, *, more: Any = None, **said: Any) -> str:
        """A memory of properties."""
        content = {"format": "properties", "value": said}
        return self.remember(content, by, **(more or {}))

    def relate(
        self, source: str, target: str, by: dict[str, Any] | None = None, **more: Any
    ) -> str:
        fields = {
            "source_id": source,
            "target_id": target,
            "kind": "supports",
            "properties": {},
            "provenance": [],
            "lifecycle": "active",
            **more,
        }
        said = RelateInput(**fields)
        said.check()
        context = self.context(by)
        d = self.decision(context)
        ends = (self.memory(source, context.workspace), self.memory(target, context.workspace))
        return self.record(d, "relate", relationship_decisions.relate(d, said, ends, None, None))

    def update(self, record: str, by: dict[str, Any] | None = None, **patch: Any) -> str:
        said = Patch(**patch)
        said.check()
        context = self.context(by)
        d = self.decision(context)
        if record.startswith(MEMORY):
            state = self.memory(record, context.workspace)
            return self.record(d, "update", memory_decisions.update(d, state, said, None))
        edge = self.edge(record, context.workspace)
        return self.record(d, "update", relationship_decisions.update(d, edge, said, None))

    def forget(
        self, memory: str, mode: str = "tombstone", by: dict[str, Any] | None = None, **more: Any
    ) -> str:
        """Forget; the keys of an application_delete are destroyed at once."""
        said = ForgetInput(**{"memory_id": memory, "mode": mode, "reason": "because", **more})
        said.check()
        context = self.context(by)
        d = self.decision(context)
        state = self.memory(memory, context.workspace)
        done = self.record(d, "forget", memory_decisions.forget(d, said, state, None))
        self._destroy(context.workspace)
        return done

    def consolidate(self, members: list[str], canonical: str) -> str:
        """Propose and apply; the id of the proposal."""
        said = {
            "memory_ids": members,
            "canonical_id": canonical,
            "reason": "the same",
            "preserve_disagreements": True,
        }
        propose = ConsolidateInput(mode={"mode": "propose"}, **said)
        d = self.decision(self.context())
        states = [self.memory(member) for member in members]
        known = consolidation.members_of(d, states)
        facts = consolidation.propose(d, propose, known, [])
        self.log.append(facts, d.context.for_event(), d.now_us)
        proposal = facts[0].stream
        mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "p"}
        apply = ConsolidateInput(mode=mode, **said)
        made = None
        for event in self.log.stream("w", proposal):
            made = apply_proposal(made, event)
        d = self.decision(self.context())
        return self.record(
            d, "consolidate", consolidation.apply(d, apply, apply.mode, made, states)
        )

    def record(self, d: Decision, operation: str, facts: list[Fact]) -> str:
        """Append facts with their receipt, as the engine does; the id that the receipt names."""
        context = d.context
        changed = [fact for fact in facts if fact.stream.startswith((MEMORY, RELATIONSHIP))]
        named = next((f for f in facts if f.stream.startswith(PROPOSAL)), changed[0])
        targets = [
            (fact.stream, len(self.log.stream(context.workspace, fact.stream)) + 1)
            for fact in changed
        ]
        receipt = CommandRecorded(
            targets=targets,
            payload=Receipt(
                operation=operation,
                idempotency_key=f"key of {context.request_id}",
                fingerprint="",
                committed_id=named.stream,
                committed_version=max(version for _, version in targets),
            ),
        )
        stream = self.receipts(context, f"key of {context.request_id}")
        self.log.append([*facts, Fact(stream, receipt)], context.for_event(), d.now_us)
        return named.stream

    def receipts(self, context: Context, key: str) -> str:
        return receipt_stream(SECRET, context.workspace, context.actor, key)

    def _destroy(self, workspace: str) -> None:
        for event in self.log.after(0, 10**6, workspace=workspace, topics=(ErasureStep.TOPIC,)):
            for step in event.facts:
                for stream, version in step.targets:
                    first = version if step.scope == "event" else 1
                    for covered in range(first, version + 1):
                        self.log.destroy_key(workspace, stream, covered)

    # --- What there is ------------------------------------------------------------------------

    def memory(self, memory: str, workspace: str = "w") -> MemoryState | None:
        return fold_memory(self.log.stream(workspace, memory))

    def edge(self, edge: str, workspace: str = "w") -> RelationshipState | None:
        return fold_relationship(self.log.stream(workspace, edge))

    def versions(self, records: Iterable[str]) -> list[tuple[str, int]]:
        return [(record, len(self.log.stream("w", record))) for record in records]


class LogRecorder:
    """Records recalls into the log of a world, as the engine does."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.recorded: list[RecordedEvent] = []

    def record(self, context: Context, recall_id: str, event: RecallRecorded) -> int:
        now = self._world.clock.now
        done = self._world.log.append([Fact(recall_id, event)], context.for_event(), now)
        self.recorded.extend(done)
        return done[-1].position


def some_receipt(name: str) -> str:
    return encode_id(RECEIPT, derived_id(SECRET, name))
