"""A parked stream that an operator releases: tried again from its first event, or passed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.parts import part_of_workspace
from projections.database import part_in, reading
from projections.parked_streams import is_parked
from projections.schema import DEGREE, PARKED
from tests.projections.commands import forget, relate, remember, update, update_edge
from tests.projections.databases import database, views_in_postgres
from tests.projections.histories import World
from tests.projections.views import follow, new_views, rows, tables
from tests.workers.failing import (
    EVIDENCE,
    RECORDS,
    DamagedLog,
    no_pause,
    poisoned,
    release,
)
from workers.catch_up import Follower, catch_up
from workers.pages import Pages

# Each test runs on both databases.
__all__ = ["database", "views_in_postgres"]


def caught_up(projection, log, engine, batch=500):
    return catch_up(projection, part_in(engine, "acme"), log, engine, batch, pause=no_pause)


@pytest.fixture
def world():
    return World().given(
        [
            remember("One"),
            remember("Rosebud"),
            update(0, add_tags=["later"]),
            update(1, add_tags=["later"]),
        ]
    )


def untroubled(world):
    with new_views() as engine:
        follow(world.log, engine)
        return tables(engine)


def without_times(found):
    """Tables without the moments at which something was parked."""
    return {
        **found,
        "parked": [(*row[:8], *row[9:]) for row in found["parked"]],
    }


def first_of(world, index):
    return world.log.stream(*world.memories[index])[0].position


def test_a_stream_that_works_when_it_is_tried_again_is_as_if_nothing_had_happened(engine, world):
    projection = poisoned(RECORDS, [first_of(world, 1)])
    caught_up(projection, world.log, engine)
    assert len(rows(engine, PARKED)) == 2
    # When the program was mended and the stream is released
    projection.apply.positions.clear()
    release(world, "retry", world.memories[1])
    world.given([update(1, add_tags=["last"])])
    assert caught_up(projection, world.log, engine) == world.log.head()
    caught_up(EVIDENCE, world.log, engine)
    # Then
    assert tables(engine) == untroubled(world)


def test_a_stream_that_fails_again_stays_parked_and_everything_else_goes_on(engine, world):
    first = first_of(world, 1)
    caught_up(poisoned(RECORDS, [first]), world.log, engine)
    release(world, "retry", world.memories[1])
    world.given([update(0, confidence=1), update(1, confidence=1)])
    again = poisoned(RECORDS, [first], error=KeyError("Rosebud"))

    assert caught_up(again, world.log, engine) == world.log.head()

    assert len(again.apply.raised) == 3
    found = rows(engine, PARKED)
    assert [row["error"] for row in found] == ["KeyError", "", ""]
    assert [row["blocked_by"] for row in found] == [None, first, first]
    assert len(rows(engine)) == 3


def test_a_stream_that_is_passed_is_not_shown_nor_parked_any_more(engine, world):
    projection = poisoned(RECORDS, [first_of(world, 1)])
    caught_up(projection, world.log, engine)
    position = release(world, "skip", world.memories[1])
    world.given([update(1, add_tags=["last"])])

    assert caught_up(projection, world.log, engine) == world.log.head()

    [passed] = rows(engine, PARKED)
    assert (passed["state"], passed["position"]) == ("passed", position)
    assert {row["memory_id"] for row in rows(engine)} == {world.memories[0][1]}
    with reading(engine) as connection:
        assert is_parked(connection, RECORDS, *world.memories[1])


def test_a_stream_that_was_passed_can_be_taken_up_again(engine, world):
    projection = poisoned(RECORDS, [first_of(world, 1)])
    caught_up(projection, world.log, engine)
    release(world, "skip", world.memories[1])
    caught_up(projection, world.log, engine)
    projection.apply.positions.clear()
    release(world, "retry", world.memories[1])

    caught_up(projection, world.log, engine)
    caught_up(EVIDENCE, world.log, engine)

    assert tables(engine) == untroubled(world)


def test_a_damaged_stream_stays_parked_however_often_it_is_tried(engine, world):
    log = DamagedLog(world.log, [first_of(world, 1)])
    caught_up(RECORDS, log, engine)
    before = without_times(tables(engine))
    for _ in range(2):
        release(world, "retry", world.memories[1])
        assert caught_up(RECORDS, log, engine) == world.log.head()

    assert without_times(tables(engine)) == before


def test_a_release_of_a_stream_that_is_not_parked_changes_nothing(engine, world):
    caught_up(RECORDS, world.log, engine)
    before = tables(engine)
    release(world, "retry", world.memories[1])
    release(world, "retry", ("acme", "mem_" + "0" * 26))

    assert caught_up(RECORDS, world.log, engine) == world.log.head()

    assert tables(engine) == before


def test_a_release_reaches_only_the_projection_that_it_names(engine, world):
    world.given([relate(0, 1)])
    release(world, "skip", world.edges[0], projection="records")

    follow(world.log, engine)

    assert [row["projection"] for row in rows(engine, PARKED)] == ["records"]
    assert tables(engine)["edge_version"] != []


def test_a_relationship_that_is_tried_again_counts_once(engine, world):
    world.given([relate(0, 1), update_edge(0, confidence=1)])
    last = world.log.stream(*world.edges[0])[-1].position
    projection = poisoned(EVIDENCE, [last])
    caught_up(projection, world.log, engine, 1)
    projection.apply.positions.clear()
    release(world, "retry", world.edges[0], projection="evidence")

    caught_up(projection, world.log, engine)
    caught_up(RECORDS, world.log, engine)

    assert tables(engine) == untroubled(world)
    assert {row["edges"] for row in rows(engine, DEGREE)} == {1}


def test_a_stream_that_is_tried_again_is_read_up_to_its_release_and_no_further(engine, world):
    # Given a log that goes on after the release
    position = release(world, "retry", world.memories[1])
    world.given([update(1, add_tags=["last"])])
    follower = Follower(RECORDS, part_in(engine, "acme"), world.log, engine)
    # When it is followed event by event, then no row is beyond the checkpoint
    reached, before = 0, -1
    while reached != before:
        before, reached = reached, follower.advance(reached, 1)
        assert max((row["position"] for row in rows(engine)), default=0) <= reached
    assert reached >= world.log.head() > position


CHOICES = st.lists(
    st.tuples(
        st.sampled_from(["update", "retry", "skip", "forget", "follow", "relate"]),
        st.integers(0, 2),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(CHOICES, st.integers(1, 8), st.sampled_from([1, 3, 500]))
def test_whatever_was_decided_read_models_that_are_built_anew_are_the_same(choices, culprit, batch):
    # Given streams of which some events always fail, and decisions of an operator in between
    world = World().given([remember("One"), remember("Two"), remember("Three")])
    poisonous = {culprit, culprit + 5}
    with new_views() as live:
        for choice, number in choices:
            match choice:
                case "update":
                    world.run([update(number, add_tags=[str(number)])])
                case "relate":
                    world.run([relate(number, 0)])
                case "forget":
                    world.run([forget(number)])
                case "follow":
                    caught_up(poisoned(RECORDS, poisonous), world.log, live, batch)
                case mode:
                    release(world, mode, world.memories[number])
        caught_up(poisoned(RECORDS, poisonous), world.log, live, batch)
        # When they are built anew
        with new_views() as again:
            caught_up(poisoned(RECORDS, poisonous), world.log, again)
            # Then the same is shown, parked and passed
            assert without_times(tables(again)) == without_times(tables(live))


def test_with_many_parts_a_release_reaches_the_part_of_its_stream(world):
    # Given a log of 64 parts; the release stands in the part of the system's workspace
    parts = 64
    part = part_of_workspace("acme", parts)
    other = World(log=world.log)
    position = release(other, "retry", world.memories[1], part=part_of_workspace("system", parts))

    found = {
        number: Pages(world.log, RECORDS, number, parts).after(position - 1, 500)
        for number in (part, part + 1)
    }

    assert found[part].released is not None
    assert found[part].released.position == position
    assert found[part + 1].released is None
    assert found[part + 1].reached == position
