"""Read-only connections of a SQLite file, lent to one thread at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from commands.sqlite_files import store_error, translated
from commands.store_errors import StoreError

_IDLE_MAX: Final = 64


class Readers:
    """As many connections as there are threads that read at the same time.

    They are lent, not bound to threads, since the threads of a server come and go.
    """

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._lock = threading.Lock()

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for the block; driver errors become StoreError."""
        lent = self._borrow()
        try:
            yield lent
        except BaseException as error:
            lent.close()
            if isinstance(error, sqlite3.Error):
                raise store_error(error) from error
            raise
        self._give_back(lent)

    def _borrow(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed: open it again")
            if self._idle:
                return self._idle.pop()
        with translated():
            return self._connect()

    def _give_back(self, lent: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _IDLE_MAX:
                self._idle.append(lent)
                return
        lent.close()

    def close(self) -> None:
        """Close the idle connections; one that is lent is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
