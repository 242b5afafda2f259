from __future__ import annotations

import pytest

from domain.contract import TraceInput
from read_api.trace import Trace
from tests.recall.world import World

SOURCED = {"provenance": [{"source_id": "s1"}]}


@pytest.fixture
def world():
    return World()


def gaps(world, record, kind="memory", **by):
    said = TraceInput(target={"kind": kind, "id": record})
    told = Trace(world.log, world.receipts).answer(world.context(by), said)
    return {gap.pop("gap"): gap for gap in told["gaps"]}


def test_a_memory_without_a_source_that_nothing_backs_has_both_gaps(world):
    memory = world.remember()

    assert gaps(world, memory) == {"no_source": {}, "never_corroborated": {}}


def test_a_source_that_is_a_memory_here_and_forgotten_is_a_gap(world):
    source, kept = world.remember("source"), world.remember("kept")
    references = [{"source_id": source}, {"source_id": kept}, {"source_id": "elsewhere"}]
    memory = world.remember("derived", provenance=references)
    assert gaps(world, memory) == {}

    world.forget(source)

    assert gaps(world, memory) == {
        "source_forgotten": {"source_ids": [source]},
        "needs_review": {"memory_ids": [source]},
    }


@pytest.mark.parametrize("how", ["two sources", "an equal value", "an edge"])
def test_a_memory_is_corroborated(world, how):
    memory = world.claim(slot="city", object="Rome", more=SOURCED)
    assert "never_corroborated" in gaps(world, memory)

    if how == "two sources":
        world.update(memory, add_provenance=[{"source_id": "s2"}])
    elif how == "an equal value":
        world.claim(slot="city", object="Rome", note="another memory")
    else:
        world.relate(world.remember("a witness"), memory, kind="supports")

    assert gaps(world, memory) == {}


def test_what_backs_a_memory_must_stand_itself(world):
    memory = world.claim(slot="city", object="Rome", more=SOURCED)
    witness = world.remember("a witness")
    world.relate(witness, memory, kind="supports")
    world.relate(memory, world.remember("backed by it"), kind="supports")

    world.forget(witness)

    assert gaps(world, memory) == {"never_corroborated": {}}


def test_a_contradiction_by_an_edge_is_unresolved_while_both_ends_stand(world):
    memory, other = world.remember("one", **SOURCED), world.remember("other")
    edge = world.relate(other, memory, kind="contradicts")
    found = {"relationship_ids": [edge], "memory_ids": []}
    assert gaps(world, memory)["unresolved_contradiction"] == found

    world.update(other, lifecycle="superseded")

    assert "unresolved_contradiction" not in gaps(world, memory)


def test_another_value_in_the_slot_contradicts_where_both_are_valid(world):
    rome = world.claim(slot="city", object="Rome")
    oslo = world.claim(slot="city", object="Oslo")

    assert gaps(world, rome)["unresolved_contradiction"]["memory_ids"] == [oslo]


def test_a_change_in_the_world_is_no_contradiction(world):
    january = {"valid_from": "2026-01-01T00:00:00Z", "valid_until": "2026-03-01T00:00:00Z"}
    vim = world.claim(slot="editor", object="vim", more=january)
    emacs = world.claim(slot="editor", object="emacs", more={"valid_from": "2026-03-01T00:00:00Z"})

    assert "unresolved_contradiction" not in gaps(world, vim)
    assert "unresolved_contradiction" not in gaps(world, emacs)


def test_a_canonical_memory_names_the_originals_behind_it(world):
    a, b, c = world.remember("a"), world.remember("b"), world.remember("c")
    world.consolidate([a, b, c], canonical=a)

    assert gaps(world, a)["superseded_originals"] == {"memory_ids": [b, c]}
    assert "superseded_originals" not in gaps(world, b)


def test_of_a_forgotten_memory_only_the_originals_are_told(world):
    a, b = world.remember("a"), world.remember("b")
    world.consolidate([a, b], canonical=a)
    world.forget(a)

    assert gaps(world, a) == {"superseded_originals": {"memory_ids": [b]}}


def test_a_relationship_without_a_source_has_that_gap(world):
    a, b = world.remember("a"), world.remember("b")

    assert gaps(world, world.relate(a, b), "relationship") == {"no_source": {}}
    assert gaps(world, world.relate(a, b, **SOURCED), "relationship") == {}


def test_private_memories_of_others_are_no_gap(world):
    memory = world.claim(slot="city", object="Rome", more=SOURCED)
    before = gaps(world, memory, actor="bob")
    private = {"visibility": "private"}
    world.claim(slot="city", object="Oslo", more=private)
    world.claim(slot="city", object="Rome", more=private)
    world.relate(world.remember("witness", **private), memory, kind="supports")

    assert gaps(world, memory, actor="bob") == before
    assert "unresolved_contradiction" in gaps(world, memory)
