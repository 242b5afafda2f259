"""Answers of the mutations: a pure function of the receipt and the streams that it names.

So a replayed command says what it said, and an erasure reaches every stored answer for free
(design.md §3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from commands.jobs import Outcome
from domain.canonical import JsonObject
from domain.claims.decisions import DecisionState, apply_decision
from domain.errors import not_found
from domain.ids import MEMORY, RELATIONSHIP
from domain.memory import MemoryState
from domain.memory_streams import memory_versions
from domain.ports import LogReader
from domain.proposals import ProposalState, apply_proposal, proposal_answer
from domain.receipts import receipt_answer
from domain.relationship import RelationshipState, relationship_versions

DECIDING: Final = {"assess": "assessment", "review": "review"}
"""Operations that decide about claims, and what their answers call the decision."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Builds results for one workspace."""

    log: LogReader
    workspace: str

    def of(self, operation: str, outcome: Outcome) -> tuple[str, JsonObject]:
        """The operation's tag and its result (spec/operations.md §4)."""
        if outcome.receipt is None:
            proposal = next(
                state for state in outcome.states.values() if isinstance(state, ProposalState)
            )
            return operation, {**self._proposal(proposal), "receipt": None}
        said = outcome.receipt.said
        receipt = receipt_answer(outcome.receipt, replayed=outcome.replayed)
        if said.operation == "forget":
            return "forget", {"receipt": receipt, "mode": said.mode}
        if said.operation == "consolidate":
            proposal = self._whole_proposal(said.committed_id)
            return "consolidate", {**self._proposal(proposal), "receipt": receipt}
        if said.operation in DECIDING:
            decided = self._decision(said.committed_id).as_json()
            answer = {DECIDING[said.operation]: decided, "receipt": receipt}
            written = [list(one) for one in outcome.receipt.targets if one[0].startswith(MEMORY)]
            return said.operation, answer | ({"applied": written[0]} if written else {})
        state = outcome.states.get(said.committed_id) or self.state_at(
            said.committed_id, said.committed_version
        )
        if isinstance(state, MemoryState):
            return said.operation, {"record": state.as_record(), "receipt": receipt}
        tag = "update_relationship" if said.operation == "update" else said.operation
        return tag, {"relationship": state.as_record(), "receipt": receipt}

    def state_at(self, stream: str, version: int) -> MemoryState | RelationshipState:
        """A record at a version, as it may be shown today."""
        events = self.log.stream(self.workspace, stream)
        if stream.startswith(MEMORY):
            states = memory_versions(events)
            state = states[version - 1]
            return state if states[-1].forgotten is None else state.without_text()
        if stream.startswith(RELATIONSHIP):
            return relationship_versions(events)[version - 1]
        raise not_found("the record")

    def _decision(self, stream: str) -> DecisionState:
        state: DecisionState | None = None
        for event in self.log.stream(self.workspace, stream):
            state = apply_decision(state, event)
        if state is None:
            raise not_found("the decision")
        return state

    def _whole_proposal(self, stream: str) -> ProposalState:
        state: ProposalState | None = None
        for event in self.log.stream(self.workspace, stream):
            state = apply_proposal(state, event)
        if state is None:
            raise not_found("the proposal")
        return state

    def _proposal(self, proposal: ProposalState) -> JsonObject:
        members = [member for member, _ in proposal.members]
        found = self.log.streams(self.workspace, members)
        states = [memory_versions(events)[-1] for events in found.values()]
        standing = [state for state in states if state.forgotten is None]
        slots = {state.slot_ref: state.slot for state in standing if state.slot_ref is not None}
        whole = len(standing) == len(states) and not any(state.dead_versions for state in states)
        return proposal_answer(proposal, slots, rationale=whole)
