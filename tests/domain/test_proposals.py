"""Deciding against a proposal to consolidate."""

from __future__ import annotations

from domain.decisions import Fact
from domain.errors import Code
from domain.event_bases import Reason
from domain.proposals import PROPOSAL_APPLIED, reject
from tests.builders import (
    consolidation_applied,
    consolidation_proposed,
    consolidation_rejected,
    memory_forgotten,
    memory_remembered,
    memory_updated,
)
from tests.circumstances import MEMORY, OTHER, PROPOSAL, decision
from tests.specification import Decide, History, given

ONE, TWO = (Fact(stream, memory_remembered()) for stream in (MEMORY, OTHER))
PROPOSED = Fact(PROPOSAL, consolidation_proposed())
APPLIED = Fact(PROPOSAL, consolidation_applied())
REJECTED = Fact(PROPOSAL, consolidation_rejected())


def rejecting(actor: str = "ana", reason: str = "not the same") -> Decide:
    def decide(history: History) -> list[Fact]:
        states = [history.memory(member) for member in (MEMORY, OTHER)]
        return reject(decision(actor=actor), reason, history.proposal(), states)

    return decide


def test_a_rejection_says_why_and_changes_no_memory() -> None:
    given(ONE, TWO, PROPOSED).when(rejecting()).then(REJECTED)


def test_a_rejection_names_its_members_as_they_are_when_it_is_made() -> None:
    later = Fact(OTHER, memory_updated())
    forgotten = Fact(MEMORY, memory_forgotten())
    given(ONE, TWO, PROPOSED, later, forgotten).when(rejecting()).then(
        Fact(PROPOSAL, consolidation_rejected(targets=[(MEMORY, 2), (OTHER, 2)]))
    )


def test_rejecting_again_changes_nothing_whatever_the_reason() -> None:
    given(ONE, TWO, PROPOSED, REJECTED).when(rejecting(reason="another")).then_nothing()


def test_what_was_applied_cannot_be_rejected() -> None:
    given(ONE, TWO, PROPOSED, APPLIED).when(rejecting()).refused(
        Code.VERSION_CONFLICT, field="proposal_id", reason=PROPOSAL_APPLIED
    )


def test_a_proposal_that_is_not_there_or_private_to_somebody_else_is_not_found() -> None:
    private = Fact(PROPOSAL, consolidation_proposed(visibility="private"))
    given(ONE, TWO).when(rejecting()).refused(Code.NOT_FOUND)
    given(ONE, TWO, private).when(rejecting(actor="bea")).refused(Code.NOT_FOUND)


def test_a_rejection_belongs_to_whom_the_proposal_belongs() -> None:
    private = Fact(PROPOSAL, consolidation_proposed(visibility="private"))
    given(ONE, TWO, private).when(rejecting()).then(
        Fact(PROPOSAL, consolidation_rejected(visibility="private"))
    )


def test_a_rejected_proposal_says_why_as_long_as_that_can_be_read() -> None:
    state = given(PROPOSED, REJECTED).proposal()
    erased = given(PROPOSED, Fact(PROPOSAL, consolidation_rejected(payload=None))).proposal()

    assert state is not None
    assert erased is not None
    assert (state.rejected, state.objection) == (True, "not the same")
    assert (erased.rejected, erased.objection) == (True, None)
    assert given(PROPOSED).proposal() != state
    assert Reason(reason="not the same") == consolidation_rejected().payload
