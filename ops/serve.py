"""The server process: a store, the HTTP doors, and an orderly end."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Final

import uvicorn

from ops.collector import calm_collector
from ops.http.app import create_app
from ops.logs import start_logging
from ops.memoranda import Memoranda
from ops.settings import Settings, local_actor
from ops.wiring import open_settings

KEEP_ALIVE_SECONDS: Final = 75
BACKLOG: Final = 2048
FIRST_KEY_PERMISSIONS: Final = (
    "read", "write", "trace", "forget", "consolidate", "policy", "review", "operate",
)  # fmt: skip
"""All that an owner does; only naming other people's contexts is left to host keys."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class CannotListenError(Exception):
    """The address cannot be had; the message names it and the remedy."""


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Serve until a signal ends it, then answer what was begun and close the store.

    `say` is told one line once requests are answered, and at the very first start a key, which is
    shown this once.
    """
    start_logging(settings.log_format)
    listener = listen(settings.host, settings.port)
    with contextlib.closing(listener):
        memoranda = open_settings(settings)
        calm_collector()
        try:
            first_key(memoranda, settings, say)
            url = address(listener)
            server = _Server(
                _config(memoranda, settings),
                lambda: say(f"memoranda is ready on {url} (data: {settings.data})"),
            )
            with server.ending_by_signal():
                server.run(sockets=[listener])
        finally:
            memoranda.close()


def first_key(memoranda: Memoranda, settings: Settings, say: Callable[[str], None]) -> None:
    """Make the first key of a store that has none.

    An unattended start has its host key, and whoever reads its output should not get another.
    """
    if settings.host_key is not None or memoranda.keys.list():
        return
    token, info = memoranda.keys.create(
        name="first key",
        workspace="default",
        actor=local_actor(),
        permissions=FIRST_KEY_PERMISSIONS,
    )
    say(f"key for workspace {info.workspace}, actor {info.actor}, shown this once: {token}")


def listen(host: str, port: int) -> socket.socket:
    """A socket that accepts connections; raises CannotListenError."""
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    # Without the protocol asyncio would leave Nagle's algorithm on, and each answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        # A restart must not wait for connections of the process before to time out.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise CannotListenError(
            f"cannot listen on {host}:{port} ({error.strerror or error}): stop what listens there, "
            "or choose another with --host and --port"
        ) from None
    return listener


def address(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _config(memoranda: Memoranda, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(memoranda, settings),
        # Paths hold identity keys and ids, so requests are not logged.
        access_log=False,
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        ws="none",
        # Beyond the bound of the gate, which answers in our words: connections that ask nothing.
        limit_concurrency=2 * settings.requests_max,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.drain_seconds_max,
    )


class _Server(uvicorn.Server):
    """Says when it answers, and ends by returning rather than by the signal that it was sent."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started and not self.should_exit:
            self._on_ready()

    @contextlib.contextmanager
    def ending_by_signal(self) -> Iterator[None]:
        """While it serves, a signal asks it to stop, and the process goes on to its end.

        uvicorn raises the signal again once it has stopped, for the handler that was there before;
        the default one would end the process before the store is closed.
        """
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
