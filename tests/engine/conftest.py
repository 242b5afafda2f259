"""A whole Memoranda in a folder of its own, and the write side alone over such files."""

from __future__ import annotations

import pytest

from commands.clock import SystemClock
from commands.keystore import KeyStore
from commands.store_sqlite import SqliteRecorder
from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.engine.building import MASTER_KEY, Caller, LosingConnection, WriteSide


@pytest.fixture
def store(tmp_path):
    memoranda = open_memoranda(tmp_path / "data")
    yield memoranda
    memoranda.close()


@pytest.fixture
def ana(store):
    return Caller(store)


@pytest.fixture
def bea(store):
    return Caller(store, context(actor="bea"))


@pytest.fixture
def keys(tmp_path):
    opened = KeyStore.open(tmp_path / "keys.db", MASTER_KEY, SystemClock())
    yield opened
    opened.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.db"


@pytest.fixture
def write_side_of(keys, path):
    """Makes write sides over one log, each with a recorder of its own, as processes have."""
    opened = []

    def make(recorder=SqliteRecorder, **options):
        log = recorder(path, SystemClock(), **options)
        opened.append(log)
        return WriteSide(log, keys)

    yield make
    for log in opened:
        log.close()


@pytest.fixture
def write_side(write_side_of):
    return write_side_of()


@pytest.fixture
def losing(monkeypatch):
    """Connections that are lost at the next commit, once `losing.fate` says how."""
    monkeypatch.setattr(LosingConnection, "fate", None)
    monkeypatch.setattr(LosingConnection, "meanwhile", staticmethod(lambda: None))
    return LosingConnection
