"""The read model of memories: what its rows say, and which events they take."""

from __future__ import annotations

import json

import pytest

from domain.instants import FOREVER, parse_instant
from domain.memory_streams import memory_versions
from projections import records
from projections.database import writing
from projections.lineages import ProjectionGapError
from projections.rows import memory_state
from projections.schema import MEMORY_SOURCE, MEMORY_TAG
from tests.projections.commands import (
    consolidate,
    forget,
    properties,
    recall,
    remember,
    update,
)
from tests.projections.histories import World
from tests.projections.views import follow, rows, tables

NEW_YEAR = "2027-01-01T00:00:00Z"


def test_a_row_says_what_a_memory_is_and_where_it_comes_from(engine):
    claim = properties(subject="editor", predicate="is", status="verified", repo="tools/one")
    world = World().given(
        [
            remember(
                claim,
                said={"actor": "ann", "agent": "crew", "session": "monday"},
                identity_key="k",
                confidence=0.5,
                valid_from="2026-01-01T00:00:00+02:00",
                tags=["red", "blue", "red"],
                provenance=[{"source_id": "page"}, {"source_id": "page", "locator": "2"}],
            ),
            update(0, said={"actor": "bob", "session": "tuesday"}, valid_until=NEW_YEAR),
        ]
    )

    follow(world.log, engine)

    first, second = rows(engine)
    workspace, memory = world.memories[0]
    assert {name: first[name] for name in ("workspace", "memory_id", "version")} == {
        "workspace": workspace,
        "memory_id": memory,
        "version": 1,
    }
    assert (first["position"], first["to_position"]) == (2, second["position"])
    assert second["to_position"] is None
    assert (first["topic"], second["topic"]) == ("memory.remembered", "memory.updated")
    assert json.loads(first["record"]) == memory_state(first).as_record()
    assert first["kind"] == "fact"
    assert first["identity_key"] == "k"
    assert first["lifecycle"] == "active"
    assert (first["forgotten"], first["erased"]) == (None, False)
    assert (first["visibility"], first["owner"]) == ("workspace", "ann")
    assert (first["session"], first["event_session"]) == ("monday", "monday")
    assert (second["session"], second["event_session"]) == ("monday", "tuesday")
    assert json.loads(first["slot"]) == ["editor", "is"]
    assert first["slot_ref"] is not None
    assert first["from_us"] == parse_instant("2025-12-31T22:00:00Z", "a test")
    assert (first["until_us"], first["expires_us"]) == (FOREVER, FOREVER)
    assert second["until_us"] == parse_instant(NEW_YEAR, "a test")
    assert first["confidence"] == 0.5
    assert (first["epistemic_status"], first["repo"]) == ("verified", "tools/one")
    assert (first["actor"], first["agent"], second["actor"]) == ("ann", "crew", "bob")
    assert second["created_by"] == "ann"
    assert first["request"] == first["correlation"] == f"request {first['recorded_us']}"
    assert [row["tag"] for row in rows(engine, MEMORY_TAG)] == ["blue", "red"]
    assert [row["source_id"] for row in rows(engine, MEMORY_SOURCE)] == ["page"]


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"epistemic_status": "asserted", "status": "verified"}, "asserted"),
        ({"epistemic_status": 7, "status": "verified"}, "verified"),
        ({"epistemic_status": "", "status": "verified"}, "verified"),
        ({"status": ["verified"]}, None),
    ],
)
def test_the_epistemic_status_is_the_first_property_that_says_one(engine, given, status):
    follow(World().given([remember(properties(**given))]).log, engine)

    assert rows(engine)[0]["epistemic_status"] == status


def test_tags_and_sources_are_those_of_the_current_version(engine):
    world = World().given(
        [
            remember(identity_key="k", tags=["old", "both"], provenance=[{"source_id": "a"}]),
            remember(identity_key="k", tags=["new", "both"], provenance=[{"source_id": "b"}]),
        ]
    )

    follow(world.log, engine, batch=1)

    assert [row["tag"] for row in rows(engine, MEMORY_TAG)] == ["both", "new"]
    assert [row["source_id"] for row in rows(engine, MEMORY_SOURCE)] == ["a", "b"]


def test_a_superseded_memory_keeps_its_text(engine):
    follow(World().given([remember("One"), remember("Other"), consolidate()]).log, engine)

    lifecycles = [row["lifecycle"] for row in rows(engine)]
    assert lifecycles == ["active", "active", "superseded"]
    assert "Other" in rows(engine)[-1]["record"]


def test_workspaces_do_not_touch_each_other(engine):
    other = {"workspace": "other"}
    world = World().given([remember("Ours"), remember("Theirs", said=other), forget(0)])

    follow(world.log, engine)

    assert [row["workspace"] for row in rows(engine, forgotten=None)] == ["other"]


def test_a_missing_version_is_refused_and_nothing_is_written(engine):
    world = World().given([remember("One"), update(0, confidence=0.1), update(0, confidence=0.2)])
    first, _, third = world.log.stream(*world.memories[0])

    with pytest.raises(ProjectionGapError, match="comes after version 1"), writing(engine) as c:
        records.apply(c, [first, third], world.log)

    assert rows(engine) == []


def test_a_known_version_is_skipped(engine):
    world = World().given([remember("One"), update(0, confidence=0.1), recall()])
    follow(world.log, engine)
    before = tables(engine)

    with writing(engine) as connection:
        records.apply(connection, world.log.stream(*world.memories[0]), world.log)

    assert tables(engine) == before


def test_the_states_of_a_stream_are_those_of_its_rows(engine):
    world = World().given([remember("One", tags=["a"]), update(0, add_tags=["b"], confidence=1.0)])

    follow(world.log, engine)

    states = [memory_state(row) for row in rows(engine)]
    assert states == memory_versions(world.log.stream(*world.memories[0]))
