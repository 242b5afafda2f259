"""Read-only connections to PostgreSQL, lent to one thread at a time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

import psycopg

from commands.postgres_connections import Connection, store_error, translated
from commands.store_errors import StoreBusyError, StoreError

READERS_MAX: Final = 16
"""Connections of one process that read at the same time; more threads than that wait."""
_WAIT_S: Final = 5.0


class Readers:
    """Lends connections to threads, one each, and keeps them open.

    Safe to share between threads; a child of a fork opens its own connections.
    """

    def __init__(self, open_one: Callable[[], Connection]) -> None:
        self._connect = open_one
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(READERS_MAX)
        self._idle: list[Connection] = []
        self._process = os.getpid()
        self._closed = False

    def fetch(self, query: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """All rows of one SELECT, in binary. Asks again where an idle connection was dead."""
        if not self._turns.acquire(timeout=_WAIT_S):
            raise StoreBusyError("all connections to the database are reading: try again")
        try:
            return self._fetch(query, parameters)
        finally:
            self._turns.release()

    def _fetch(self, query: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        lent = self._borrow()
        try:
            rows = _rows(lent, query, parameters)
        except psycopg.Error as error:
            broken = lent.closed or lent.broken
            lent.close()
            if not broken:
                raise store_error(error) from error
            self._drop_idle()
            rows, lent = self._fetch_anew(query, parameters)
        except BaseException:
            lent.close()
            raise
        self._give_back(lent)
        return rows

    def _fetch_anew(
        self, query: str, parameters: Mapping[str, Any]
    ) -> tuple[list[tuple[Any, ...]], Connection]:
        with translated():
            lent = self._connect()
            try:
                return _rows(lent, query, parameters), lent
            except BaseException:
                lent.close()
                raise

    def _borrow(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed: open it again")
            if self._process != os.getpid():
                self._idle, self._process = [], os.getpid()
            if self._idle:
                return self._idle.pop()
        with translated():
            return self._connect()

    def _give_back(self, lent: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(lent)
                return
        lent.close()

    def _drop_idle(self) -> None:
        """They were opened to the same server, and it has gone."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close the idle connections; one that is lent is closed when it comes back."""
        with self._lock:
            self._closed = True
        self._drop_idle()


def _rows(
    connection: Connection, query: str, parameters: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    with connection.cursor(binary=True) as cursor:
        cursor.execute(query, parameters, prepare=True)
        return cursor.fetchall()
