"""The file of read models: who may read it, and that what left its tables left it for good."""

from __future__ import annotations

import sqlite3
import stat

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import DatabaseError

from projections.database import ViewsFormatError, open_views, truncate_wal, writing
from projections.schema import DEGREE, FORMAT
from tests.projections.commands import forget, remember
from tests.projections.histories import World
from tests.projections.views import follow, rows


@pytest.fixture(scope="module", autouse=True)
def database():
    """These tests are about files."""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "views.db"


@pytest.fixture
def engine(path):
    engine = open_views(path)
    yield engine
    engine.dispose()


def on_disk(path):
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_only_the_owner_may_read_the_files(path, engine):
    follow(World().given([remember("Tea")]).log, engine)

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert modes == {"views.db": 0o600, "views.db-wal": 0o600, "views.db-shm": 0o600}


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("secure_delete", 1),
        ("synchronous", 1),
        ("foreign_keys", 1),
        ("temp_store", 2),
        ("trusted_schema", 0),
        ("user_version", FORMAT),
    ],
)
def test_every_connection_has_the_settings(engine, pragma, value):
    with engine.connect() as one, engine.connect() as other:
        for connection in (one, other):
            assert connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one() == value


def test_what_was_written_is_there_when_the_file_is_opened_again(path):
    engine = open_views(path)
    follow(World().given([remember("Tea")]).log, engine)
    engine.dispose()

    engine = open_views(path)

    assert len(rows(engine)) == 1
    engine.dispose()


def test_a_file_of_another_format_is_refused(path):
    open_views(path).dispose()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 4711")
    connection.close()

    with pytest.raises(ViewsFormatError, match="format 4711"):
        open_views(path)


def test_a_file_that_is_no_database_is_refused_as_it_is(path):
    path.write_bytes(b"no database" * 1000)

    with pytest.raises(DatabaseError):
        open_views(path)


def test_an_exception_takes_everything_back(engine):
    def write_and_fail():
        with writing(engine) as connection:
            connection.execute(insert(DEGREE).values(workspace="w", node="n", scope="", edges=1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()

    assert rows(engine, DEGREE) == []
    follow(World().given([remember("Tea")]).log, engine)
    assert len(rows(engine)) == 1


def test_a_reader_sees_one_state_while_a_writer_commits(engine):
    log = World().given([remember("Tea")]).log
    with engine.connect() as reader:
        count = "SELECT count(*) FROM memory_version"
        assert reader.exec_driver_sql(count).scalar_one() == 0

        follow(log, engine)

        assert reader.exec_driver_sql(count).scalar_one() == 0
    assert len(rows(engine)) == 1


@pytest.mark.parametrize("size", [1, 30_000])
def test_forgotten_text_leaves_the_files(path, engine, size):
    rosebud = "Rosebud " * size
    world = World().given([remember(rosebud, tags=["Rosebud"]), remember("Tea")])
    follow(world.log, engine)
    assert b"Rosebud" in on_disk(path)

    world.given([forget(0, "application_delete")])
    follow(world.log, engine)

    assert truncate_wal(engine)
    assert b"Rosebud" not in on_disk(path)


def test_emptying_the_write_ahead_log_never_waits_for_a_reader(path, engine):
    follow(World().given([remember("Tea")]).log, engine)
    with engine.connect() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM memory_version")
        follow(World().given([remember("Tea"), remember("Cake")]).log, engine)

        assert not truncate_wal(engine)

    assert truncate_wal(engine)
