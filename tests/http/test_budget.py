"""How many requests are answered at once: more are told to come again, and probes get through."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket

import pytest

from tests.cli.processes import HOST_KEY, serving
from tests.http.api import envelope, host_headers, memory

ROOM = 3
BODY = json.dumps(envelope("remember", memory())).encode()


def head(method, path, length):
    """What comes before a body."""
    headers = host_headers() | {
        "Authorization": f"Bearer {HOST_KEY}",
        "Content-Type": "application/json",
        "Content-Length": str(length),
        "Host": "127.0.0.1",
    }
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def ask(server, method="POST", path="/v1/memory/operations", body=BODY):
    """Status, headers and answer of a request of its own."""
    with socket.create_connection((server.host, server.port), timeout=30) as door:
        door.sendall(head(method, path, len(body)) + body)
        answer = http.client.HTTPResponse(door)
        answer.begin()
        return answer.status, answer.headers, json.loads(answer.read())


@pytest.mark.timeout(120)
def test_requests_beyond_the_budget_are_refused_at_once_and_probes_get_through(tmp_path):
    with (
        serving(tmp_path / "data", host_key=HOST_KEY, requests_max=str(ROOM)) as server,
        contextlib.ExitStack() as held,
    ):
        # given clients that began a request and do not send its body
        slow = [
            held.enter_context(socket.create_connection((server.host, server.port), timeout=30))
            for _ in range(ROOM)
        ]
        for door in slow:
            door.sendall(head("POST", "/v1/memory/operations", len(BODY)))
        # when others ask meanwhile
        while (refused := ask(server))[0] == 200:
            pass  # the slow ones' first bytes are not read yet
        probe = ask(server, "GET", "/health/live", b"")
        # then
        assert (refused[0], refused[1]["Retry-After"]) == (503, "1")
        assert refused[2]["error"]["code"] == "OVERLOADED"
        assert probe[0] == 200
        # and those that had begun are answered
        for door in slow:
            door.sendall(BODY)
            answer = http.client.HTTPResponse(door)
            answer.begin()
            assert answer.status == 200, answer.read()
            answer.read()
        assert ask(server)[0] == 200
