"""A small server that takes windows as a Memoranda does, keeps the bytes, and can misbehave."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = "mk_receiver"
REFUSED = {"code": "INVALID_REQUEST", "message": "branch is too long", "retryable": False}
OVERLOADED = {"code": "OVERLOADED", "message": "try again", "retryable": True}


class Receiver(ThreadingHTTPServer):
    """`bodies` are the bytes of each request that was read, `windows` those that were recorded.

    `misbehave` holds what to do instead of an answer, for one request each: `lose` records the
    window and closes, `drop` closes, `hang` waits until `released`, a tuple is status and error.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies = []
        self.requests = []
        self.windows = {}
        self.misbehave = []
        self.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def sent(self):
        """The bodies, parsed."""
        return [json.loads(body) for body in self.bodies]

    @property
    def events(self):
        """What the events of all windows say, in the order of their recording."""
        return [event for window in self.windows.values() for event in window["events"]]

    def take(self, body):
        """Record a window: the same content is the same window."""
        window = json.loads(body)
        content = [window["repo"], window["events"], window.get("proposals")]
        identity = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        known = identity in self.windows
        self.windows.setdefault(identity, window)
        result = "knowledge_patched" if window.get("proposals") else "no_output"
        return {
            "accepted": True,
            "status": "processed",
            "result": result,
            "window_id": f"win_{identity[:12]}",
            "window_hash": identity,
            "idempotent": known,
            "receipt": {},
            "proposals": [],
        }


class Handler(BaseHTTPRequestHandler):
    """One request."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server = self.server
        server.bodies.append(body)
        server.requests.append((self.path, self.headers["Authorization"]))
        how = server.misbehave.pop(0) if server.misbehave else None
        if how == "drop":
            return
        if how == "hang":
            server.released.wait(30)
            return
        if isinstance(how, tuple):
            self._answer(how[0], how[1] if "accepted" not in how[1] else _failed(server, body))
            return
        answer = server.take(body)
        if how != "lose":
            self._answer(200, answer)

    def _answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        """Say nothing."""


FAILED = (422, {"accepted": True})


def _failed(server, body):
    detail = server.take(body) | {
        "result": "failed",
        "proposals": [{"index": 0, "outcome": "parse_failed", "reason": "no claim_text"}],
    }
    return {"type": "about:blank", "title": "a proposal failed", "status": 422, "detail": detail}


def refusal(error):
    """A whole answer with an error."""
    return {"ok": False, "error": error}


@contextlib.contextmanager
def receiving():
    """A receiver for the time of a block."""
    server = Receiver()
    # The default looks every half second whether it is to end.
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
