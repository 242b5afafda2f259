"""Five hundred callers before an engine whose queue holds 64: each gets one verdict, and soon."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import islice
from statistics import median

import psycopg
import pytest

import commands.engine
from commands.store_postgres_writer import LOCK_KEY
from domain.errors import MemorandaError
from ops.settings import ServerMode
from ops.wiring import open_server
from tests.circumstances import context
from tests.cli.processes import serving
from tests.http.api import envelope, host_headers, memory
from tests.inputs import envelope as body
from tests.server_mode.conftest import MASTER_KEY
from tests.workers.server_log import until

pytestmark = pytest.mark.timeout(300)
CALLERS = 500
QUEUE = 64
IN_HAND_MAX = 1 + QUEUE
"""Beside the queue: who does its own work, and what the engine's thread took out before."""
_WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def memoranda(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(commands.engine, "QUEUE_MAX", QUEUE)
    mode = ServerMode(settings["database_url"], settings["redis_url"], bytes.fromhex(MASTER_KEY))
    opened = open_server(mode, tmp_path / "data")
    yield opened
    opened.close()


@contextmanager
def log_is_held(url):
    """Nobody can append meanwhile."""
    with psycopg.connect(url, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK_KEY])
        yield lambda: holder.execute(_WAITING).fetchone()[0]


def verdict(memoranda, key):
    """The refusal, or None, and the seconds that it took."""
    began = time.monotonic()
    try:
        memoranda.execute(context(), body("remember", envelope_changes={"idempotency_key": key}))
    except MemorandaError as refusal:
        return refusal, time.monotonic() - began
    return None, time.monotonic() - began


def receipts(memoranda):
    return len(memoranda.log.after(0, 10**6, topics=("command.recorded",)))


def test_who_finds_the_queue_full_is_told_so_at_once_and_all_others_are_served(memoranda, settings):
    with ThreadPoolExecutor(CALLERS) as pool:
        # given
        with log_is_held(settings["database_url"]):
            # when
            asked = [pool.submit(verdict, memoranda, f"k{at}") for at in range(CALLERS)]
            at_once = CALLERS - QUEUE - IN_HAND_MAX
            early = [one.result()[0] for one in islice(as_completed(asked, 60), at_once)]
        told = [one.result(60)[0] for one in asked]
    # then
    assert None not in early
    refused = [one for one in told if one is not None]
    assert {(one.code.value, one.retryable, one.retry_after) for one in refused} == {
        ("OVERLOADED", True, 1)
    }
    assert QUEUE < len(told) - len(refused) <= QUEUE + IN_HAND_MAX
    assert receipts(memoranda) == len(told) - len(refused)


def test_nobody_waits_much_longer_than_the_others(memoranda):
    # given
    together = threading.Barrier(CALLERS)

    def caller(number):
        together.wait()
        return verdict(memoranda, f"k{number}")

    # when
    with ThreadPoolExecutor(CALLERS) as pool:
        told = list(pool.map(caller, range(CALLERS)))
    # then
    waits = [seconds for refusal, seconds in told if refusal is None]
    assert max(waits) <= 20 * median(waits)
    assert receipts(memoranda) == len(waits)


def test_closing_leaves_nobody_waiting(memoranda, settings):
    with ThreadPoolExecutor(CALLERS + 1) as pool:
        # given
        with log_is_held(settings["database_url"]) as waiting:
            asked = [pool.submit(verdict, memoranda, f"k{at}") for at in range(CALLERS)]
            until(waiting, "somebody who appends")
            # when
            closed = pool.submit(memoranda.close)
        told = [one.result(60)[0] for one in asked]
        closed.result(60)
    # then
    assert {one.code.value for one in told if one is not None} <= {"OVERLOADED"}


def test_sigterm_leaves_nobody_waiting(settings, tmp_path):
    # given
    callers = 100
    with serving(tmp_path / "data", **settings, workers="50") as server:

        def call(_):
            door = http.client.HTTPConnection(server.host, server.port, timeout=60)
            try:
                said = json.dumps(envelope("remember", memory()))
                headers = host_headers() | {"Content-Type": "application/json"}
                door.request("POST", "/v1/memory/operations", said, headers)
                return door.getresponse().status
            except (OSError, http.client.HTTPException):
                return 0
            finally:
                door.close()

        with ThreadPoolExecutor(callers + 1) as pool:
            with log_is_held(settings["database_url"]) as waiting:
                asked = [pool.submit(call, at) for at in range(callers)]
                until(waiting, "somebody who appends")
                # when
                ended = pool.submit(server.stop)
            told = Counter(one.result(90) for one in asked)
            status, _, errors = ended.result(90)
    # then
    assert status == 0, errors
    assert told[200] > 0
    assert set(told) <= {200, 503, 0}
