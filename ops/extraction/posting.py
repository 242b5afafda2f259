"""One POST of JSON with a limit of time for all of it, by the standard library alone.

`http.client` limits each read and not their sum: a server that sends a byte now and then would
hold a worker for ever. Here every read has what is left of the time, and looks up four times a
second whether the program is ending. Redirects are not followed: the key goes to nobody else.
"""

from __future__ import annotations

import http.client
import io
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ANSWER_BYTES_MAX: Final = 1024 * 1024
"""Far more than 64 proposals take."""
CONNECT_SECONDS_MAX: Final = 10.0
LOOK_SECONDS: Final = 0.25


class StoppedError(Exception):
    """The program is ending: nothing is known of the answer."""


class NoAnswerError(Exception):
    """Nothing that could be read came in time. The message says why, in our own words."""


class TooLargeError(Exception):
    """The answer is larger than `ANSWER_BYTES_MAX`."""


@dataclass(frozen=True, slots=True)
class Came:
    """An answer: status, `Retry-After` as sent, and the bytes of the body."""

    status: int
    retry_after: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go, as `endpoint_of` has read it from a URL."""

    tls: bool
    host: str
    port: int | None
    path: str

    def connect(self, seconds: float) -> http.client.HTTPConnection:
        """A connection that is not opened yet."""
        kind = http.client.HTTPSConnection if self.tls else http.client.HTTPConnection
        return kind(self.host, self.port, timeout=seconds)


def post(
    endpoint: Endpoint,
    body: bytes,
    headers: Mapping[str, str],
    seconds: float,
    stopping: Callable[[], bool],
) -> Came:
    """Send and read the whole answer within so many seconds.

    Raises NoAnswerError, TooLargeError, or StoppedError once `stopping` says so.
    """
    until = time.monotonic() + seconds
    connection = endpoint.connect(min(seconds, CONNECT_SECONDS_MAX))
    connection.response_class = _timed(until, stopping)  # type: ignore[assignment]
    try:
        connection.connect()
        connection.sock.settimeout(max(until - time.monotonic(), LOOK_SECONDS))
        connection.request("POST", endpoint.path, body, dict(headers))
        response = connection.getresponse()
        said = response.read(ANSWER_BYTES_MAX + 1)
        if len(said) > ANSWER_BYTES_MAX:
            raise TooLargeError
        if response.length:
            raise NoAnswerError("the answer broke off")
        return Came(response.status, response.getheader("Retry-After"), said)
    except TimeoutError:
        raise NoAnswerError(f"no whole answer within {seconds:g} s") from None
    except http.client.HTTPException:
        raise NoAnswerError("the answer broke off, or is no HTTP") from None
    except OSError as error:
        raise NoAnswerError(f"no connection ({error.strerror or type(error).__name__})") from None
    finally:
        connection.close()


def _timed(until: float, stopping: Callable[[], bool]) -> Callable[..., http.client.HTTPResponse]:
    """Makes responses that are read from a socket until then."""

    def make(sock: socket.socket, *args: object, **kwargs: object) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, *args, **kwargs)  # type: ignore[arg-type]
        response.fp = io.BufferedReader(_Timed(response.fp, sock, until, stopping))
        return response

    return make


class _Timed(io.RawIOBase):
    """What comes from a socket until a time. `held` keeps the socket open while this is read."""

    def __init__(
        self,
        held: io.BufferedIOBase,
        sock: socket.socket,
        until: float,
        stopping: Callable[[], bool],
    ) -> None:
        super().__init__()
        self._held = held
        self._sock = sock
        self._until = until
        self._stopping = stopping

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while True:
            if self._stopping():
                raise StoppedError
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._sock.settimeout(min(left, LOOK_SECONDS))
            try:
                return self._sock.recv_into(buffer)
            except TimeoutError:
                continue

    def close(self) -> None:
        self._held.close()
        super().close()
