"""What PostgreSQL does differently, and must not: text, numbers, order, states, roles."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import exc, insert, select, update

from domain.errors import MemorandaError
from domain.instants import FOREVER
from projections import documents, views_postgres
from projections.columns import escaped, unescaped
from projections.database import ViewsFormatError, open_views, reading, writing
from projections.generations import GENERATION
from projections.schema import DEGREE, MEMORY_TAG
from projections.views_postgres import open_owner, open_reader
from tests.projections.commands import forget, relate, remember
from tests.projections.databases import Postgres, using
from tests.projections.histories import World
from tests.projections.views import follow, rows, tables
from tests.services.databases import run_as_admin
from tests.services.ports import wait_until

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NASTY = ANY_TEXT | st.text(st.sampled_from("\x00\x01\x02a"), max_size=6)


@pytest.fixture(scope="module", autouse=True)
def database(views_in_postgres):
    with using(views_in_postgres):
        yield views_in_postgres


@pytest.fixture(scope="module")
def url(database: Postgres):
    return database.url


@contextmanager
def opened(engine):
    try:
        yield engine
    finally:
        engine.dispose()


@pytest.fixture
def live(url):
    """The live generation, for a writer."""
    with opened(open_views(url)) as engine:
        with writing(engine) as connection:
            for table in (DEGREE, MEMORY_TAG):
                connection.execute(table.delete())
        yield engine


@pytest.fixture
def reader(url):
    with opened(open_reader(url)) as engine:
        yield engine


def degree(node, edges=1):
    return {"workspace": "w", "node": node, "scope": "", "edges": edges}


def counted(connection):
    return len(connection.execute(select(DEGREE)).all())


# --- Text and numbers -----------------------------------------------------------------------------


@given(NASTY, NASTY)
def test_text_that_postgresql_cannot_store_is_told_apart_and_keeps_its_order(one, other):
    stored = [escaped(one), escaped(other)]

    assert "\x00" not in "".join(stored)
    assert [unescaped(said) for said in stored] == [one, other]
    assert (stored[0] < stored[1]) == (one < other)


@pytest.mark.parametrize("said", ["\x00", "a\x00\x01b", "\x01\x01", "\U0010ffff", "Ä", "a\u0308"])
def test_every_text_comes_back_and_is_found(live, said):
    row = {"workspace": said, "memory_id": "m", "tag": said}
    with writing(live) as connection:
        connection.execute(insert(MEMORY_TAG), row)

    assert rows(live, MEMORY_TAG, tag=said, workspace=said) == [row]


def test_text_is_sorted_by_code_points_as_everywhere_else(live):
    words = ["b", "B", "a", "ä", "Z", "a b", "ab", "\uffff", "\U0001f600", "", "é", "e\u0301"]
    with writing(live) as connection:
        connection.execute(insert(DEGREE), [degree(word) for word in words])

    with reading(live) as connection:
        found = list(connection.scalars(select(DEGREE.c.node).order_by(DEGREE.c.node)))
    assert found == sorted(words)


def test_the_largest_position_and_instant_fit(live):
    with writing(live) as connection:
        connection.execute(insert(DEGREE), degree("n", FOREVER))

    assert rows(live, DEGREE, edges=FOREVER) == [degree("n", FOREVER)]


def test_an_empty_list_finds_nothing(live):
    with reading(live) as connection:
        assert connection.execute(select(DEGREE).where(DEGREE.c.node.in_([]))).all() == []


@pytest.mark.parametrize("letters", [range(0x20000, 0x20400), range(0x80, 0x700), range(2)])
def test_the_longest_names_fit_the_indexes(live, letters):
    # Random text: PostgreSQL would compress another one before it finds it too long.
    size = len(chr(letters[-1]).encode())
    dice = random.Random(1)
    mixed = "".join(chr(dice.choice(letters)) for _ in range(1024 // size))
    long = mixed[: 256 // size]
    world = World()
    world.given(
        [
            remember(
                said={"workspace": long, "actor": long},
                identity_key=mixed,
                kind=mixed,
                tags=[long],
                provenance=[{"source_id": mixed}],
            )
        ]
    )

    follow(world.log, live)

    [found] = rows(live, workspace=long)
    assert (found["identity_key"], found["kind"]) == (mixed, mixed)


@pytest.mark.parametrize("characters", [1, 2_000])
def test_a_batch_that_is_too_long_for_one_statement_is_written_in_several(
    database, monkeypatch, characters
):
    world = World().given([remember(f"{number}\x00\\u0000\x01" * 50) for number in range(9)])
    world.given([relate(), forget(0), forget(1)])
    with database.new_views() as whole, database.new_views() as parts:
        follow(world.log, whole)
        monkeypatch.setattr(documents, "CHARACTERS_MAX", characters)
        follow(world.log, parts)

        assert tables(parts) == tables(whole)
        assert len(rows(parts)) == 11


# --- States ---------------------------------------------------------------------------------------


def test_a_reader_sees_one_state_while_a_writer_commits(live, reader):
    with reading(reader) as connection:
        assert counted(connection) == 0
        with writing(live) as writer:
            writer.execute(insert(DEGREE), degree("n"))

        assert counted(connection) == 0

    with reading(reader) as connection:
        assert counted(connection) == 1


def test_an_exception_takes_everything_back(live):
    def write_and_fail():
        with writing(live) as connection:
            connection.execute(insert(DEGREE), degree("n"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()

    assert rows(live, DEGREE) == []


def test_a_writer_waits_for_a_flip_and_goes_on_in_the_new_generation(database, live, url):
    """The row of the live generation is what a writer and a flip take turns by."""
    other = database.another()
    owner = open_owner(url)
    seen = []

    def write():
        with writing(live) as connection:
            seen.append(connection.get_execution_options()["schema_translate_map"][None])

    writer = threading.Thread(target=write)
    with opened(owner), owner.connect() as flip:
        assert database.flip(flip, other) == 1
        writer.start()
        wait_until(lambda: _waits(url), "the writer to wait")
        assert seen == []
        flip.commit()
        writer.join()
        with flip.begin():
            assert database.flip(flip, 1) == other

    assert seen == [f"memoranda_views_{other}"]


def _waits(url):
    with psycopg.connect(url) as connection:
        asked = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype <> 'advisory'"
        return connection.execute(asked).fetchone() != (0,)


def test_report_where_no_read_models_are_a_reader_is_told_what_to_do(live, reader, url):
    owner = open_owner(url)
    with opened(owner), owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind=GENERATION.c.kind + "0"))
    try:
        for engine, begin in ((reader, reading), (live, writing)):
            with pytest.raises(ViewsFormatError, match="memoranda rebuild"), begin(engine):
                pass
    finally:
        run_as_admin(url, "UPDATE memoranda_views.generation SET kind = rtrim(kind, '0')")


# --- Connections ----------------------------------------------------------------------------------


def test_a_reader_can_change_nothing(reader):
    with reading(reader) as connection, pytest.raises(exc.DBAPIError, match="read-only"):
        connection.execute(insert(DEGREE), degree("n"))
    with reader.connect() as connection:
        connection.execution_options(postgresql_readonly=False)
        with pytest.raises(exc.DBAPIError, match="permission denied"):
            connection.exec_driver_sql("DELETE FROM memoranda_views.degree")


def test_a_writer_cannot_change_tables(live):
    with writing(live) as connection, pytest.raises(exc.DBAPIError, match="must be owner"):
        connection.exec_driver_sql("DROP TABLE memoranda_views.degree")


def test_a_question_that_takes_too_long_ends(url, monkeypatch):
    monkeypatch.setattr(
        views_postgres, "READING", {**views_postgres.READING, "statement_timeout": "50ms"}
    )
    with (
        opened(open_reader(url)) as reader,
        reading(reader) as connection,
        pytest.raises(exc.OperationalError, match="statement timeout"),
    ):
        connection.exec_driver_sql("SELECT pg_sleep(30)")


def test_a_connection_that_the_server_ended_is_not_noticed(live, reader, url):
    for engine, begin in ((reader, reading), (live, writing)):
        with begin(engine) as connection:
            pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        run_as_admin(url, f"SELECT pg_terminate_backend({pid}, 5000)")

        with begin(engine) as connection:
            assert counted(connection) == 0


def test_more_questions_than_connections_are_told_to_come_again(url, monkeypatch):
    monkeypatch.setattr(views_postgres, "POOL_WAIT_SECONDS", 0.05)
    with (
        opened(open_reader(url, connections_max=1)) as reader,
        reading(reader),
        pytest.raises(MemorandaError, match="in use") as refused,
        reading(reader),
    ):
        pass
    assert refused.value.retry_after == 1


# --- Tables ---------------------------------------------------------------------------------------

CATALOG = """
SELECT c.relname, c.relkind, coalesce(replace(pg_get_indexdef(c.oid), n.nspname, 'its'), ''),
  (SELECT array_agg((a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname)
                    ORDER BY a.attnum)::text
   FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation
   WHERE a.attrelid = c.oid AND a.attnum > 0),
  array(SELECT x.privilege_type || ' to ' || x.grantee::regrole
        FROM aclexplode(c.relacl) x ORDER BY 1)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind IN ('r', 'i') AND c.relname NOT LIKE 'generation%%'
ORDER BY c.relname
"""


def test_the_migrated_tables_are_those_that_the_program_describes(database, url):
    number = database.another()
    with psycopg.connect(url) as connection:
        migrated, made = (
            connection.execute(CATALOG, [name]).fetchall()
            for name in ("memoranda_views", f"memoranda_views_{number}")
        )

    assert made
    assert migrated == made


def test_the_migrated_generation_is_the_live_one_of_this_program(live):
    with reading(live) as connection:
        translated = connection.get_execution_options()["schema_translate_map"]
    assert translated == {None: "memoranda_views"}
