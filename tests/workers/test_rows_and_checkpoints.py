"""Rows and checkpoint move together: at no moment does a read model know more than it says."""

from __future__ import annotations

import pytest

from projections.catalogue import CATALOGUE
from projections.schema import MEMORY_VERSION
from tests.projections.commands import forget, remember, update
from tests.projections.histories import World
from tests.projections.views import rows
from workers.catch_up import Follower

RECORDS = CATALOGUE[0]


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_no_row_lies_beyond_the_checkpoint_also_where_a_memory_is_folded_anew(engine, mode):
    # Given a log that goes on after one of a memory's versions was forgotten
    log = (
        World()
        .given(
            [
                remember("One"),
                update(0, add_tags=["red"]),
                forget(0, mode, scope="event", version=0),
                update(0, add_tags=["blue"]),
                remember("Other"),
            ]
        )
        .log
    )
    follower = Follower(RECORDS, 0, log, engine)
    reached, before = 0, -1
    # When it is followed event by event
    while reached != before:
        before, reached = reached, follower.advance(reached, 1)
        # Then what is written has been reached
        positions = [row["position"] for row in rows(engine, MEMORY_VERSION)]
        assert max(positions, default=0) <= reached
    assert reached == log.head()
    assert len(positions) == 5
