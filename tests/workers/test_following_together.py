"""Jobs, notifier, sweeper and waiting readers over a real PostgreSQL and a real Redis."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from rq import SimpleWorker
from rq.serializers import JSONSerializer
from sqlalchemy.exc import OperationalError

from domain.parts import part_of_workspace
from projections import checkpoints
from projections.catalogue import CATALOGUE
from projections.checkpoints import BusyError
from projections.database import reading, writing
from read_api.list_filters import MemoryFilters
from read_api.records import Records
from tests.circumstances import context as circumstances
from tests.projections.commands import forget, relate, remember, update
from tests.projections.views import rows, tables
from tests.workers.black_hole import black_hole, nobody
from tests.workers.failing import poisoned, release
from tests.workers.server_log import (
    LONG,
    assert_each_once_and_in_order,
    make_witness,
    until,
    witnessed,
)
from tests.workers.witness import witness
from workers import jobs
from workers.catch_up import Follower, catch_up
from workers.doorbell import Doorbell, Rung, label, open_redis, queue_of, wake_key
from workers.notifier import Notifier
from workers.sweeper import Periodic, Sweeper
from workers.waiting import WorkersElsewhere

RECORDS, EVIDENCE, BUNDLES = CATALOGUE
ACME, OTHER = part_of_workspace("acme", 64), part_of_workspace("other", 64)


@pytest.fixture
def away():
    made = Doorbell(open_redis(nobody()))
    yield made
    made.close()


def work(redis, bench):
    """Do all queued jobs, as a worker does."""
    jobs.serve(bench)
    SimpleWorker([queue_of(redis)], connection=redis, serializer=JSONSerializer).work(
        burst=True, logging_level="ERROR"
    )


def position(views, projection, part):
    with reading(views) as connection:
        return checkpoints.position(connection, projection, part)


def begin(views):
    with writing(views) as connection:
        checkpoints.begin(connection, RECORDS, ACME)


def facts(count, workspace="acme"):
    return [remember(f"Fact {number}", said={"workspace": workspace}) for number in range(count)]


# --- The checkpoint -------------------------------------------------------------------------------


def test_who_holds_a_checkpoint_holds_it_alone_until_the_transaction_ends(world, log, views):
    world.given(facts(3))
    begin(views)
    with writing(views) as held:
        checkpoints.take(held, RECORDS, ACME)
        with pytest.raises(BusyError):
            catch_up(RECORDS, ACME, log, views)
        # Other parts and projections are nobody's business
        catch_up(RECORDS, OTHER, log, views)
        catch_up(EVIDENCE, ACME, log, views)
    assert catch_up(RECORDS, ACME, log, views) == log.head()
    assert len(rows(views)) == 3


def test_many_followers_of_one_part_handle_every_event_once_and_in_order(
    world, log, views, postgres_url
):
    world.given([*facts(30), *(update(number, add_tags=["x"]) for number in range(30))])
    make_witness(postgres_url)
    projection = witness()
    begin, failures = threading.Barrier(4), []

    def run():
        begin.wait()
        while position(views, projection, ACME) < log.head():
            try:
                catch_up(projection, ACME, log, views, 3)
            except BusyError:
                continue
            except Exception as error:  # noqa: BLE001 - asserted below
                failures.append(error)
                return

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)

    assert failures == []
    assert_each_once_and_in_order(postgres_url, log, projection)


def test_what_is_parked_and_released_is_the_same_in_postgresql(world, log, views):
    world.given([*facts(2), relate(0, 1), update(1, add_tags=["x"])])
    first = log.stream(*world.memories[1])[0].position
    projection = poisoned(RECORDS, [first])
    catch_up(projection, ACME, log, views, pause=lambda _: None)
    assert {row["memory_id"] for row in rows(views)} == {world.memories[0][1]}

    projection.apply.positions.clear()
    release(world, "retry", world.memories[1])
    catch_up(projection, ACME, log, views)

    assert {row["memory_id"] for row in rows(views)} == {one for _, one in world.memories}
    assert tables(views)["parked"] == []


# --- Jobs -----------------------------------------------------------------------------------------


def test_a_job_follows_the_log_to_its_head_and_lets_itself_be_woken_again(
    world, log, views, redis, doorbell
):
    world.given([*facts(5), relate(0, 1)])
    for projection in CATALOGUE:
        doorbell.ring(projection, ACME)

    work(redis, jobs.Bench(log.site(views), doorbell))

    assert position(views, RECORDS, ACME) == position(views, EVIDENCE, ACME) == log.head()
    assert len(rows(views)) == 5
    assert redis.keys("memoranda:*") == []
    assert redis.keys("rq:job:*") == []


def test_a_job_that_takes_too_long_goes_on_in_another_one(world, log, views, redis, doorbell):
    world.given(facts(3))
    jobs.serve(jobs.Bench(log.site(views), doorbell, budget_seconds=0))

    jobs.catch_up(label(RECORDS), ACME)

    assert position(views, RECORDS, ACME) == 0
    assert [job.args for job in queue_of(redis).jobs] == [[label(RECORDS), ACME]]


def test_a_job_leaves_to_another_worker_what_that_one_is_at(world, log, views, redis, doorbell):
    world.given(facts(3))
    begin(views)
    with writing(views) as held:
        checkpoints.take(held, RECORDS, ACME)
        jobs.serve(jobs.Bench(log.site(views), doorbell))
        jobs.catch_up(label(RECORDS), ACME)
    assert position(views, RECORDS, ACME) == 0


def test_a_job_of_another_version_of_a_projection_does_nothing(log, views, redis, doorbell):
    jobs.serve(jobs.Bench(log.site(views), doorbell))

    jobs.catch_up("records/99", ACME)

    assert rows(views) == []


def test_what_a_job_raises_says_no_more_than_the_class_of_the_error(world, log, views, doorbell):
    world.given([remember("Rosebud")])

    def fail(_, events, __):
        if events:
            raise OperationalError("Rosebud", {"content": "Rosebud"}, Exception("Rosebud"))

    jobs.serve(jobs.Bench(log.site(views, (replace(RECORDS, apply=fail),)), doorbell))
    with pytest.raises(jobs.JobFailedError) as raised:
        jobs.catch_up(label(RECORDS), ACME)

    assert str(raised.value) == f"records/2, part {ACME}: OperationalError"
    assert raised.value.__suppress_context__


# --- The notifier ---------------------------------------------------------------------------------


def test_the_notifier_wakes_for_the_parts_that_grew(world, log, views, redis, doorbell):
    notifier = Notifier(log.site(views), doorbell)
    notifier.start()
    try:
        world.given(facts(2) + facts(1, "other"))
        notifier.wake(log.head())
        wanted = {(label(one), part) for one in CATALOGUE for part in (ACME, OTHER)}
        until(lambda: len(queue_of(redis).jobs) == len(wanted), "jobs")
        assert {tuple(job.args) for job in queue_of(redis).jobs} == wanted
    finally:
        notifier.stop()


def test_the_notifier_hurries_the_sweeper_where_redis_is_away(world, log, views, away):
    hurried = threading.Event()
    notifier = Notifier(log.site(views), away, hurried.set)
    notifier.start()
    try:
        world.given(facts(1))
        notifier.wake(log.head())
        assert hurried.wait(LONG)
    finally:
        notifier.stop()


# --- The sweeper ----------------------------------------------------------------------------------


def test_a_sweep_wakes_what_lags_and_nothing_else(world, log, views, redis, doorbell):
    world.given(facts(2) + facts(1, "other"))
    for projection in CATALOGUE:
        catch_up(projection, ACME, log, views)

    assert Sweeper(log.site(views), doorbell).sweep()

    assert {tuple(job.args) for job in queue_of(redis).jobs} == {
        (label(one), OTHER) for one in CATALOGUE
    }


def test_a_flushed_redis_costs_one_sweep(world, log, views, redis, doorbell):
    world.given(facts(2))
    doorbell.ring(RECORDS, ACME)
    redis.flushall()

    Sweeper(log.site(views), doorbell).sweep()
    work(redis, jobs.Bench(log.site(views), doorbell))

    assert position(views, RECORDS, ACME) == log.head()


def test_a_key_without_a_job_holds_up_nobody_for_long(world, log, views, redis, doorbell):
    # Given a notifier that died between the key and the job
    world.given(facts(1))
    redis.set(wake_key(label(RECORDS), ACME), "1", ex=1)
    sweeper = Sweeper(log.site(views), doorbell, every_seconds=(0.05, 0.1))
    sweeper.start()
    try:
        until(lambda: len(queue_of(redis).jobs) == 2, "a sweep")
    finally:
        sweeper.stop()


def test_a_sweep_follows_the_log_itself_while_redis_is_away(world, log, views, away):
    world.given([*facts(5), relate(0, 1), *facts(2, "other")])

    Sweeper(log.site(views), away).sweep()

    assert log.site(views).laggards() == []
    assert len(rows(views)) == 7
    assert away.state.errors == 1


def test_one_process_sweeps_at_a_time(world, log, views, doorbell):
    world.given(facts(1))
    inside, leave, others = threading.Event(), threading.Event(), []

    def stay():
        inside.set()
        assert leave.wait(LONG)

    first = Sweeper(log.site(views), doorbell, periodic=[Periodic("stay", 60, stay)])
    thread = threading.Thread(target=first.sweep)
    thread.start()
    assert inside.wait(LONG)

    others.append(Sweeper(log.site(views), doorbell).sweep())
    leave.set()
    thread.join(LONG)
    others.append(Sweeper(log.site(views), doorbell).sweep())

    assert others == [False, True]


def test_periodic_work_is_done_when_it_is_due_and_a_failure_stops_no_other(log, views, doorbell):
    done = []

    def fail():
        done.append("fails")
        raise ValueError("Rosebud")

    sweeper = Sweeper(
        log.site(views),
        doorbell,
        periodic=[
            Periodic("often", 0, lambda: done.append("often")),
            Periodic("fails", 0, fail),
            Periodic("seldom", 3600, lambda: done.append("seldom")),
        ],
    )
    sweeper.sweep()
    sweeper.sweep()

    assert done == ["often", "fails", "seldom", "often", "fails"]


def test_one_part_that_cannot_go_on_holds_up_no_other(world, log, views, away):
    world.given(facts(2) + facts(2, "other"))

    def fail(connection, events, read):
        if any(event.context.workspace == "acme" for event in events):
            raise OperationalError("", {}, Exception)
        RECORDS.apply(connection, events, read)

    Sweeper(log.site(views, (replace(RECORDS, apply=fail),)), away).sweep()

    assert position(views, RECORDS, OTHER) == log.head()
    assert position(views, RECORDS, ACME) == 0


# --- Readers --------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(log, views, doorbell):
    made = WorkersElsewhere.over(log.site(views), doorbell)
    yield made
    made.stop()


def test_a_reader_waits_for_its_own_workspace_and_no_other(world, log, views, elsewhere):
    # Given a part that nobody has followed, and one that was followed before the log grew
    world.given(facts(2))
    for projection in CATALOGUE:
        catch_up(projection, ACME, log, views)
    world.given(facts(3, "other"))
    head = log.head()

    assert elsewhere.wait_for("acme", head, 0.0) == head
    assert elsewhere.seen("other") == 0
    assert elsewhere.wait_for("other", head, 0.0) == 0
    assert elsewhere.position() == 0
    # A workspace that holds nothing has nothing to wait for
    assert elsewhere.wait_for("third", head, 0.0) == head
    # And who has time follows the log for its own workspace
    assert elsewhere.wait_for("other", head, LONG) == head


def test_a_reader_is_answered_when_a_worker_has_followed(world, log, views, redis, elsewhere):
    world.given(facts(2))
    answers = []
    reader = threading.Thread(
        target=lambda: answers.append(elsewhere.wait_for("acme", log.head(), LONG))
    )
    reader.start()
    elsewhere.start()
    elsewhere.wake(log.head())
    until(lambda: len(queue_of(redis).jobs) == len(CATALOGUE), "jobs")

    work(redis, jobs.Bench(log.site(views), elsewhere.doorbell))

    reader.join(LONG)
    assert answers == [log.head()]
    assert elsewhere.position() == log.head()
    assert elsewhere.parked() == {}


def test_health_is_told_how_the_doorbell_is_doing(log, views, doorbell, away):
    near, far = (WorkersElsewhere.over(log.site(views), one) for one in (doorbell, away))
    for one in (near, far):
        one.doorbell.ring(RECORDS, ACME)

    assert (near.doorbell_state.away, near.doorbell_state.errors) == (False, 0)
    assert far.doorbell_state.away
    assert (far.doorbell_state.errors, far.doorbell_state.last_error) == (1, "ConnectionError")


def test_a_reader_that_meets_a_failing_event_tries_it_once(world, log, views, doorbell):
    # Given an event that always fails, and readers that would follow the log themselves
    world.given(facts(1))
    projection = poisoned(RECORDS, [log.head() - 1])
    elsewhere = WorkersElsewhere.over(log.site(views, (projection,)), doorbell)

    assert elsewhere.wait_for("acme", log.head(), 0.3) == 0

    assert len(projection.apply.raised) == 1


def test_everybody_who_waits_is_answered_when_it_stops(log, elsewhere):
    elsewhere.start()
    answers = []
    reader = threading.Thread(
        target=lambda: answers.append(elsewhere.wait_for("acme", 10**9, LONG))
    )
    reader.start()

    elsewhere.stop()

    reader.join(LONG)
    assert answers == [0]


def test_nothing_is_lost_while_redis_is_away_and_nobody_is_told(world, log, views, away):
    elsewhere = WorkersElsewhere.over(log.site(views), away)
    elsewhere.start()
    try:
        world.given([*facts(10), forget(3)])
        elsewhere.wake(log.head())
        assert elsewhere.wait_for("acme", log.head(), LONG) >= log.head()
        assert elsewhere.doorbell.state.away
    finally:
        elsewhere.stop()
    assert len(rows(views)) == 11


def test_a_redis_that_hangs_holds_up_no_reader(world, log, views):
    with black_hole() as url:
        hung = Doorbell(open_redis(url))
        elsewhere = WorkersElsewhere.over(log.site(views), hung)
        elsewhere.start()
        try:
            world.given([*facts(3), *facts(3, "other")])
            elsewhere.wake(log.head())
            for workspace in ("acme", "other"):
                assert elsewhere.wait_for(workspace, log.head(), LONG) >= log.head()
            until(lambda: hung.state.away, "somebody to notice")
            assert hung.state.last_error == "TimeoutError"
        finally:
            elsewhere.stop()
            hung.close()
    assert len(rows(views)) == 6


def test_a_wake_is_not_slowed_by_a_redis_that_hangs(log, views, doorbell):
    # A wake only says that there is something to do: no Redis, no database, no lock that is held
    notifier = Notifier(log.site(views), doorbell)
    for number in range(10_000):
        notifier.wake(number)
    assert doorbell.state.errors == 0
    assert doorbell.ring(RECORDS, 1) is Rung.QUEUED


def test_a_follower_of_a_part_that_nobody_began_begins_at_0(world, log, views):
    world.given(facts(1))
    follower = Follower(RECORDS, ACME, log, views)
    assert follower.position() == 0
    assert follower.advance(0, 10) == log.head()


def test_the_witness_of_these_tests_counts_what_is_handled_twice(world, log, views, postgres_url):
    world.given(facts(2))
    make_witness(postgres_url)
    projection = witness()
    catch_up(projection, ACME, log, views)
    with writing(views) as connection:
        checkpoints.move(connection, projection, ACME, 0, 1)
    catch_up(projection, ACME, log, views)

    assert len(witnessed(postgres_url)) == 4
    with pytest.raises(AssertionError):
        assert_each_once_and_in_order(postgres_url, log, projection)


def test_an_answer_says_that_it_saw_what_it_waited_for_though_its_part_had_nothing_to_do(
    world, log, views, elsewhere
):
    # Given a part that was followed before others grew
    world.given(facts(1))
    elsewhere.wait_for("acme", log.head(), LONG)
    world.given(facts(1, "other"))
    context = circumstances(workspace="acme")
    knows = Records(views, lambda _: b"secret", lambda *_: None, elsewhere.seen)
    knows_not = Records(views, lambda _: b"secret", lambda *_: None)

    assert knows.memories(context, MemoryFilters())["position"] == log.head()
    assert knows_not.memories(context, MemoryFilters())["position"] < log.head()
