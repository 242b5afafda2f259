"""Whatever happened, and however it was handed out, the tables end the same."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.memory_streams import memory_versions
from domain.relationship import relationship_versions
from projections.rows import edge_columns, edge_state, memory_columns, memory_state
from projections.schema import EDGE_VERSION, MEMORY_SOURCE, MEMORY_TAG, MEMORY_VERSION
from tests.projections.commands import HISTORIES, PATCHES, remember, update
from tests.projections.histories import World
from tests.projections.views import deliver, follow, new_views, rows, tables

BATCHES = st.sampled_from([1, 2, 7, 500])
PAGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=12)
"""Of overlapping deliveries: events once more, new events."""


@settings(max_examples=25)
@given(HISTORIES)
def test_a_version_is_what_the_domain_folds_without_what_was_forgotten(history):
    world = World().run(history)
    expected = []
    for workspace, memory in world.memories:
        states = memory_versions(world.log.stream(workspace, memory))
        if (forgotten := states[-1].forgotten) is not None:
            states = [state.without_text()._replace(forgotten=forgotten) for state in states]
        expected.extend(states)

    with new_views() as engine:
        follow(world.log, engine)

        stored = [memory_state(row) for row in rows(engine)]
    assert sorted(stored, key=_by_id) == sorted(expected, key=_by_id)


@settings(max_examples=25)
@given(HISTORIES)
def test_an_edge_is_what_the_domain_folds(history):
    world = World().run(history)
    expected = [
        state
        for workspace, edge in world.edges
        for state in relationship_versions(world.log.stream(workspace, edge))
    ]

    with new_views() as engine:
        follow(world.log, engine)

        stored = [edge_state(row) for row in rows(engine, EDGE_VERSION)]
    assert sorted(stored, key=_by_id) == sorted(expected, key=_by_id)


def _by_id(state):
    return state.id, state.version


@settings(max_examples=25)
@given(HISTORIES)
def test_a_row_read_as_a_state_gives_the_same_row(history):
    world = World().run(history)
    with new_views() as engine:
        follow(world.log, engine)

        for row in rows(engine):
            assert row | memory_columns(memory_state(row)) == row
        for row in rows(engine, EDGE_VERSION):
            assert row | edge_columns(edge_state(row)) == row


@settings(max_examples=25)
@given(HISTORIES)
def test_columns_and_labels_say_what_the_record_shows(history):
    world = World().run(history)
    with new_views() as engine:
        follow(world.log, engine)

        labels = {(row["memory_id"], row["tag"]) for row in rows(engine, MEMORY_TAG)}
        sources = {(row["memory_id"], row["source_id"]) for row in rows(engine, MEMORY_SOURCE)}
        for table in (MEMORY_VERSION, EDGE_VERSION):
            for row in rows(engine, table):
                record = json.loads(row["record"])
                for name in ("kind", "identity_key", "lifecycle", "confidence", "version"):
                    assert row[name] == record[name]
                assert row["erased"] == record.get("erased", False)
        current = [
            json.loads(row["record"])
            for row in rows(engine, to_position=None)
            if row["forgotten"] is None
        ]
    assert labels == {(record["id"], tag) for record in current for tag in record["tags"]}
    assert sources == {
        (record["id"], reference["source_id"])
        for record in current
        for reference in record["provenance"]
    }


@settings(max_examples=25)
@given(HISTORIES, BATCHES, PAGES)
def test_report_59_events_delivered_again_in_overlapping_pages_count_once(history, batch, pages):
    log = World().run(history).log
    with new_views() as once, new_views() as again:
        follow(log, once, batch)

        deliver(log, again, pages)

        assert tables(again) == tables(once)


@settings(max_examples=25)
@given(HISTORIES, BATCHES, st.sets(st.integers(0, 30)))
def test_a_rebuild_after_erasures_equals_what_was_followed_live(history, batch, erasures):
    world = World()
    with new_views() as live, new_views() as rebuilt:
        for index, (name, said) in enumerate(history):
            world.do(name, **said)
            follow(world.log, live, batch)
            if index in erasures:
                world.destroy_keys()
        world.destroy_keys()

        follow(world.log, rebuilt)

        assert tables(rebuilt) == tables(live)


@settings(max_examples=25)
@given(HISTORIES)
def test_every_version_but_the_current_one_ends_where_the_next_begins(history):
    world = World().run(history)
    with new_views() as engine:
        follow(world.log, engine)

        for table in (MEMORY_VERSION, EDGE_VERSION):
            found = rows(engine, table)
            begins = {(_id(row), row["version"]): row["position"] for row in found}
            for row in found:
                assert row["to_position"] == begins.get((_id(row), row["version"] + 1))


def _id(row):
    return row.get("memory_id") or row["relationship_id"]


@settings(max_examples=25)
@given(st.lists(PATCHES, max_size=4))
def test_who_made_a_memory_is_known_at_every_version(patches):
    corrected = [update(0, said={"actor": "bob"}, **patch) for patch in patches]
    world = World().run([remember(said={"actor": "ann"}), *corrected])
    with new_views() as engine:
        follow(world.log, engine, batch=2)

        assert {row["created_by"] for row in rows(engine)} == {"ann"}
