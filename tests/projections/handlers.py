"""Each command of a test: given to the domain to decide, then appended with a receipt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain import consolidation, memory_decisions, relationship_decisions
from domain.contract import ConsolidateInput, ForgetInput, Patch, RelateInput, RememberInput
from domain.decisions import Fact
from domain.events import (
    Recalled,
    RecallRecorded,
)
from domain.guards import guard_stream
from domain.ids import RECALL
from domain.memory import MemoryState
from domain.proposals import apply_proposal
from domain.recorded import RecordedEvent

SECRET = b"a secret of tests"


def _guard(said: dict[str, Any], kind: Any, private: bool, key: str | None) -> str | None:
    owner = said.get("actor", "ann") if private else None
    return None if key is None else guard_stream(SECRET, said["workspace"], kind, key, owner)


def _remember(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    given = RememberInput(**said["input"])
    given.check()
    private = given.visibility == "private"
    guard = _guard(said, "memory", private, given.identity_key)
    held = world.holder(said["workspace"], guard)
    existing = None if held is None else world.memory(said["workspace"], held)
    d = world.decision(said)
    return world.record(said, memory_decisions.remember(d, given, guard, existing))


def _update(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    patch = Patch(**said["patch"])
    patch.check()
    state = world.memory(said["workspace"], world.pick(world.memories, said, "memory"))
    return world.record(said, memory_decisions.update(world.decision(said), state, patch, None))


def _forget(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
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
        if state is None or not state.addressable_by(d.context.viewer):
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


def _relate(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    ends = [world.pick(world.memories, said, name) for name in ("source", "target")]
    given = RelateInput(source_id=ends[0], target_id=ends[1], **said["input"])
    given.check()
    states = tuple(world.memory(said["workspace"], end) for end in ends)
    guard = _guard(said, "relationship", False, given.identity_key)
    held = world.holder(said["workspace"], guard)
    existing = None if held is None else world.edge(said["workspace"], held)
    d = world.decision(said)
    return world.record(said, relationship_decisions.relate(d, given, states, guard, existing))


def _update_edge(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    patch = Patch(**said["patch"])
    patch.check()
    state = world.edge(said["workspace"], world.pick(world.edges, said, "edge"))
    d = world.decision(said)
    return world.record(said, relationship_decisions.update(d, state, patch, None))


def _consolidate(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
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
    proposal = apply_proposal(None, proposed)
    facts = consolidation.apply(world.decision(said), given, given.mode, proposal, states)
    return world.record(said, facts)


def _recall(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
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


def _burn(world: Any, said: dict[str, Any]) -> list[RecordedEvent]:
    world.log.burn(said["count"])
    return []


HANDLERS: dict[str, Callable[[Any, dict[str, Any]], list[RecordedEvent]]] = {
    "remember": _remember,
    "update": _update,
    "forget": _forget,
    "relate": _relate,
    "update_edge": _update_edge,
    "consolidate": _consolidate,
    "recall": _recall,
    "burn": _burn,
}
