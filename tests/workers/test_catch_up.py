"""Catching up: whole batches, every event once, whatever holes and other topics lie between."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from sqlalchemy.exc import OperationalError

from domain.decisions import Fact
from projections.catalogue import CATALOGUE
from projections.database import writing
from projections.lineages import ProjectionGapError
from projections.schema import CHECKPOINT
from tests.projections.commands import burn, forget, recall, relate, remember, update
from tests.projections.histories import World
from tests.projections.memory_log import MemoryLog
from tests.projections.views import follow, positions, rows, tables
from workers.catch_up import Follower, catch_up

RECORDS, EVIDENCE, BUNDLES = CATALOGUE


def test_an_empty_log_is_caught_up_with_at_0(engine):
    assert catch_up(RECORDS, 0, MemoryLog(), engine) == 0
    assert rows(engine, CHECKPOINT) == []


@pytest.mark.parametrize("batch", [1, 7, 500])
def test_the_checkpoint_reaches_the_head_past_other_topics(engine, batch):
    # given a log whose last events are receipts and recalls
    log = World().given([remember("One"), remember("Other"), relate(), recall(), recall()]).log

    # when
    reached = follow(log, engine, batch)

    # then
    assert reached == log.head()
    assert positions(engine) == dict.fromkeys(("records", "evidence", "bundles"), log.head())


def test_events_of_another_topic_are_passed_without_being_read(engine):
    log = World().given([recall()] * 1_000).log

    follow(log, engine)

    assert log.reads == [(0, 0)] * len(CATALOGUE)


def test_only_the_events_of_a_part_are_handled(engine):
    world = World()
    d = world.decision({})
    remembered = World().given([remember("Tea")]).log.after(0, 1)[0]
    fact = Fact(remembered.stream, remembered.facts[0])
    world.log.append([fact], d.context.for_event(), d.now_us, part=3)

    assert catch_up(RECORDS, 0, world.log, engine) == 1
    assert rows(engine) == []
    assert catch_up(RECORDS, 3, world.log, engine) == 1
    assert len(rows(engine)) == 1


def test_following_goes_on_where_it_ended(engine):
    world = World().given([remember("One")])
    follow(world.log, engine)

    before = positions(engine)["records"]
    world.given([update(0, confidence=0.5)])
    world.log.reads.clear()
    follow(world.log, engine)

    assert world.log.reads == [(before, 1), (before, 0), (before, 0)]
    assert [row["version"] for row in rows(engine)] == [1, 2]


def test_stop_ends_between_two_batches_and_nothing_is_lost(engine):
    log = World().given([remember(f"Fact {number}") for number in range(10)]).log
    answers = iter([False, False, True])

    reached = catch_up(RECORDS, 0, log, engine, 3, lambda: next(answers))

    assert len(rows(engine)) == 6
    assert positions(engine) == {"records": reached}
    follow(log, engine)
    assert len(rows(engine)) == 10


def test_a_failing_batch_leaves_rows_and_checkpoint_as_they_were(engine):
    # given a batch of a good event and one whose predecessor vanished
    world = World().given([remember("One"), remember("Other"), update(1, confidence=0.5)])
    stopping = replace(RECORDS, poison="stop")
    reached = Follower(stopping, 0, world.log, engine).advance(0, 1)
    before = tables(engine)
    world.given([update(0, confidence=0.5)])
    world.log.drop(world.log.stream(*world.memories[1])[0].position)

    with pytest.raises(ProjectionGapError):
        catch_up(stopping, 0, world.log, engine)

    assert tables(engine) == before
    assert positions(engine) == {"records": reached}


def test_errors_of_the_database_are_raised_as_they_are(engine):
    log = World().given([remember("One", tags=["red"])]).log
    with writing(engine) as connection:
        connection.exec_driver_sql("DROP TABLE memory_tag")

    with pytest.raises(OperationalError, match="memory_tag"):
        catch_up(RECORDS, 0, log, engine)

    assert positions(engine) == {}


def test_two_followers_of_one_file_handle_every_event_once(engine):
    # given
    log = (
        World()
        .given(
            [
                command
                for n in range(150)
                for command in (remember(f"Fact {n}"), update(n, confidence=1))
            ]
        )
        .log
    )
    begin = threading.Barrier(2)
    failures = []

    def run():
        begin.wait()
        try:
            catch_up(RECORDS, 0, log, engine, 10)
        except Exception as error:  # noqa: BLE001 - asserted below
            failures.append(error)

    # when
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    # then
    assert failures == []
    assert len(rows(engine)) == 300
    assert positions(engine) == {"records": log.head()}


def test_a_follower_whose_checkpoint_was_moved_meanwhile_goes_on_from_there(engine):
    log = World().given([remember("One"), remember("Other")]).log
    slow = Follower(RECORDS, 0, log, engine)
    quick = Follower(RECORDS, 0, log, engine)
    assert slow.position() == quick.position() == 0

    reached = quick.advance(0, 500)

    assert slow.advance(0, 500) == reached
    assert len(rows(engine)) == 2


@pytest.mark.parametrize("hole", [1, 100, 101, 500, 10_000])
@pytest.mark.parametrize("batch", [1, 100, 500])
def test_report_52_holes_of_any_size_stop_nothing(engine, hole, batch):
    log = World().given([remember("One"), burn(hole), remember("Other"), burn(hole)]).log

    assert follow(log, engine, batch) == log.head()

    assert len(rows(engine)) == 2


def test_report_52_a_log_that_begins_late_loses_nothing(engine):
    world = World(log=MemoryLog(first_position=4_000)).given([remember("One"), remember("Other")])

    assert follow(world.log, engine) == world.log.head() > 4_000

    assert rows(engine)[0]["position"] == 4_000


def test_report_53_aborted_appends_do_not_shift_the_position(engine):
    # given five appends that took positions and failed
    world = World().given([remember("One"), *[burn(1)] * 5, remember("Other")])

    # when
    follow(world.log, engine)

    # then the position is that of the log, and a restart handles nothing again
    assert positions(engine)["records"] == world.log.head()
    handled = []
    counting = replace(RECORDS, apply=lambda _, events, __: handled.extend(events))
    catch_up(counting, 0, world.log, engine)
    assert handled == []


def test_report_46_an_event_after_a_hole_is_handled_once_however_often_the_end_was_seen(engine):
    world = World().given([remember("One")])
    follow(world.log, engine)
    follow(world.log, engine)
    world.given([burn(1), remember("Other")])

    follow(world.log, engine)
    follow(world.log, engine)

    assert len(rows(engine)) == 2


@pytest.mark.parametrize("batch", [1, 500])
def test_report_69_a_follower_that_lost_its_place_repeats_without_effect(engine, batch):
    # given a follower that is killed after its rows were written elsewhere: the checkpoint is old
    world = World().given([remember("One"), remember("Other"), relate(), forget(1)])
    follow(world.log, engine)
    before = tables(engine)
    with writing(engine) as connection:
        connection.execute(CHECKPOINT.delete())

    # when
    follow(world.log, engine, batch)

    # then
    assert tables(engine) == before
