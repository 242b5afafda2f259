"""What a forget takes from the read model, whenever it comes and whatever it covers."""

from __future__ import annotations

import pytest

from domain.decisions import Fact
from domain.event_bases import Reason
from domain.events import MemoryForgotten
from domain.memory_decisions import homed
from projections import records
from projections.database import writing
from projections.schema import MEMORY_SOURCE, MEMORY_TAG
from tests.projections.commands import (
    forget,
    properties,
    remember,
    text,
    update,
)
from tests.projections.histories import World
from tests.projections.views import all_text, follow, new_views, rows, tables


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
    # design.md §2: an erased record shows no tags, later ones included
    assert [row["tag"] for row in rows(engine, MEMORY_TAG)] == []


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


def test_a_correction_that_arrives_after_the_tombstone_is_dead_on_arrival(engine):
    world = World().given([remember("Rosebud"), update(0, content=text("Rosebud 2")), forget()])
    first, corrected, forgotten = world.log.stream(*world.memories[0])
    late = [first, forgotten._replace(version=2), corrected._replace(version=3, position=99)]

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
