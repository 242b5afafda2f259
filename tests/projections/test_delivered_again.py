"""Events that are delivered again, as after a checkpoint that was lost: nothing happens twice."""

from __future__ import annotations

import pytest

from projections.catalogue import CATALOGUE
from projections.database import writing
from projections.schema import EDGE_VERSION
from tests.projections.commands import relate, remember, update, update_edge
from tests.projections.histories import World
from tests.projections.views import follow, rows, tables


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_events_that_are_delivered_again_change_nothing(engine, first, one_by_one):
    # Given an edge between two memories, one of them corrected, all of it followed
    world = World().given(
        [
            remember("One", tags=["red"]),
            remember("Other"),
            relate(0, 1),
            relate(0, 0),
            update(0, add_tags=["blue"]),
        ]
    )
    follow(world.log, engine)
    before = tables(engine)
    # When the log is delivered once more, from its begin or from later on
    for projection in CATALOGUE:
        events = world.log.after(0, 100, topics=projection.topics)[first:]
        for batch in [[event] for event in events] if one_by_one else [events]:
            with writing(engine) as connection:
                projection.apply(connection, batch, world.log)
    # Then every row, label and degree is as it was
    assert tables(engine) == before


def test_a_newest_version_that_is_delivered_again_with_its_successor_counts_once(engine):
    # Given an edge that was followed, and corrected afterwards
    world = World().given([remember("One"), remember("Other"), relate()])
    follow(world.log, engine)
    before = tables(engine)["degree"]
    world.given([update_edge(confidence=0.5)])
    evidence = CATALOGUE[1]
    # When both of its versions come in one batch
    events = world.log.after(0, 100, topics=evidence.topics)
    assert len(events) == 2
    with writing(engine) as connection:
        evidence.apply(connection, events, world.log)
    # Then its ends still have one edge each
    assert tables(engine)["degree"] == before
    assert [row["version"] for row in rows(engine, EDGE_VERSION)] == [1, 2]
