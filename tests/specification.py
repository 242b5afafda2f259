"""Given this history, when a decision is made, then these facts follow, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pytest

from domain.decisions import Fact
from domain.errors import Code, MemorandaError
from domain.guards import GuardState, apply_guard
from domain.memory import MemoryState
from domain.memory_streams import fold_memory
from domain.proposals import ProposalState, apply_proposal
from domain.recorded import RecordedEvent
from domain.relationship import RelationshipState, fold_relationship
from tests import circumstances

POLICY_WORDS: Final = {
    Code.NOT_FOUND: ("TARGET_NOT_FOUND", "TARGET_DELETED"),
    Code.VERSION_CONFLICT: ("STALE_TARGET",),
}
"""Reasons that refusals of commands on a target may carry (spec/policy.md §2.2)."""


@dataclass(frozen=True)
class History:
    """What has happened, one event a minute, folded on demand."""

    facts: tuple[Fact, ...]

    def events(self, stream: str) -> list[RecordedEvent]:
        own = [(at, fact.event) for at, fact in enumerate(self.facts, 1) if fact.stream == stream]
        return [
            circumstances.recorded(event, stream=stream, version=version, position=at)
            for version, (at, event) in enumerate(own, 1)
        ]

    def memory(self, stream: str = circumstances.MEMORY) -> MemoryState | None:
        return fold_memory(self.events(stream))

    def edge(self, stream: str = circumstances.EDGE) -> RelationshipState | None:
        return fold_relationship(self.events(stream))

    def proposal(self, stream: str = circumstances.PROPOSAL) -> ProposalState | None:
        state = None
        for event in self.events(stream):
            state = apply_proposal(state, event)
        return state

    def guard(self, stream: str = circumstances.GUARD) -> GuardState | None:
        state = None
        for event in self.events(stream):
            state = apply_guard(state, event)
        return state

    def when(self, decide: Decide) -> Outcome:
        try:
            return Outcome(decide(self), None)
        except MemorandaError as refusal:
            return Outcome([], refusal)


Decide: TypeAlias = Callable[[History], Sequence[Fact]]


@dataclass(frozen=True)
class Outcome:
    """What a decision said."""

    facts: Sequence[Fact]
    refusal: MemorandaError | None

    def then(self, *expected: Fact) -> None:
        assert self.refusal is None, self.refusal
        assert [stored(fact) for fact in self.facts] == [stored(fact) for fact in expected]

    def then_nothing(self) -> None:
        self.then()

    def refused(
        self, code: Code, field: str | None = None, reason: str | None = None
    ) -> MemorandaError:
        if self.refusal is None:
            pytest.fail(f"not refused, but decided: {self.facts}")
        said = self.refusal
        assert (said.code, said.field) == (code, field)
        if reason is None:
            # What the policy calls it has tests of its own (tests/policy/test_over_http.py).
            assert said.reason in {None, *POLICY_WORDS.get(code, ())}
        else:
            assert said.reason == reason
        return said


def given(*facts: Fact) -> History:
    """Everything that happened so far, over all streams, in order."""
    return History(facts)


def stored(fact: Fact) -> tuple[str, str, Any, Any]:
    """What the log would hold of a fact: a field that was not set is not there."""
    return fact.stream, fact.event.TOPIC, fact.event.structure(), fact.event.sealed()
