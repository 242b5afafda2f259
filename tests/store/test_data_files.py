"""The files of a data folder: who may read them, whose they are, and how new."""

from __future__ import annotations

import os
import sqlite3
import stat

import pytest

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.store_errors import StoreFormatError, StoreFullError
from commands.store_sqlite import SqliteRecorder
from tests.store.building import rows

KEY = bytes(32)
OPENERS = {
    "log.db": lambda path: SqliteRecorder(path, SystemClock()),
    "keys.db": lambda path: KeyStore.open(path, KEY, SystemClock()),
}


@pytest.fixture(params=OPENERS)
def file(request, tmp_path):
    return tmp_path / "data" / request.param


def opened(file):
    return OPENERS[file.name](file)


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_and_folder_are_the_owners_alone_whatever_the_umask(file, open_umask):
    store = opened(file)
    if isinstance(store, SqliteRecorder):
        store.append(rows(3), [])
    else:
        store.take("w")

    files = sorted(file.parent.iterdir())

    assert [path.name for path in files] == [f"{file.name}{end}" for end in ("", "-shm", "-wal")]
    assert {mode(path) for path in files} == {0o600}
    assert mode(file.parent) == 0o700
    store.close()


def test_a_file_that_others_may_read_is_closed_to_them(file):
    opened(file).close()
    file.chmod(0o644)

    opened(file).close()

    assert mode(file) == 0o600


def test_a_folder_that_was_there_keeps_its_mode(file):
    file.parent.mkdir(mode=0o755)
    before = mode(file.parent)

    opened(file).close()

    assert mode(file.parent) == before


def test_a_second_open_finds_what_the_first_one_made(file):
    opened(file).close()
    made = file.read_bytes()

    opened(file).close()

    assert file.read_bytes() == made


def test_a_store_of_a_newer_program_is_refused_and_left_alone(file):
    opened(file).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE store_format SET version = 2")
    connection.close()
    made = file.read_bytes()

    with pytest.raises(StoreFormatError, match=r"format 2.*reads format 1.*version of Memoranda"):
        opened(file)

    assert file.read_bytes() == made


def test_a_database_of_another_program_is_refused(file):
    file.parent.mkdir()
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()

    with pytest.raises(StoreFormatError, match="another program"):
        opened(file)


def test_a_file_that_is_no_database_is_refused(file):
    file.parent.mkdir()
    file.write_bytes(b"these are not the bytes of a database" * 100)

    with pytest.raises(StoreFormatError, match="no database"):
        opened(file)


def test_a_folder_that_cannot_be_made_is_named(file):
    file.parent.write_text("a file where the folder should be")

    with pytest.raises(StoreFullError, match="permissions"):
        opened(file)
