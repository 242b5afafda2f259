"""update of a relationship: what is set changes, and nothing else."""

from __future__ import annotations

import pytest

from domain import limits
from domain.canonical import Json, JsonObject
from domain.decisions import Fact
from domain.errors import Code
from domain.relationship import RelationshipState
from domain.relationship_decisions import relate, update
from tests.builders import (
    link,
    memory_remembered,
    properties,
    relationship_related,
    relationship_updated,
    source,
    text,
)
from tests.circumstances import EDGE, GUARD, MEMORY, OTHER, an_id, decision, time_of
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


def patching(patch: JsonObject, *, expected: int | None = None, actor: str = "ana") -> Decide:
    said = parsed("update", patch=patch).patch
    return lambda history: update(decision(actor=actor), history.edge(), said, expected)


STORED = Fact(
    EDGE,
    relationship_related(
        valid_from=FROM,
        valid_until=UNTIL,
        expires_at=EXPIRES,
        payload=link(
            identity_key="R", confidence=0.5, properties={"x": 1}, provenance=[source("s1")]
        ),
    ),
)
BEFORE = {
    "id": EDGE,
    "identity_key": "R",
    "source_id": MEMORY,
    "target_id": OTHER,
    "kind": "supports",
    "properties": {"x": 1},
    "provenance": [source("s1")],
    "confidence": 0.5,
    "valid_from": FROM,
    "valid_until": UNTIL,
    "expires_at": EXPIRES,
    "lifecycle": "active",
}


@pytest.mark.parametrize(
    ("patch", "changed"),
    [
        ({}, {}),
        ({"content": text("t")}, {"properties": text("t")}),
        ({"content": properties()}, {"properties": properties()}),
        ({"confidence": 0}, {"confidence": 0}),
        ({"confidence": None}, {}),
        ({"clear": ["confidence"]}, {"confidence": None}),
        ({"lifecycle": "expired"}, {"lifecycle": "expired"}),
        ({"expires_at": time_of(1)}, {"expires_at": time_of(1)}),
        ({"clear": ["expires_at"]}, {"expires_at": None}),
        ({"clear": ["valid_from", "valid_until"]}, {"valid_from": None, "valid_until": None}),
        ({"valid_until": time_of(1001)}, {"valid_until": time_of(1001)}),
        ({"add_tags": ["ignored"]}, {}),
        (
            {"add_provenance": [source("s1"), source("s2")]},
            {"provenance": [source("s1"), source("s2")]},
        ),
    ],
)
def test_each_field_of_a_patch_alone_keeps_the_rest(patch: JsonObject, changed: JsonObject) -> None:
    outcome = given(STORED).when(patching(patch))
    state = edge(STORED, *outcome.facts)
    record = {k: v for k, v in state.as_record().items() if k not in ("version", "recorded_at")}
    assert state.version == 2
    assert record == {**BEFORE, **changed}


def test_an_update_is_stored_as_its_patch() -> None:
    given(STORED).when(patching({"lifecycle": "expired", "clear": ["confidence"]})).then(
        Fact(EDGE, relationship_updated(lifecycle="expired", payload={"confidence": None}))
    )


def test_an_update_of_what_is_not_there_is_not_found() -> None:
    given().when(patching({})).refused(Code.NOT_FOUND, field="target.id")
    private = Fact(EDGE, relationship_related(visibility="private", owner="bea"))
    given(private).when(patching({}, expected=9)).refused(Code.NOT_FOUND, field="target.id")


@pytest.mark.parametrize("expected", [0, 2])
def test_an_update_of_another_version_is_told_the_current_one(expected: int) -> None:
    error = (
        given(STORED)
        .when(patching({}, expected=expected))
        .refused(Code.VERSION_CONFLICT, field="expected_version")
    )
    assert error.current_version == 1


def test_a_patch_may_not_leave_an_empty_interval() -> None:
    given(STORED).when(patching({"valid_until": FROM})).refused(
        Code.INVALID_REQUEST, field="patch.valid_until", reason="EMPTY_VALIDITY"
    )


def test_provenance_of_an_edge_grows_up_to_a_limit() -> None:
    full = [source(str(at)) for at in range(limits.RECORD_PROVENANCE_MAX)]
    history = given(ONE, TWO, Fact(EDGE, relationship_related(payload=link(provenance=full))))
    history.when(patching({"add_provenance": [source("new")]})).refused(
        Code.INVALID_REQUEST, field="patch.add_provenance"
    )
    history.when(relating(key=True, identity_key="R", provenance=[source("new")])).refused(
        Code.INVALID_REQUEST, field="provenance"
    )


def test_an_erased_edge_shows_structure_only_and_is_not_followed() -> None:
    state = edge(Fact(EDGE, relationship_related(payload=None)))
    record = state.as_record()
    assert (record["erased"], record["kind"], record["properties"]) == (True, "erased", None)
    assert (record["source_id"], record["target_id"]) == (MEMORY, OTHER)
    assert not state.recallable(state.recorded_us)
