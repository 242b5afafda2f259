"""What an erasure leaves in the schemas of the read models: nothing that a query can find."""

from __future__ import annotations

import threading

import psycopg
import pytest
from sqlalchemy import update

from commands.erasure_steps import NotYetError
from ops import erasing_postgres
from ops.erasing_postgres import PostgresReadSideCleaner
from ops.generation_switch import alone
from ops.rebuild_postgres import rebuild_beside
from ops.recall_index import RecallIndex
from projections.database import open_views, reading
from projections.generations import GENERATION
from projections.index_store import IndexStore
from projections.schema import METADATA
from projections.views_postgres import of_generation, open_owner, open_reader
from read_api.memtables import Memtables
from read_api.underway import Underway
from tests.projections.commands import forget, properties, relate, remember
from tests.projections.databases import Sqlite, using
from tests.projections.histories import World
from tests.projections.views import all_text, follow
from tests.services.databases import of_database, run_as_admin

WORD = "Rosebud"


class Following:
    """Workers that follow at once."""

    def __init__(self, world, views):
        self.world, self.views, self.follows = world, views, True

    def wait_for(self, workspace, position, timeout_s):
        return follow(self.world.log, self.views) if self.follows else 0


@pytest.fixture
def url(postgres_url):
    return postgres_url


@pytest.fixture
def world():
    with using(Sqlite(parts=64)):
        return World().run(
            [
                remember(
                    properties(note=f"{WORD} {'x' * 5000}", slot=WORD),
                    tags=[WORD],
                    kind=WORD,
                    identity_key=WORD,
                    provenance=[{"source_id": WORD}],
                ),
                *(remember(f"Fact {number}") for number in range(50)),
                relate(),
            ]
        )


@pytest.fixture
def views(url, world):
    engine = open_views(url)
    follow(world.log, engine)
    yield engine
    engine.dispose()


@pytest.fixture
def reader(url):
    engine = open_reader(url)
    yield engine
    engine.dispose()


@pytest.fixture
def cleaner(world, views, monkeypatch):
    monkeypatch.setattr(erasing_postgres, "PATIENCE_SECONDS", 0.1)
    following = Following(world, views)
    return PostgresReadSideCleaner(
        views, following, RecallIndex(IndexStore(views), None), Memtables(world.log), Underway()
    )


def forgotten(world):
    world.given([forget(0, "application_delete")])
    world.destroy_keys()
    return {"acme": world.log.head()}


def dead_rows(databases, url):
    """How many rows are kept that nobody can see, in all tables and their long texts."""
    name = url.rpartition("/")[2]
    admin = of_database(databases.admin_url, name)
    run_as_admin(admin, "CREATE EXTENSION IF NOT EXISTS pgstattuple")
    with psycopg.connect(admin) as connection:
        asked = """
            SELECT coalesce(sum((pgstattuple(c.oid)).dead_tuple_count), 0)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 't') AND (n.nspname LIKE 'memoranda_views%' OR c.oid IN (
              SELECT t.reltoastrelid FROM pg_class t JOIN pg_namespace m ON m.oid = t.relnamespace
              WHERE m.nspname LIKE 'memoranda_views%'))
        """
        [count] = connection.execute(asked).fetchone()
        return count


def rebuild_in_part(world, url):
    """What an interrupted rebuild leaves, with the word in it."""
    told = []

    def stop():
        return len(told) > 2

    assert rebuild_beside(world.log, url, lambda *_: told.append(1), stop=stop, batch=20) is None


def test_a_forgotten_memory_is_in_no_row_and_in_no_row_that_is_kept(
    databases, url, world, views, cleaner
):
    assert WORD in all_text(views)
    said = forgotten(world)
    follow(world.log, views)
    assert dead_rows(databases, url) > 0

    cleaner.clear_views(said)

    assert WORD not in all_text(views)
    assert dead_rows(databases, url) == 0


def test_the_step_waits_for_those_who_follow(world, cleaner):
    cleaner.following.follows = False

    with pytest.raises(NotYetError, match="not seen the forget"):
        cleaner.clear_views(forgotten(world))


def test_the_step_waits_for_who_asked_before(databases, url, world, views, reader, cleaner):
    with reading(reader) as connection:
        for table in METADATA.sorted_tables:
            connection.execute(table.select())
        said = forgotten(world)

        with pytest.raises(NotYetError, match="asked before"):
            cleaner.clear_views(said)

    cleaner.clear_views(said)
    assert dead_rows(databases, url) == 0


def test_what_an_interrupted_rebuild_left_is_emptied(url, world, views, cleaner):
    rebuild_in_part(world, url)
    building = of_generation(views, 2)
    assert WORD in all_text(building)

    cleaner.clear_views(forgotten(world))

    assert WORD not in all_text(building)
    assert rebuild_beside(world.log, url, lambda *_: None) == world.log.head()
    assert WORD not in all_text(views)


def test_the_step_waits_for_a_rebuild_that_has_not_seen_the_forget(url, world, views, cleaner):
    rebuild_in_part(world, url)
    said = forgotten(world)
    owner = open_owner(url)
    with alone(owner), pytest.raises(NotYetError, match="rebuild is under way"):
        cleaner.clear_views(said)
    owner.dispose()

    cleaner.clear_views(said)


def test_tables_of_an_older_program_have_to_see_the_forget_too(url, world, views, cleaner):
    owner = open_owner(url)
    with owner.begin() as connection:
        connection.execute(update(GENERATION).values(kind="format/1 evidence/1 records/1"))
    rebuild_beside(world.log, url, lambda *_: None)

    with pytest.raises(NotYetError, match="--drop-older"):
        cleaner.clear_views(forgotten(world))

    rebuild_beside(world.log, url, lambda *_: None, drop_older=True)
    cleaner.clear_views({"acme": world.log.head()})
    owner.dispose()


def test_a_user_who_may_not_vacuum_is_told_what_to_do(databases, url, world, views, cleaner):
    said = forgotten(world)
    follow(world.log, views)
    name = url.rpartition("/")[2]
    run_as_admin(
        of_database(databases.admin_url, name),
        "REVOKE MAINTAIN ON ALL TABLES IN SCHEMA memoranda_views FROM memoranda_app",
    )

    with pytest.raises(NotYetError, match="cannot be vacuumed"):
        cleaner.clear_views(said)


def test_two_processes_may_clear_at_once(world, views, cleaner):
    said = forgotten(world)
    follow(world.log, views)
    failures = []

    def clear():
        try:
            cleaner.clear_views(said)
        except Exception as error:  # noqa: BLE001 - asserted below
            failures.append(error)

    threads = [threading.Thread(target=clear) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(isinstance(error, NotYetError) for error in failures)
    assert len(failures) < 2
