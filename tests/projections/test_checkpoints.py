"""How far a projection has seen the log, and what happens when the log became shorter."""

from __future__ import annotations

import pytest

from projections import checkpoints
from projections.catalogue import CATALOGUE
from projections.checkpoints import ViewsAheadError
from projections.database import part_in, reading, writing
from tests.projections.commands import recall, remember
from tests.projections.histories import World
from tests.projections.views import follow, positions, rows

RECORDS = CATALOGUE[0]


def reconcile(engine, head):
    with writing(engine) as connection:
        return checkpoints.reconcile(connection, RECORDS, part_in(engine, "acme"), head, 1)


def test_a_projection_that_has_not_begun_stands_at_0(engine):
    with reading(engine) as connection:
        assert checkpoints.position(connection, RECORDS, 0) == 0


def test_each_part_has_its_own_checkpoint(engine):
    with writing(engine) as connection:
        checkpoints.move(connection, RECORDS, 1, 7, 1)

    with reading(engine) as connection:
        assert checkpoints.position(connection, RECORDS, 1) == 7
        assert checkpoints.position(connection, RECORDS, 0) == 0


def test_a_checkpoint_within_the_log_stays(engine):
    log = World().given([remember("Tea")]).log
    reached = follow(log, engine)

    assert reconcile(engine, log.head() + 5) == reached


def test_positions_of_recalls_that_a_power_cut_took_are_given_again_and_seen(engine):
    world = World().given([remember("Tea"), recall(), recall()])
    follow(world.log, engine)
    world.log.lose_tail(2)

    assert reconcile(engine, world.log.head()) == world.log.head()

    world.given([remember("Cake")])
    follow(world.log, engine)
    assert len(rows(engine)) == 2
    assert positions(engine)["records"] == world.log.head()


def test_read_models_of_another_log_are_refused(engine):
    follow(World().given([remember("Tea"), remember("Cake")]).log, engine)

    with pytest.raises(ViewsAheadError, match="rebuild"):
        reconcile(engine, 1)
