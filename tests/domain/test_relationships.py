"""relate and its updates: ends that exist, endpoints that stay, a patch that keeps the rest."""

from __future__ import annotations

import pytest

from domain.canonical import Json
from domain.decisions import Fact
from domain.errors import Code
from domain.relationship import RelationshipState
from domain.relationship_decisions import relate
from tests.builders import (
    identity_claimed,
    link,
    memory_forgotten,
    memory_remembered,
    memory_updated,
    relationship_related,
    relationship_revised,
    source,
)
from tests.circumstances import EDGE, GUARD, MEMORY, OTHER, THIRD, an_id, decision, time_of
from tests.inputs import parsed
from tests.specification import Decide, History, given

NEW = an_id("rel_", 901)
FROM, UNTIL, EXPIRES = time_of(1000), time_of(2000), time_of(3000)
ONE, TWO = Fact(MEMORY, memory_remembered()), Fact(OTHER, memory_remembered())
PRIVATE = Fact(OTHER, memory_remembered(visibility="private", owner="ana"))


def relating(*, key: bool = False, actor: str = "ana", **changes: Json) -> Decide:
    said = parsed("relate", **changes)
    guard = GUARD if key else None

    def decide(history: History) -> list[Fact]:
        ends = (history.memory(said.source_id), history.memory(said.target_id))
        d = decision(actor=actor, session="s9")
        return relate(d, said, ends, guard, history.edge() if key else None)

    return decide


def edge(*facts: Fact) -> RelationshipState:
    state = given(*facts).edge()
    assert state is not None
    return state


def test_a_new_edge_holds_all_that_was_said() -> None:
    given(ONE, TWO).when(
        relating(
            kind="k",
            properties={"w": 1},
            provenance=[source()],
            confidence=0.7,
            valid_from=FROM,
            valid_until=UNTIL,
            expires_at=EXPIRES,
            lifecycle="superseded",
        )
    ).then(
        Fact(
            NEW,
            relationship_related(
                session="s9",
                valid_from=FROM,
                valid_until=UNTIL,
                expires_at=EXPIRES,
                lifecycle="superseded",
                payload=link(kind="k", properties={"w": 1}, provenance=[source()], confidence=0.7),
            ),
        )
    )


def test_a_keyed_edge_claims_its_key() -> None:
    given(ONE, TWO).when(relating(key=True, identity_key="R")).then(
        Fact(GUARD, identity_claimed(NEW)),
        Fact(NEW, relationship_related(session="s9", payload=link(identity_key="R"))),
    )


def test_a_loop_and_a_parallel_edge_are_edges() -> None:
    given(ONE).when(relating(target_id=MEMORY)).then(
        Fact(NEW, relationship_related(session="s9", target_id=MEMORY))
    )
    given(ONE, TWO, Fact(EDGE, relationship_related())).when(relating()).then(
        Fact(NEW, relationship_related(session="s9"))
    )


@pytest.mark.parametrize("forgotten", ["tombstone", "application_delete"])
@pytest.mark.parametrize("end", ["source_id", "target_id"])
def test_both_ends_must_be_addressable(end: str, forgotten: str) -> None:
    gone = Fact(OTHER, memory_forgotten(mode=forgotten))
    ends = {"source_id": MEMORY, "target_id": MEMORY, end: OTHER}
    given(ONE, TWO, gone).when(relating(**ends)).refused(Code.NOT_FOUND, field=end)
    given(ONE).when(relating(**ends)).refused(Code.NOT_FOUND, field=end)


def test_the_source_is_missed_first() -> None:
    given().when(relating()).refused(Code.NOT_FOUND, field="source_id")


@pytest.mark.parametrize("lifecycle", ["expired", "superseded", "tombstoned"])
def test_an_end_that_is_only_hidden_is_an_end(lifecycle: str) -> None:
    hidden = Fact(OTHER, memory_updated(lifecycle=lifecycle))
    assert given(ONE, TWO, hidden).when(relating()).facts


@pytest.mark.parametrize("ends", [(MEMORY, OTHER), (OTHER, MEMORY), (OTHER, OTHER)])
def test_an_edge_is_private_if_either_end_is(ends: tuple[str, str]) -> None:
    said = {"source_id": ends[0], "target_id": ends[1]}
    given(ONE, PRIVATE).when(relating(**said)).then(
        Fact(NEW, relationship_related(session="s9", visibility="private", **said))
    )
    absent = "source_id" if ends[0] == OTHER else "target_id"
    given(ONE, PRIVATE).when(relating(actor="bea", **said)).refused(Code.NOT_FOUND, field=absent)


FULL = Fact(
    EDGE,
    relationship_related(
        expires_at=EXPIRES,
        payload=link(identity_key="R", confidence=0.4, provenance=[source("s1")]),
    ),
)


def test_an_upsert_keeps_endpoints_home_and_confidence_and_replaces_the_rest() -> None:
    history = given(ONE, TWO, FULL)
    outcome = history.when(
        relating(
            key=True,
            actor="bea",
            identity_key="R",
            source_id=OTHER,
            target_id=MEMORY,
            kind="k2",
            properties=None,
            provenance=[source("s1"), source("s2")],
            lifecycle="superseded",
        )
    )
    outcome.then(
        Fact(
            EDGE,
            relationship_revised(
                lifecycle="superseded",
                payload=link(
                    identity_key="R",
                    kind="k2",
                    properties=None,
                    provenance=[source("s1"), source("s2")],
                ),
            ),
        )
    )
    state = edge(*history.facts, *outcome.facts)
    assert (state.source_id, state.target_id, state.home.owner) == (MEMORY, OTHER, "ana")
    assert (state.version, state.kind, state.properties, state.confidence) == (2, "k2", None, 0.4)
    assert state.provenance == (source("s1"), source("s2"))
    assert state.bounds.expires_at is None


def test_an_upsert_needs_the_ends_that_it_names() -> None:
    given(ONE, TWO, FULL).when(relating(key=True, identity_key="R", target_id=THIRD)).refused(
        Code.NOT_FOUND, field="target_id"
    )
