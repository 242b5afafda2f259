"""A TCP proxy before a real PostgreSQL that cuts a connection at the commit, before or after it.

What is cut is chosen by bytes that the request must hold, such as a topic: the appends of events
have them, and nothing else that is under way.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

READY: Final = b"Z\x00\x00\x00\x05I"
"""The server's message that it is ready again, outside of a transaction: it has committed."""


class CuttingProxy:
    """Forwards to the server of `url`. `cuts` counts what it has cut."""

    def __init__(self, url: str) -> None:
        self._split = urlsplit(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._armed: tuple[str, bytes] | None = None
        self._open: list[socket.socket] = []
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The same database, through the proxy."""
        login = self._split.netloc.rpartition("@")[0]
        port = self._listener.getsockname()[1]
        return self._split._replace(netloc=f"{login}@127.0.0.1:{port}").geturl()

    def cut_next(self, when: str, marker: bytes) -> None:
        """Cut the next request that holds the marker: `before` the server has it, or `after`.

        After means that the server has committed, and its answer is not passed on.
        """
        with self._lock:
            self._armed = (when, marker)

    def cut_all(self) -> None:
        """Cut every connection that is open."""
        with self._lock:
            opened, self._open = self._open, []
        for one in opened:
            _shut(one)

    def close(self) -> None:
        """Cut all of them, and accept no more."""
        _shut(self._listener)
        self.cut_all()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = self._connected()
                if server is None:
                    _shut(client)
                    continue
                _Link(self, client, server).start()
                with self._lock:
                    self._open += [client, server]

    def _connected(self) -> socket.socket | None:
        """A connection to the server; None while it is down."""
        try:
            return socket.create_connection((self._split.hostname, self._split.port))
        except OSError:
            return None

    def fate_of(self, request: bytes) -> str | None:
        """What becomes of a request; asked once for each that holds the marker."""
        with self._lock:
            if self._armed is None or self._armed[1] not in request:
                return None
            (when, _), self._armed = self._armed, None
            self.cuts += 1
            return when


class _Link:
    """One connection of a client, and ours to the server for it."""

    def __init__(self, proxy: CuttingProxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._doomed = False

    def start(self) -> None:
        for one in (self._client, self._server):
            # Else a message in two pieces may wait for an acknowledgement that is delayed.
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for pump in (self._requests, self._answers):
            threading.Thread(target=self._pumped, args=[pump], daemon=True).start()

    def _pumped(self, pump) -> None:
        with suppress(OSError):
            pump()
        _shut(self._client)
        _shut(self._server)

    def _requests(self) -> None:
        while data := self._client.recv(1 << 20):
            fate = self._proxy.fate_of(data)
            if fate == "before":
                return
            self._doomed = self._doomed or fate == "after"
            self._server.sendall(data)

    def _answers(self) -> None:
        held = b""
        while data := self._server.recv(1 << 20):
            if not self._doomed:
                self._client.sendall(data)
                continue
            held += data
            if held.endswith(READY):
                return


def _shut(one: socket.socket) -> None:
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
