"""Request bodies that nobody wanted: read away, so that the client gets its answer.

A connection that is closed over unread bytes is reset, and the reset may overtake the answer. So a
refused body is read and thrown away, within bounds; beyond them the connection is closed.
"""

from __future__ import annotations

from typing import Final

import anyio
from starlette.datastructures import Headers
from starlette.types import Message, Receive

DRAIN_BYTES_MAX: Final = 16 * 1024 * 1024
DRAIN_SECONDS_MAX: Final = 2.0


class Body:
    """A `receive` that knows how much of the body has come."""

    def __init__(self, receive: Receive, headers: Headers) -> None:
        self._receive = receive
        length = headers.get("content-length", "0")
        self._announced = int(length) if length.isdecimal() else 0
        self._waits = headers.get("expect", "").lower() == "100-continue"
        self._complete = self._announced == 0 and "transfer-encoding" not in headers
        self._begun = False
        self._bytes = 0

    async def __call__(self) -> Message:
        """The next part."""
        self._begun = True
        message = await self._receive()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
        else:
            self._complete = True
        return message

    async def finish(self) -> bool:
        """Throw the rest away; whether the connection can be used again."""
        sends_on = self._begun or not self._waits
        if sends_on and self._announced <= DRAIN_BYTES_MAX:
            with anyio.move_on_after(DRAIN_SECONDS_MAX):
                while not self._complete and self._bytes <= DRAIN_BYTES_MAX:
                    await self()
        return self._complete
