"""A port that takes connections and never answers, as a hung server does."""

from __future__ import annotations

import socket
from contextlib import contextmanager

from tests.services.ports import free_port


@contextmanager
def black_hole():
    """The address of a Redis that hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}/0"


def nobody():
    """The address of a Redis that is not there."""
    return f"redis://127.0.0.1:{free_port()}/0"
