"""A chat endpoint on this machine that behaves as it is told, request after request."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler], None]


class Endpoint:
    """What it was asked, and what it does next; the last behaviour is for all that follow."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.arrived = threading.Event()
        self.let_go = threading.Event()
        self._next: list[Behaviour] = []
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer._take(self.path, json.loads(body), dict(self.headers))(self)
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
                """Not to the tests' output."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        # A client that gives up is no fault of the tests.
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        # Polled for its end this often.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def will(self, *behaviours: Behaviour) -> None:
        self._next = list(behaviours)

    def speak_tls(self, context: ssl.SSLContext) -> None:
        """From the next connection on; the handshake is made by the thread that reads."""
        plain = self._server.socket
        self._server.socket = context.wrap_socket(
            plain, server_side=True, do_handshake_on_connect=False
        )

    def _take(self, path: str, body: Any, headers: dict[str, str]) -> Behaviour:
        with self._lock:
            assert path == "/v1/chat/completions"
            self.asked.append(body)
            self.headers.append(headers)
            behaviour = self._next[0] if len(self._next) == 1 else self._next.pop(0)
        self.arrived.set()
        return behaviour

    def close(self) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextlib.contextmanager
def running() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()


def completion(content: Any, finish: str = "stop") -> bytes:
    """The body of a chat completion; a content that is no text is JSON of it."""
    text = content if isinstance(content, str) else json.dumps(content)
    message = {"role": "assistant", "content": text}
    return json.dumps(
        {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    ).encode()


def sends(body: bytes, status: int = 200, length: int | None = None, **headers: str) -> Behaviour:
    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return behave


def proposes(*proposals: Any) -> Behaviour:
    return sends(completion({"proposals": list(proposals)}))


def writes(content: Any, finish: str = "stop") -> Behaviour:
    return sends(completion(content, finish))


def says(status: int, **headers: str) -> Behaviour:
    return sends(b'{"error": {"message": "no"}}', status, **headers)


def holds(endpoint: Endpoint, then: Behaviour) -> Behaviour:
    """Answers when it is let go."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        endpoint.let_go.wait(60)
        with contextlib.suppress(OSError):
            then(handler)

    return behave


def drips(endpoint: Endpoint) -> Behaviour:
    """A byte of a header now and then, and never the end."""

    def behave(handler: BaseHTTPRequestHandler) -> None:
        with contextlib.suppress(OSError):
            handler.send_response(200)
            handler.flush_headers()
            handler.wfile.write(b"X-Slow: ")
            while not endpoint.let_go.wait(0.1):
                handler.wfile.write(b"x")

    return behave


def resets(handler: BaseHTTPRequestHandler) -> None:
    """The connection is reset (RFC 9293 §3.5.3), not closed."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.rfile.close()
    handler.wfile.close()
    handler.connection.close()
    # What the server's own end of a request looks at.
    handler.rfile, handler.wfile = io.BytesIO(), io.BytesIO()
