"""The read model of relationships, and the degrees of what they connect."""

from __future__ import annotations

import json

import pytest

from projections import evidence
from projections.database import writing
from projections.lineages import ProjectionGapError
from projections.rows import edge_state
from projections.schema import DEGREE, EDGE_VERSION
from tests.projections.commands import (
    consolidate,
    forget,
    properties,
    relate,
    remember,
    update_edge,
)
from tests.projections.histories import World
from tests.projections.views import follow, rows, tables


def degrees(engine):
    return {(row["node"], row["scope"]): row["edges"] for row in rows(engine, DEGREE)}


def test_a_row_says_what_an_edge_is_and_who_made_it(engine):
    world = World().given(
        [
            remember("One"),
            remember("Other"),
            relate(0, 1, properties={"weight": 1}, confidence=0.5, identity_key="e"),
            update_edge(0, said={"actor": "bob"}, lifecycle="expired"),
        ]
    )
    ends = [memory for _, memory in world.memories]

    follow(world.log, engine)

    first, second = rows(engine, EDGE_VERSION)
    assert (first["source_id"], first["target_id"]) == tuple(ends)
    assert json.loads(first["record"]) == edge_state(first).as_record()
    assert first["to_position"] == second["position"]
    assert (first["kind"], first["identity_key"], first["confidence"]) == ("supports", "e", 0.5)
    assert (first["lifecycle"], second["lifecycle"]) == ("active", "expired")
    assert (first["actor"], second["actor"], second["created_by"]) == ("ann", "bob", "ann")


def test_a_relationship_counts_once_at_each_end_however_many_versions_it_has(engine):
    world = World().given(
        [
            remember("One"),
            remember("Other"),
            relate(0, 1, identity_key="e"),
            relate(0, 1, identity_key="e", kind="cites"),
            update_edge(0, confidence=0.5),
            relate(0, 1),
            relate(0, 0),
        ]
    )
    one, other = (memory for _, memory in world.memories)

    follow(world.log, engine, batch=1)

    assert degrees(engine) == {(one, ""): 3, (other, ""): 2}


def test_private_edges_are_counted_for_their_owner_alone(engine):
    world = World().given([remember("Ours"), remember("Mine", visibility="private"), relate()])
    ours, mine = (memory for _, memory in world.memories)

    follow(world.log, engine)

    assert degrees(engine) == {(ours, "ann"): 1, (mine, "ann"): 1}


def test_an_edge_stays_when_its_end_is_forgotten(engine):
    world = World().given([remember("One"), remember("Other"), relate()])
    follow(world.log, engine)
    before = tables(engine)

    world.given([forget(0, "application_delete")])
    follow(world.log, engine)

    after = tables(engine)
    assert after["edge_version"] == before["edge_version"]
    assert after["degree"] == before["degree"]


def test_a_consolidation_leaves_an_edge_to_the_canonical_memory(engine):
    claims = [properties(slot="editor", object=name) for name in ("vim", "emacs")]
    world = World().given([*map(remember, claims), consolidate()])

    follow(world.log, engine)

    [row] = rows(engine, EDGE_VERSION)
    assert row["kind"] == "superseded_by"


def test_a_missing_version_is_refused(engine):
    world = World().given(
        [remember("One"), remember("Other"), relate(), update_edge(confidence=0.5)]
    )
    _, second = world.log.stream(*world.edges[0])

    with pytest.raises(ProjectionGapError), writing(engine) as connection:
        evidence.apply(connection, [second], world.log)

    assert rows(engine, EDGE_VERSION) == []
