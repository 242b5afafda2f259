"""Ports that are free, and waiting for a server on one."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable
from contextlib import suppress

_WAIT_S = 30.0
_PORTS = 20_000, 32_000


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses at the moment.

    Below those that the system gives to outgoing connections, of which other tests make thousands:
    one of them would take it before the server that it is meant for is up.
    """
    while True:
        port = random.randrange(*_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as it holds; AssertionError after half a minute."""
    end = time.monotonic() + _WAIT_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        # Another process's state: there is nothing to be woken by.
        time.sleep(0.01)
