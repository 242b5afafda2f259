"""For each mutation: which streams it must see, what it decides, and what its receipt names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from commands.secrets import WorkspaceSecrets
from commands.working import View
from domain import consolidation, memory_decisions, relationship_decisions
from domain.context import Context
from domain.contract import (
    ApplyApproved,
    ConsolidateInput,
    ForgetInput,
    RelateInput,
    RememberInput,
    UpdateInput,
)
from domain.decisions import Decision, Fact
from domain.guards import guard_stream
from domain.ids import MEMORY, PROPOSAL, RELATIONSHIP, decode_id
from domain.memory import MemoryState
from domain.slots import slot_of, slot_ref
from domain.visibility import Viewer


class Plan(Protocol):
    """One mutation, ready for the engine."""

    def needs(self, view: View) -> set[str]:
        """Streams that must be loaded before the next step; empty when it can decide."""
        ...

    def decide(self, view: View, d: Decision) -> list[Fact]:
        """The facts, or a refusal."""
        ...

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        """Id and version that the receipt names, once the facts are applied."""
        ...


def _ids(prefix: str, *candidates: str) -> list[str]:
    """Those that can name a stream at all; a near miss is a miss."""
    return [text for text in candidates if decode_id(text, prefix) is not None]


def _version(view: View, stream: str) -> int:
    aggregate = view.working.get(stream)
    return 0 if aggregate is None else aggregate.version


@dataclass(frozen=True, slots=True)
class RememberPlan:
    """remember: an identity key leads to the memory that holds it."""

    said: RememberInput
    viewer: Viewer
    recorded_us: int | None
    secrets: WorkspaceSecrets
    guard: str | None
    """The stream of the identity key, made once: an HMAC, and asked for at every step."""

    def _slot_ref(self) -> str | None:
        slot = slot_of(self.said.content.as_json(), self.said.identity_key)
        return None if slot is None else slot_ref(self.secrets.slots, slot)

    def _slot_streams(self, view: View) -> list[str]:
        """Memories that forgot their whole slot: each has two references to it.

        Only a host's own recording time can lie before such a tombstone.
        """
        ref = None if self.recorded_us is None else self._slot_ref()
        if ref is None:
            return []
        counted = Counter(stream for stream, _ in view.references("slot", ref))
        return [stream for stream, count in counted.items() if count > 1]

    def needs(self, view: View) -> set[str]:
        guard = self.guard
        first = view.missing(([guard] if guard else []) + self._slot_streams(view))
        if first or guard is None:
            return first
        holder = view.holder(guard)
        return view.missing([holder] if holder else [])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        guard = self.guard
        holder = view.holder(guard) if guard else None
        states = [view.memory(stream) for stream in self._slot_streams(view)]
        forgotten = [
            state.slot_forgotten_us
            for state in states
            if state is not None
            and state.home.visible_to(self.viewer)
            and state.slot_forgotten_us is not None
        ]
        memory_decisions.refuse_forgotten_slot(d.now_us, max(forgotten, default=None))
        return memory_decisions.remember(
            d, self.said, guard, view.memory(holder) if holder else None
        )

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        stream = facts[-1].stream
        return stream, _version(view, stream)


@dataclass(frozen=True, slots=True)
class RelatePlan:
    """relate: both ends, and the edge that holds the identity key."""

    said: RelateInput
    viewer: Viewer
    secrets: WorkspaceSecrets

    def _guard(self, view: View, *, private: bool) -> str | None:
        if self.said.identity_key is None:
            return None
        key, owner = self.said.identity_key, self.viewer.actor if private else None
        return guard_stream(
            self.secrets.ids, view.workspace, "relationship", key, owner, self.viewer.session
        )

    def _ends(self, view: View) -> tuple[MemoryState | None, MemoryState | None]:
        return view.memory(self.said.source_id), view.memory(self.said.target_id)

    def _own_guard(self, view: View) -> str | None:
        """An edge with a private end is private, and so is its key."""
        private = any(end and end.home.visibility == "private" for end in self._ends(view))
        return self._guard(view, private=private)

    def needs(self, view: View) -> set[str]:
        ends = view.missing(_ids(MEMORY, self.said.source_id, self.said.target_id))
        if ends:
            return ends
        guard = self._own_guard(view)
        first = view.missing([guard] if guard else [])
        if first or guard is None:
            return first
        holder = view.holder(guard)
        return view.missing([holder] if holder else [])

    def decide(self, view: View, d: Decision) -> list[Fact]:
        guard = self._own_guard(view)
        holder = view.holder(guard) if guard else None
        existing = view.relationship(holder) if holder else None
        return relationship_decisions.relate(d, self.said, self._ends(view), guard, existing)

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        stream = facts[-1].stream
        return stream, _version(view, stream)


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """update: the target alone."""

    said: UpdateInput

    def needs(self, view: View) -> set[str]:
        prefix = MEMORY if self.said.target.kind == "memory" else RELATIONSHIP
        return view.missing(_ids(prefix, self.said.target.id))

    def decide(self, view: View, d: Decision) -> list[Fact]:
        target, patch, expected = self.said.target, self.said.patch, self.said.expected_version
        if target.kind == "memory":
            return memory_decisions.update(d, view.memory(target.id), patch, expected)
        return relationship_decisions.update(d, view.relationship(target.id), patch, expected)

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        return facts[0].stream, _version(view, facts[0].stream)


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """forget: the memory, the guard of its key, and for scope `key` all of its slot."""

    said: ForgetInput
    viewer: Viewer
    secrets: WorkspaceSecrets

    def _guard(self, view: View, state: MemoryState | None) -> str | None:
        if state is None or state.identity_key is None:
            return None
        key, home = state.identity_key, state.home
        owner = home.owner if home.visibility == "private" else None
        return guard_stream(
            self.secrets.ids, view.workspace, "memory", key, owner, self.viewer.session
        )

    def _slot_streams(self, view: View) -> list[str]:
        state = view.memory(self.said.memory_id)
        if self.said.scope != "key" or state is None or state.slot_ref is None:
            return []
        return [stream for stream, _ in view.references("slot", state.slot_ref)]

    def _covered(self, view: View) -> list[MemoryState]:
        streams = dict.fromkeys([*_ids(MEMORY, self.said.memory_id), *self._slot_streams(view)])
        states = [view.memory(stream) for stream in streams]
        return [state for state in states if state is not None]

    def needs(self, view: View) -> set[str]:
        missing = view.missing(_ids(MEMORY, self.said.memory_id))
        missing = missing or view.missing(self._slot_streams(view))
        if missing:
            return missing
        guards = (self._guard(view, state) for state in self._covered(view))
        return view.missing(guard for guard in guards if guard is not None)

    def _held_guard(self, view: View, state: MemoryState | None) -> str | None:
        """The guard, if the memory still holds it."""
        guard = self._guard(view, state)
        held = guard is not None and state is not None and view.holder(guard) == state.id
        return guard if held else None

    def decide(self, view: View, d: Decision) -> list[Fact]:
        state = view.memory(self.said.memory_id)
        if self.said.scope != "key":
            return memory_decisions.forget(d, self.said, state, self._held_guard(view, state))
        slot = [(other, self._held_guard(view, other)) for other in self._covered(view)]
        return memory_decisions.forget_slot(d, self.said, slot)

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        return self.said.memory_id, _version(view, self.said.memory_id)


@dataclass(frozen=True, slots=True)
class ConsolidatePlan:
    """consolidate: the members, the proposal, and for a new proposal the edges among them."""

    said: ConsolidateInput

    def _proposal(self) -> list[str]:
        mode = self.said.mode
        return _ids(PROPOSAL, mode.proposal_id) if isinstance(mode, ApplyApproved) else []

    def _edges(self, view: View) -> list[str]:
        """Streams that touch two members: the edges among them (and repeats of self-loops)."""
        if isinstance(self.said.mode, ApplyApproved):
            return []
        members = set(_ids(MEMORY, *self.said.memory_ids))
        touched = Counter(
            stream for member in members for stream, _ in view.references("endpoint", member)
        )
        return [stream for stream, ends in touched.items() if ends > 1]

    def needs(self, view: View) -> set[str]:
        members = _ids(MEMORY, *self.said.memory_ids)
        return view.missing([*members, *self._proposal()]) or view.missing(self._edges(view))

    def decide(self, view: View, d: Decision) -> list[Fact]:
        states = [view.memory(member) for member in self.said.memory_ids]
        mode = self.said.mode
        if isinstance(mode, ApplyApproved):
            proposal = view.proposal(mode.proposal_id)
            return consolidation.apply(d, self.said, mode, proposal, states)
        found = (view.relationship(stream) for stream in self._edges(view))
        edges = [edge for edge in found if edge and edge.home.visible_to(d.context.viewer)]
        return consolidation.propose(d, self.said, consolidation.members_of(d, states), edges)

    def committed(self, facts: list[Fact], view: View) -> tuple[str, int]:
        if not isinstance(self.said.mode, ApplyApproved):
            return facts[0].stream, 1
        proposal = view.proposal(self.said.mode.proposal_id)
        applied: Iterable[tuple[str, int]] = (proposal and proposal.applied) or ()
        return self.said.mode.proposal_id, max(version for _, version in applied)


def _memory_guard(
    said: RememberInput, workspace: str, viewer: Viewer, secrets: WorkspaceSecrets
) -> str | None:
    if said.identity_key is None:
        return None
    owner = viewer.actor if said.visibility == "private" else None
    return guard_stream(secrets.ids, workspace, "memory", said.identity_key, owner, viewer.session)


def plan_for(said: object, context: Context, secrets: WorkspaceSecrets) -> Plan:
    """The plan of a mutation's input."""
    viewer, workspace = context.viewer, context.workspace
    match said:
        case RememberInput():
            late = None if context.recorded_at is None else context.recorded_at[1]
            guard = _memory_guard(said, workspace, viewer, secrets)
            return RememberPlan(said, viewer, late, secrets, guard)
        case RelateInput():
            return RelatePlan(said, viewer, secrets)
        case UpdateInput():
            return UpdatePlan(said)
        case ForgetInput():
            return ForgetPlan(said, viewer, secrets)
        case ConsolidateInput():
            return ConsolidatePlan(said)
        case _:
            raise TypeError(f"{type(said).__name__} is no mutation")
