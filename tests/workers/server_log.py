"""The log of the server mode, which a World can write to, and what follows it."""

from __future__ import annotations

import threading
import time

import psycopg

from commands.clock import SystemClock
from commands.key_postgres import PostgresKeyRows
from commands.keystore import KeyStore
from commands.log_reader import StoreLogReader
from commands.sealing import Sealer
from commands.store_postgres import PARTS, PostgresRecorder
from domain.events import REGISTRY
from projections.catalogue import CATALOGUE
from tests.projections.store_log import StoreLog
from workers.site import Site

MASTER_KEY = bytes(range(32))
LONG = 60.0
"""Seconds that no test takes."""


class ServerLog(StoreLog):
    """Log and key store in a migrated database."""

    parts = PARTS

    def __init__(self, url):
        self._keys = KeyStore.over(PostgresKeyRows(url), MASTER_KEY, SystemClock())
        self._recorder = PostgresRecorder(url, SystemClock())
        self._seals = Sealer(self._keys, REGISTRY)
        self.heads = self._recorder.part_heads
        StoreLogReader.__init__(self, self._recorder, self._seals)

    def site(self, views, catalogue=CATALOGUE):
        return Site(self, views, self.heads, catalogue)


def until(condition, what, seconds=LONG):
    """Wait for the state of another process, which nobody here can be woken by."""
    end = time.monotonic() + seconds
    ticking = threading.Event()
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        ticking.wait(0.01)


def make_witness(url):
    """A table that counts what is not idempotent: one row for each time an event is handled."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE public.witness (seq bigserial, projection text, position int8,"
            " stream text, version int4)"
        )
        connection.execute("GRANT INSERT, SELECT ON public.witness TO memoranda_app")
        connection.execute("GRANT USAGE ON SEQUENCE public.witness_seq_seq TO memoranda_app")


def witnessed(url):
    """(position, stream, version) in the order in which they were handled."""
    with psycopg.connect(url) as connection:
        return connection.execute(
            "SELECT position, stream, version FROM public.witness ORDER BY seq"
        ).fetchall()


def assert_each_once_and_in_order(url, log, projection):
    """What is in the log was handled, each event once, those of a stream in their order."""
    found = witnessed(url)
    wanted = [one.position for one in log.after(0, 10**6, topics=projection.topics)]
    assert sorted(position for position, _, _ in found) == wanted
    versions = {}
    for _, stream, version in found:
        assert version == versions.get(stream, 0) + 1
        versions[stream] = version
