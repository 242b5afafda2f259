"""Read models are built anew beside the live ones, which are read and written all the time."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import OperationalError

from ops import rebuild_postgres
from ops.generation_switch import drop_retired
from ops.rebuild_postgres import rebuild_beside
from projections import views_postgres
from projections.catalogue import CATALOGUE
from projections.comparing import COMPARED
from projections.database import open_views, part_in, reading, writing
from projections.generations import GENERATION, KIND
from projections.schema import DEGREE, EDGE_VERSION, MEMORY_VERSION, METADATA
from projections.unusable import ViewsDifferError
from projections.views_postgres import of_generation, open_owner, open_reader
from tests.projections import commands
from tests.projections.commands import forget, relate, remember
from tests.projections.databases import Sqlite, using
from tests.projections.histories import World
from tests.projections.rebuilding import big_world
from tests.projections.views import all_text, deliver, follow, rows, tables
from tests.services import fork_server
from tests.services.ports import wait_until
from workers.catch_up import catch_up

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def database():
    """Logs have as many parts as in PostgreSQL; each test has a database of its own."""
    with using(Sqlite(parts=64)) as database:
        yield database


@pytest.fixture
def url(postgres_url):
    return postgres_url


@pytest.fixture
def engines(url):
    made = open_views(url), open_reader(url), open_owner(url)
    yield made
    for engine in made:
        engine.dispose()


@pytest.fixture
def views(engines):
    return engines[0]


@pytest.fixture
def reader(engines):
    return engines[1]


@pytest.fixture
def owner(engines):
    return engines[2]


def silent(done, total):
    """No progress wanted."""


def generations(owner):
    with owner.begin() as connection:
        found = select(GENERATION.c.number, GENERATION.c.state).order_by(GENERATION.c.number)
        return [tuple(row) for row in connection.execute(found)]


def schemas(owner):
    with owner.begin() as connection:
        asked = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'memoranda_views%%' ORDER BY 1"
        return list(connection.exec_driver_sql(asked).scalars())


def in_live(views, statement, **said):
    with writing(views) as connection:
        assert connection.execute(statement, said).rowcount


# --- The flip -------------------------------------------------------------------------------------


def test_what_is_built_anew_is_live_and_the_old_tables_are_gone(url, views, reader, owner):
    world = big_world()
    follow(world.log, views)
    before = tables(views)

    assert rebuild_beside(world.log, url, silent) == world.log.head()

    assert generations(owner) == [(2, "live")]
    assert schemas(owner) == ["memoranda_views", "memoranda_views_2"]
    assert tables(reader) == tables(of_generation(views, 2)) == before
    # and once more, which leaves nothing of the one before
    assert rebuild_beside(world.log, url, silent) == world.log.head()
    assert schemas(owner) == ["memoranda_views", "memoranda_views_3"]
    world.run([remember("Later")])
    follow(world.log, views)
    assert "Later" in all_text(reader)


def test_an_empty_log_can_be_rebuilt(url, views, owner):
    assert rebuild_beside(World().log, url, silent) == 0
    assert generations(owner) == [(2, "live")]


def test_what_comes_meanwhile_is_in_it(url, views, reader, monkeypatch, request):
    waiting = {**views_postgres.WRITING, "lock_timeout": "20ms"}
    monkeypatch.setattr(views_postgres, "WRITING", waiting)
    impatient = open_views(url)
    request.addfinalizer(impatient.dispose)
    world = big_world()
    follow(world.log, views)
    coming = iter(range(20))

    def one_more(done, total):
        number = next(coming, None)
        if number is not None:
            world.run([remember(f"Meanwhile {number}"), relate(0, number)])
            if number % 5 == 0:
                world.run([forget(number)])
            with suppress(OperationalError):
                # It waits, at its end in vain, while a rebuild catches up with it.
                follow(world.log, impatient)

    rebuild_beside(world.log, url, one_more, batch=7)
    follow(world.log, views)

    assert "Meanwhile 19" in all_text(reader)
    with Sqlite().new_views() as engine:
        deliver(world.log, engine, [])
        assert tables(reader) == tables(engine)


@pytest.mark.parametrize("compare", [True, False])
@pytest.mark.parametrize("followed", [0, 1])
def test_where_no_worker_follows_a_rebuild_does(url, views, reader, followed, compare):
    world = big_world()
    if followed:
        catch_up(CATALOGUE[0], part_in(views, "acme"), world.log, views, 7, once())

    assert rebuild_beside(world.log, url, silent, compare=compare) == world.log.head()

    with Sqlite().new_views() as engine:
        deliver(world.log, engine, [])
        assert tables(reader) == tables(engine)


def once():
    """Says to stop after one batch."""
    answers = iter([False])
    return lambda: next(answers, True)


def test_progress_grows_and_ends_where_the_live_tables_stand(url, views):
    world = big_world()
    follow(world.log, views)
    told = []

    rebuild_beside(world.log, url, lambda *said: told.append(said), batch=5)

    assert len(told) > 20
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_a_reader_sees_no_error_and_no_mixed_answer(url, views, reader):
    """The old rows are marked; each answer is read in many statements, with flips in between."""
    world = big_world()
    follow(world.log, views)
    ended, answers, failures = threading.Event(), [], []

    def mark(generation):
        with writing(views) as connection:
            for table in (MEMORY_VERSION, EDGE_VERSION):
                connection.execute(update(table).values(correlation=str(generation)))

    def ask():
        try:
            while not ended.is_set():
                with reading(reader) as connection:
                    answers.append(
                        {
                            said
                            for _ in range(5)
                            for table in (MEMORY_VERSION, EDGE_VERSION)
                            for said in connection.scalars(select(table.c.correlation).distinct())
                        }
                    )
        except BaseException as error:
            failures.append(error)
            raise

    mark("old 0")
    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    for number in range(1, 4):
        rebuild_beside(world.log, url, silent, compare=False)
        mark(f"old {number}")
    ended.set()
    for asker in askers:
        asker.join()

    assert failures == []
    seen = [answer if len(answer) > 1 else next(iter(answer)) for answer in answers]
    # Between a flip and its mark the rows are as the log says: each of its own request.
    assert {said for said in seen if isinstance(said, str)} <= {f"old {n}" for n in range(4)}
    plain = {event.context.correlation for event in world.log.after(0, 10**6)}
    assert all(said <= plain for said in seen if isinstance(said, set))


def test_a_retired_generation_is_not_dropped_while_it_is_read(url, views, reader, owner):
    world = big_world()
    follow(world.log, views)
    before = len(rows(views))
    # A transaction that has looked up which generation is live, and nothing else yet
    with reading(reader) as connection:
        done = threading.Thread(target=rebuild_beside, args=(world.log, url, silent))
        done.start()
        wait_until(lambda: (2, "live") in generations(owner), "the flip")

        done.join(1.0)
        assert done.is_alive()
        assert connection.scalar(select(func.count()).select_from(MEMORY_VERSION)) == before
        assert generations(owner) == [(1, "retired"), (2, "live")]
    done.join()

    assert generations(owner) == [(2, "live")]


def test_a_retired_generation_that_is_read_for_too_long_is_dropped_later(url, views, reader, owner):
    world = big_world()
    with reading(reader) as connection:
        connection.scalar(select(func.count()).select_from(MEMORY_VERSION))
        with owner.begin() as flipping:
            flipping.execute(update(GENERATION).values(state="retired"))
        assert drop_retired(owner, patience_s=0.1) == [1]

    assert rebuild_beside(world.log, url, silent) == world.log.head()
    assert [state for _, state in generations(owner)] == ["live"]


# --- Stopped and killed ---------------------------------------------------------------------------


def test_a_rebuild_that_is_killed_three_times_goes_on_where_it_was(url, views, reader, owner):
    world = big_world()
    follow(world.log, views)
    before = tables(views)
    reached = []
    for _ in range(3):
        with fork_server.Started(
            [sys.executable, "-m", "tests.projections.rebuilding", url],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            told = [int(process.stdout.readline().split()[0]) for _ in range(8)]
            process.kill()
        reached.append((told[0], told[-1]))
        assert generations(owner) == [(1, "live"), (2, "building")]

    firsts = [first for first, _ in reached]
    assert firsts == sorted(firsts)
    assert firsts[0] < firsts[-1]
    world.log.reads.clear()
    assert rebuild_beside(world.log, url, silent) == world.log.head()

    assert generations(owner) == [(2, "live")]
    assert tables(reader) == before
    assert next(position for position, count in world.log.reads if count) > 0


def stop_soon(world, url):
    """Rebuild a little."""
    told = []

    def stop():
        return len(told) > 8

    assert rebuild_beside(world.log, url, lambda *_: told.append(1), stop=stop, batch=3) is None


def test_a_rebuild_that_is_stopped_changes_nothing(url, views, owner):
    world = big_world()
    follow(world.log, views)
    stop_soon(world, url)

    assert generations(owner) == [(1, "live"), (2, "building")]
    assert rebuild_beside(world.log, url, silent) == world.log.head()


def test_two_rebuilds_at_once_do_one_after_the_other(url, views, reader, owner):
    world = big_world()
    follow(world.log, views)
    before = tables(views)
    reached = []
    threads = [
        threading.Thread(target=lambda: reached.append(rebuild_beside(world.log, url, silent)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert reached == [world.log.head()] * 2
    assert generations(owner) == [(3, "live")]
    assert tables(reader) == before


def test_what_was_begun_from_a_longer_log_is_thrown_away(url, views, owner):
    world = big_world()
    follow(world.log, views)
    stop_soon(world, url)
    shorter = World().given([remember("Tea")])
    with writing(views) as connection:
        for table in METADATA.sorted_tables:
            connection.execute(table.delete())
    follow(shorter.log, views)

    assert rebuild_beside(shorter.log, url, silent) == shorter.log.head()

    assert "Tea" in all_text(views)
    assert "Fact" not in all_text(views)


# --- Compared first -------------------------------------------------------------------------------

WRONG = {
    "memory_version": "UPDATE {} SET record = replace(record, 'Fact', 'Fake') WHERE version = 1",
    "memory_tag": "DELETE FROM {} WHERE tag = 't1'",
    "memory_source": "INSERT INTO {} VALUES ('acme', 'mem_x', 'somebody')",
    "edge_version": "UPDATE {} SET confidence = 0.1",
    "degree": "UPDATE {} SET edges = edges + 1",
    "bundle_concept": "UPDATE {} SET record = replace(record, 'Sky', 'Sea')",
    "bundle_claim": "UPDATE {} SET memory_id = 'mem_x'",
    "bundle_citation": "DELETE FROM {}",
    "bundle_window": "UPDATE {} SET mode = 'failed'",
    "bundle_stream": "UPDATE {} SET version = version + 1",
    "bundle_naming": "DELETE FROM {}",
    "bundle_forgotten": "DELETE FROM {}",
    "parked": "INSERT INTO {} VALUES ('records', 1, 1, 'acme', 'mem_x', 1, 'parked', 'E', 1, NULL)",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_row_stops_the_flip(url, views, owner, name):
    assert set(WRONG) == {table.name for table in COMPARED}
    world = big_world()
    follow(world.log, views)
    in_live(views, text(WRONG[name].format(f"memoranda_views.{name}")))
    before = tables(views)

    with pytest.raises(ViewsDifferError, match=f"in {name}") as refused:
        rebuild_beside(world.log, url, silent)

    assert generations(owner) == [(1, "live"), (2, "building")]
    assert tables(views) == before
    assert not any(word in str(refused.value) for word in ("Fact", "Fake", "t1", "somebody"))
    # and whoever knows that the live tables are wrong can have the new ones
    rebuild_beside(world.log, url, silent, compare=False)
    assert generations(owner) == [(2, "live")]
    assert tables(views) != before


@pytest.mark.parametrize("table", [MEMORY_VERSION, EDGE_VERSION, DEGREE])
def test_a_row_that_went_wrong_after_the_comparison_stops_the_flip_too(
    url, views, owner, table, monkeypatch
):
    world = big_world()
    follow(world.log, views)
    take_over = rebuild_postgres._Growing.take_over

    def later(growing, **how):
        world.run([commands.relate(1, 2), commands.update(3, add_tags=["x"])])
        follow(world.log, views)
        wrong = {"edges": DEGREE.c.edges + 1} if table is DEGREE else {"owner": "nobody"}
        in_live(views, update(table).values(wrong))
        return take_over(growing, **how)

    monkeypatch.setattr(rebuild_postgres._Growing, "take_over", later)
    with pytest.raises(ViewsDifferError, match=f"in {table.name}"):
        rebuild_beside(world.log, url, silent)

    assert generations(owner) == [(1, "live"), (2, "building")]


# --- Programs of two versions ---------------------------------------------------------------------

OLDER = "format/1 evidence/1 records/0"


def test_the_tables_of_an_older_program_stay_live_for_it(url, views, reader, owner):
    world = big_world()
    follow(world.log, views)
    before = tables(views)
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind=OLDER))

    rebuild_beside(world.log, url, silent)

    assert generations(owner) == [(1, "live"), (2, "live")]
    assert tables(reader) == before
    with owner.begin() as connection:
        kinds = connection.execute(select(GENERATION.c.kind).order_by(GENERATION.c.number))
        assert list(kinds.scalars()) == [OLDER, KIND]


def test_the_tables_of_an_older_program_can_be_dropped(url, views, owner):
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind=OLDER))

    rebuild_beside(big_world().log, url, silent, drop_older=True)

    assert generations(owner) == [(2, "live")]
    assert schemas(owner) == ["memoranda_views", "memoranda_views_2"]


def test_of_an_older_program_only_what_means_the_same_is_compared(url, views, owner):
    world = big_world()
    follow(world.log, views)
    in_live(views, text("UPDATE memoranda_views.memory_version SET repo = 'other'"))
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind=OLDER))
        connection.exec_driver_sql("ALTER TABLE memoranda_views.memory_version DROP COLUMN agent")

    rebuild_beside(world.log, url, silent)

    assert generations(owner) == [(1, "live"), (2, "live")]


def test_a_lost_row_of_an_older_program_stops_the_flip(url, views, owner):
    world = big_world()
    follow(world.log, views)
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind=OLDER))
        connection.exec_driver_sql("DELETE FROM memoranda_views.memory_version WHERE version = 2")

    with pytest.raises(ViewsDifferError, match="in memory_version"):
        rebuild_beside(world.log, url, silent)


def test_where_nothing_is_live_the_whole_log_is_followed(url, owner, reader, views):
    world = big_world()
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(state="retired"))

    assert rebuild_beside(world.log, url, silent) == world.log.head()

    assert len(rows(reader, to_position=None)) == len(world.memories)
