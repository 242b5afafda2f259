"""Ports that are free, and waiting for a server on one."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable

_WAIT_S = 30.0


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Return as soon as it holds; AssertionError after half a minute."""
    end = time.monotonic() + _WAIT_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        # Another process's state: there is nothing to be woken by.
        time.sleep(0.01)
