"""consolidate apply: carried out exactly as it was proposed."""

from __future__ import annotations

import pytest

from domain.canonical import Json, JsonObject
from domain.consolidation import apply
from domain.decisions import Fact
from domain.errors import Code
from domain.proposals import PROPOSAL_REJECTED, proposal_answer
from tests.builders import (
    consolidation_applied,
    consolidation_proposed,
    consolidation_rejected,
    link,
    memory_forgotten,
    memory_remembered,
    memory_superseded,
    memory_updated,
    proposal,
    relationship_related,
    text,
)
from tests.circumstances import EDGE, MEMORY, OTHER, PROPOSAL, THIRD, an_id, decision, ref_of
from tests.inputs import parsed
from tests.specification import Decide, History, given

NEW = an_id("prop_", 901)
LINK = an_id("rel_", 901)
ONE, TWO, THREE = (Fact(stream, memory_remembered()) for stream in (MEMORY, OTHER, THIRD))
PRIVATE = Fact(OTHER, memory_remembered(visibility="private"))
PROPOSED = Fact(PROPOSAL, consolidation_proposed())
APPLIED = Fact(PROPOSAL, consolidation_applied())
SUPERSEDED_BY = link(kind="superseded_by")


def applying(actor: str = "ana", **changes: Json) -> Decide:
    mode = {"mode": "apply_approved", "proposal_id": PROPOSAL, "approval_policy": "p"}
    said_input = parsed("consolidate", mode=mode, **changes)

    def decide(history: History) -> list[Fact]:
        states = [history.memory(member) for member in said_input.memory_ids]
        d = decision(actor=actor)
        return apply(d, said_input, said_input.mode, history.proposal(), states)

    return decide


def test_an_apply_supersedes_all_but_the_canonical_and_links_them_to_it() -> None:
    given(ONE, TWO, PROPOSED).when(applying()).then(
        Fact(OTHER, memory_superseded(target_id=MEMORY)),
        Fact(
            LINK,
            relationship_related(source_id=OTHER, target_id=MEMORY, payload=SUPERSEDED_BY),
        ),
        Fact(PROPOSAL, consolidation_applied()),
    )


def test_an_applied_member_keeps_its_text_and_its_home() -> None:
    history = given(ONE, TWO, PROPOSED)
    after = given(*history.facts, *history.when(applying(actor="bea")).facts)
    state = after.memory(OTHER)
    assert state is not None
    assert (state.lifecycle, state.version, state.content) == ("superseded", 2, text())
    assert state.home.owner == "ana"
    canonical = after.memory(MEMORY)
    assert canonical is not None
    assert canonical.version == 1


def test_applying_again_does_nothing_whatever_happened_since() -> None:
    forgotten = Fact(OTHER, memory_forgotten())
    given(ONE, TWO, PROPOSED, APPLIED).when(applying()).then_nothing()
    given(ONE, TWO, PROPOSED, APPLIED, forgotten).when(applying()).then_nothing()


CHANGED: list[tuple[JsonObject, str]] = [
    ({"preserve_disagreements": False}, "preserve_disagreements"),
    ({"canonical_id": OTHER}, "canonical_id"),
    ({"memory_ids": [MEMORY, THIRD]}, "memory_ids"),
    ({"memory_ids": [MEMORY, OTHER, THIRD]}, "memory_ids"),
    ({"reason": "another"}, "reason"),
]


@pytest.mark.parametrize("applied", [(), (APPLIED,)])
@pytest.mark.parametrize(("changes", "field"), CHANGED)
def test_only_what_was_proposed_is_applied(
    changes: JsonObject, field: str, applied: tuple[Fact, ...]
) -> None:
    given(ONE, TWO, THREE, PROPOSED, *applied).when(applying(**changes)).refused(
        Code.POLICY_APPROVAL_REQUIRED, field=field
    )


def test_repeating_with_the_members_in_another_order_is_the_same() -> None:
    assert given(ONE, TWO, PROPOSED).when(applying(memory_ids=[OTHER, MEMORY, OTHER])).facts
    assert given(ONE, TWO, PROPOSED).when(applying(canonical_id=MEMORY)).facts


def test_what_was_never_proposed_cannot_be_applied() -> None:
    given(ONE, TWO).when(applying()).refused(
        Code.POLICY_APPROVAL_REQUIRED, field="mode.proposal_id"
    )


def test_a_private_proposal_was_never_made_for_others() -> None:
    private = Fact(PROPOSAL, consolidation_proposed(visibility="private"))
    for history in (given(ONE, TWO, private), given(ONE, TWO, private, APPLIED)):
        history.when(applying(actor="bea")).refused(
            Code.POLICY_APPROVAL_REQUIRED, field="mode.proposal_id"
        )


def test_a_proposal_that_hides_disagreements_is_never_applied() -> None:
    hiding = consolidation_proposed(payload=proposal(preserve_disagreements=False))
    given(ONE, TWO, Fact(PROPOSAL, hiding)).when(applying()).refused(
        Code.POLICY_APPROVAL_REQUIRED, field="preserve_disagreements"
    )


def test_an_absent_member_is_told_before_the_approval() -> None:
    given(ONE, TWO, Fact(OTHER, memory_forgotten()), PROPOSED).when(
        applying(reason="another")
    ).refused(Code.NOT_FOUND, field="memory_ids")


@pytest.mark.parametrize("changed", [MEMORY, OTHER])
def test_a_member_that_changed_since_makes_the_proposal_stale(changed: str) -> None:
    later = Fact(changed, memory_updated())
    error = (
        given(ONE, TWO, PROPOSED, later)
        .when(applying())
        .refused(Code.VERSION_CONFLICT, field="mode.proposal_id")
    )
    assert error.current_version == 2


def test_the_link_of_two_visible_members_is_visible_though_a_third_is_private() -> None:
    """spec §5: an edge is private if either end is."""
    private_third = Fact(THIRD, memory_remembered(visibility="private"))
    proposed = consolidation_proposed(
        visibility="private", targets=[(MEMORY, 1), (OTHER, 1), (THIRD, 1)]
    )
    facts = (
        given(ONE, TWO, private_third, Fact(PROPOSAL, proposed))
        .when(applying(memory_ids=[MEMORY, OTHER, THIRD]))
        .facts
    )
    links = {
        fact.event.source_id: fact.event.visibility  # type: ignore[attr-defined]
        for fact in facts
        if fact.stream.startswith("rel_")
    }
    assert links == {OTHER: "workspace", THIRD: "private"}


def test_an_answer_names_disagreements_by_the_slot_where_it_may_be_shown() -> None:
    pairs = [
        {"memory_ids": [MEMORY, OTHER], "slot_ref": ref_of("a")},
        {"memory_ids": [MEMORY, OTHER], "relationship_id": EDGE},
    ]
    event = consolidation_proposed(payload=proposal(disagreements=pairs))
    state = given(Fact(PROPOSAL, event)).proposal()
    assert state is not None
    answer = proposal_answer(state, {ref_of("a"): "a"})
    assert answer["disagreements"] == [{"memory_ids": [MEMORY, OTHER], "slot": "a"}, pairs[1]]
    assert proposal_answer(state, {})["disagreements"][0]["slot"] is None
    assert answer["applied"] is False
    assert answer["originals_retained"] == [MEMORY, OTHER]
    assert answer["rationale"] == "dup"


def test_an_erased_proposal_still_says_what_it_was_about() -> None:
    state = given(Fact(PROPOSAL, consolidation_proposed(payload=None)), APPLIED).proposal()
    assert state is not None
    answer = proposal_answer(state, {})
    assert (answer["applied"], answer["rationale"], answer["disagreements"]) == (True, None, [])
    assert answer["canonical_id"] == MEMORY


def test_what_was_rejected_is_not_applied() -> None:
    rejected = Fact(PROPOSAL, consolidation_rejected())
    given(ONE, TWO, PROPOSED, rejected).when(applying()).refused(
        Code.POLICY_APPROVAL_REQUIRED, field="mode.proposal_id", reason=PROPOSAL_REJECTED
    )
