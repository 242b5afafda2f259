"""Several memories become one: proposed first, applied only as proposed."""

from __future__ import annotations

import pytest

from domain.canonical import Json, JsonObject
from domain.consolidation import (
    COMPARED_AT_FIRST,
    apply,
    disagreements,
    members_of,
    propose,
)
from domain.decisions import Fact
from domain.errors import Code
from domain.relationship import RelationshipState
from tests.builders import (
    consolidation_applied,
    consolidation_proposed,
    link,
    memory_forgotten,
    memory_remembered,
    memory_updated,
    properties,
    proposal,
    relationship_related,
    said,
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


def proposing(*edges: RelationshipState, actor: str = "ana", **changes: Json) -> Decide:
    said_input = parsed("consolidate", **changes)

    def decide(history: History) -> list[Fact]:
        d = decision(actor=actor)
        members = members_of(d, [history.memory(m) for m in said_input.memory_ids])
        return propose(d, said_input, members, edges)

    return decide


def applying(actor: str = "ana", **changes: Json) -> Decide:
    mode = {"mode": "apply_approved", "proposal_id": PROPOSAL, "approval_policy": "p"}
    said_input = parsed("consolidate", mode=mode, **changes)

    def decide(history: History) -> list[Fact]:
        states = [history.memory(member) for member in said_input.memory_ids]
        d = decision(actor=actor)
        return apply(d, said_input, said_input.mode, history.proposal(), states)

    return decide


def test_a_proposal_records_members_with_their_versions_and_changes_none() -> None:
    given(ONE, TWO, Fact(OTHER, memory_updated())).when(
        proposing(memory_ids=[OTHER, MEMORY, MEMORY])
    ).then(Fact(NEW, consolidation_proposed(targets=[(MEMORY, 1), (OTHER, 2)])))


def test_the_canonical_is_the_smallest_id_unless_it_is_named() -> None:
    given(ONE, TWO).when(proposing(canonical_id=OTHER)).then(
        Fact(NEW, consolidation_proposed(target_id=OTHER))
    )
    given(ONE, TWO).when(proposing(memory_ids=[OTHER, MEMORY])).then(
        Fact(NEW, consolidation_proposed(target_id=MEMORY))
    )


def test_a_proposal_with_a_private_member_is_private() -> None:
    given(ONE, PRIVATE).when(proposing()).then(
        Fact(NEW, consolidation_proposed(visibility="private"))
    )


@pytest.mark.parametrize(
    "history",
    [
        given(ONE),
        given(ONE, TWO, Fact(OTHER, memory_forgotten())),
        given(ONE, Fact(OTHER, memory_remembered(visibility="private", owner="bea"))),
    ],
)
def test_every_member_must_be_addressable(history: History) -> None:
    history.when(proposing()).refused(Code.NOT_FOUND, field="memory_ids")


def contradiction(**changes: object) -> RelationshipState:
    event = relationship_related(payload=link(kind="contradicts"), **changes)
    state = given(Fact(EDGE, event)).edge()
    assert state is not None
    return state


def test_edges_that_contradict_are_told_as_disagreements() -> None:
    pair: JsonObject = {"memory_ids": [MEMORY, OTHER], "relationship_id": EDGE}
    backwards = contradiction(source_id=OTHER, target_id=MEMORY)
    for edge in (contradiction(), backwards):
        given(ONE, TWO).when(proposing(edge)).then(
            Fact(NEW, consolidation_proposed(payload=proposal(disagreements=[pair])))
        )


def test_edges_that_do_not_count_are_no_disagreements() -> None:
    for edge in (
        contradiction(lifecycle="superseded"),
        contradiction(target_id=THIRD),
        contradiction()._replace(kind="supports"),
    ):
        given(ONE, TWO).when(proposing(edge)).then(Fact(NEW, consolidation_proposed()))


def in_slot(stream: str, value: Json, slot: str = "a") -> Fact:
    content = properties(slot=slot, object=value)
    return Fact(stream, memory_remembered(slot_ref=ref_of(slot), payload=said(content=content)))


@pytest.mark.parametrize(
    ("other", "pairs"),
    [
        (in_slot(OTHER, 2), [{"memory_ids": [MEMORY, OTHER], "slot_ref": ref_of("a")}]),
        (in_slot(OTHER, 1), []),
        (in_slot(OTHER, 2, slot="b"), []),
        (TWO, []),
    ],
)
def test_other_values_of_one_slot_are_disagreements(other: Fact, pairs: list[Json]) -> None:
    history = given(in_slot(MEMORY, 1), other)
    members = [history.memory(MEMORY), history.memory(OTHER)]
    assert disagreements([m for m in members if m], []) == pairs


def bounded(stream: str, valid_from: str | None, valid_until: str | None) -> Fact:
    return Fact(stream, memory_remembered(valid_from=valid_from, valid_until=valid_until))


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ((None, None), (None, None), False),
        (("2031-01-01T00:00:00Z", None), (None, None), True),
        ((None, "2031-01-01T00:00:00Z"), (None, None), True),
        (("2031-01-01T00:00:00Z", None), ("2031-01-01T01:00:00+01:00", None), False),
        ((None, "2031-01-01T00:00:00Z"), (None, "2031-01-01T00:00:00.000000Z"), False),
        (("2031-01-01T00:00:00Z", None), ("2031-01-01T00:00:00.000001Z", None), True),
    ],
)
def test_other_bounds_of_validity_are_disagreements_as_instants(
    one: tuple[str | None, str | None], other: tuple[str | None, str | None], differ: bool
) -> None:
    history = given(bounded(MEMORY, *one), bounded(OTHER, *other))
    members = [m for m in (history.memory(MEMORY), history.memory(OTHER)) if m]
    said = [{"valid_from": start, "valid_until": end} for start, end in (one, other)]
    pair: JsonObject = {"memory_ids": [MEMORY, OTHER], "validity": said}
    assert disagreements(members, []) == ([pair] if differ else [])
    assert disagreements(members, [], COMPARED_AT_FIRST) == []


def test_when_members_were_recorded_is_no_disagreement() -> None:
    later = Fact(OTHER, memory_remembered())
    history = given(ONE, later, Fact(OTHER, memory_updated()))
    members = [m for m in (history.memory(MEMORY), history.memory(OTHER)) if m]
    assert members[0].bounds.from_us != members[1].bounds.from_us
    assert disagreements(members, []) == []


def test_a_member_whose_text_is_gone_disagrees_with_nobody() -> None:
    gone = Fact(OTHER, memory_forgotten(scope="event", lifecycle=None, targets=[(OTHER, 1)]))
    history = given(in_slot(MEMORY, 1), in_slot(OTHER, 2), gone)
    members = [history.memory(MEMORY), history.memory(OTHER)]
    assert disagreements([m for m in members if m], []) == []
