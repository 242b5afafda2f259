"""The connection to a real PostgreSQL is cut at the commit, by a proxy between."""

from __future__ import annotations

from contextlib import closing

import pytest

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.store_errors import OutcomeUnknownError, StoreError
from commands.store_postgres import PostgresRecorder
from tests.engine.building import MASTER_KEY, WriteSide
from tests.inputs import envelope
from tests.services.cutting_proxy import CuttingProxy
from tests.store.building import rows

TOPIC = b"memory.remembered"


@pytest.fixture
def proxy(postgres_url):
    with closing(CuttingProxy(postgres_url)) as made:
        yield made


@pytest.fixture
def log(proxy):
    with closing(PostgresRecorder(proxy.url, SystemClock())) as made:
        yield made


@pytest.fixture
def side(postgres_url, log):
    keys = KeyStore.over(PostgresKeyRows(postgres_url), MASTER_KEY, SystemClock())
    yield WriteSide(log, keys)
    keys.close()


def body(key: str):
    return envelope("remember", envelope_changes={"idempotency_key": key})


@pytest.mark.parametrize(("when", "stored"), [("before", 0), ("after", 1)])
def test_the_outcome_of_an_append_is_open_and_the_store_goes_on(proxy, log, when, stored):
    [lost] = rows(1)
    proxy.cut_next(when, TOPIC)

    with pytest.raises(OutcomeUnknownError, match="look whether it is there"):
        log.append([lost], [])

    assert len(log.load({lost.stream: 0})) == stored
    log.append(rows(1), [])
    assert len(log.rows_after(0, 10)) == stored + 1
    assert proxy.cuts == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_command_happens_once_and_is_answered_as_if_nothing_had_been(side, proxy, when):
    side.send(body("first"))
    proxy.cut_next(when, TOPIC)

    made = side.send(body("k"))
    again = side.send(body("k"))

    assert proxy.cuts == 1
    assert [event.topic for event in side.log.after(0, 100)] == [
        "memory.remembered",
        "command.recorded",
    ] * 2
    assert (made["receipt"]["replayed"], again["receipt"]["replayed"]) == (False, True)
    made["receipt"].pop("replayed")
    again["receipt"].pop("replayed")
    assert made == again


def test_a_database_that_is_gone_between_appends_is_found_again(proxy, log):
    log.append(rows(1), [])
    assert log.head() > 0

    proxy.cut_all()

    assert log.head() > 0, "a question is asked again"
    with pytest.raises(OutcomeUnknownError):
        log.append(rows(1), [])
    log.append(rows(1), [])
    assert len(log.rows_after(0, 10)) == 2


def test_a_database_that_does_not_come_back_is_told_as_such(proxy, log):
    log.append(rows(1), [])
    proxy.close()

    with pytest.raises(OutcomeUnknownError):
        log.append(rows(1), [])
    with pytest.raises(StoreError, match="check that the server runs"):
        log.append(rows(1), [])
    with pytest.raises(StoreError, match="check that the server runs"):
        log.head()
