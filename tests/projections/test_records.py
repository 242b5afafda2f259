"""The read model of memories: what its rows say, and what a forget takes from them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from domain.decisions import Fact
from domain.events import MemoryForgotten, Reason
from domain.instants import FOREVER, parse_instant
from domain.memory import memory_versions
from domain.memory_decisions import homed
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
    text,
    update,
)
from tests.projections.histories import World
from tests.projections.views import all_text, follow, new_views, rows, tables

NEW_YEAR = "2027-01-01T00:00:00Z"


@pytest.fixture
def engine():
    with new_views() as engine:
        yield engine


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


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("batch", [1, 500])
def test_a_forgotten_memory_leaves_no_text_in_any_version(engine, mode, batch):
    world = World().given(
        [
            remember(
                properties(slot="Rosebud slot", note="Rosebud"),
                kind="Rosebud kind",
                schema_version="Rosebud schema",
                identity_key="Rosebud key",
                tags=["Rosebud tag"],
                provenance=[{"source_id": "Rosebud source"}],
            ),
            update(0, content=properties(note="Rosebud again"), add_tags=["Rosebud too"]),
            forget(0, mode, reason="Rosebud is private"),
        ]
    )

    follow(world.log, engine, batch)

    assert "Rosebud" not in all_text(engine)
    stored = rows(engine)
    assert [row["forgotten"] for row in stored] == [mode] * 3
    assert [row["erased"] for row in stored] == [True] * 3
    assert {row["kind"] for row in stored} == {"erased"}
    assert stored[0]["slot_ref"] is not None
    assert rows(engine, MEMORY_TAG) == rows(engine, MEMORY_SOURCE) == []


def test_an_expired_memory_keeps_its_text(engine):
    follow(World().given([remember("Rosebud"), forget(0, "expire")]).log, engine)

    last = rows(engine)[-1]
    assert (last["lifecycle"], last["forgotten"]) == ("expired", None)
    assert "Rosebud" in last["record"]


@pytest.mark.parametrize("batch", [1, 2, 500])
@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
@pytest.mark.parametrize("destroyed", [False, True])
def test_a_forgotten_version_leaves_no_text_in_later_ones(engine, batch, mode, destroyed):
    world = World().given(
        [
            remember("Rosebud", tags=["Rosebud tag"]),
            update(0, confidence=0.5),
            forget(0, mode, scope="event", version=0),
            update(0, add_tags=["later"]),
        ]
    )
    if destroyed:
        world.destroy_keys()

    follow(world.log, engine, batch)

    assert "Rosebud" not in all_text(engine)
    stored = rows(engine)
    assert [row["erased"] for row in stored] == [True] * 4
    assert [row["forgotten"] for row in stored] == [None] * 4
    assert [row["dead_versions"] for row in stored] == [None, None, "[1]", "[1]"]
    assert [row["tag"] for row in rows(engine, MEMORY_TAG)] == ["later"]


def test_new_content_after_a_forgotten_version_is_shown(engine):
    world = World().given(
        [
            remember("Rosebud"),
            forget(0, "tombstone", scope="event", version=0),
            update(0, content=text("Tea at five")),
        ]
    )

    follow(world.log, engine, batch=1)

    assert [row["erased"] for row in rows(engine)] == [True, True, False]
    assert "Tea at five" in rows(engine)[-1]["record"]


def test_a_forgotten_slot_takes_all_of_its_memories(engine):
    claims = [properties(slot="editor", object=name) for name in ("vim", "emacs")]
    world = World().given(
        [*map(remember, claims), remember("Other"), forget(0, "application_delete", scope="key")]
    )

    follow(world.log, engine)

    assert "vim" not in all_text(engine)
    assert "emacs" not in all_text(engine)
    assert "Other" in all_text(engine)


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


def test_a_correction_that_arrives_after_the_tombstone_is_dead_on_arrival(engine):
    world = World().given([remember("Rosebud"), update(0, content=text("Rosebud 2")), forget()])
    first, corrected, forgotten = world.log.stream(*world.memories[0])
    late = [first, replace(forgotten, version=2), replace(corrected, version=3, position=99)]

    with writing(engine) as connection:
        records.apply(connection, late, world.log)

    assert "Rosebud" not in all_text(engine)


@pytest.mark.parametrize("batch", [1, 500])
def test_a_version_that_is_covered_before_it_comes_is_dead_on_arrival(engine, batch):
    # given an imported forget of a version that has not come yet
    world = World().given([remember("Tea")])
    workspace, memory = world.memories[0]
    d = world.decision({"workspace": workspace})
    early = MemoryForgotten(
        **homed(world.memory(workspace, memory)),
        mode="tombstone",
        scope="event",
        targets=[(memory, 3)],
        payload=Reason(reason="a leak"),
    )
    world.log.append([Fact(memory, early)], d.context.for_event(), d.now_us)

    # when it comes
    world.given([update(0, content=text("Rosebud"))])
    follow(world.log, engine, batch)

    # then
    assert [row["erased"] for row in rows(engine)] == [False, False, True]
    assert "Rosebud" not in all_text(engine)


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


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("apart", [False, True])
def test_report_51_a_deletion_followed_live_is_the_same_in_a_rebuild(engine, batch, apart):
    world = World().given([remember("Rosebud")])
    if apart:
        follow(world.log, engine, batch)
    world.given([forget(0, "application_delete")])
    follow(world.log, engine, batch)
    world.destroy_keys()

    with new_views() as rebuilt:
        follow(world.log, rebuilt, batch)

        assert tables(rebuilt) == tables(engine)
    assert "Rosebud" not in all_text(engine)


def test_the_states_of_a_stream_are_those_of_its_rows(engine):
    world = World().given([remember("One", tags=["a"]), update(0, add_tags=["b"], confidence=1.0)])

    follow(world.log, engine)

    states = [memory_state(row) for row in rows(engine)]
    assert states == memory_versions(world.log.stream(*world.memories[0]))
