"""`memoranda serve` as a process: one line when it answers, a key once, an orderly end."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import threading

import pytest

from domain.limits import BODY_BYTES_MAX
from ops.http.leftovers import DRAIN_BYTES_MAX
from ops.serve import address, listen
from tests.cli.processes import HOST_KEY, memoranda, serving

pytestmark = pytest.mark.timeout(300)
OPERATIONS = "/v1/memory/operations"
REMEMBER = {
    "contract_version": "v1",
    "idempotency_key": "k",
    "operation": "remember",
    "input": {
        "kind": "note",
        "schema_version": "1",
        "content": {"format": "text", "value": "hello"},
        "provenance": [],
        "tags": [],
    },
}


def post(connection, body, token, **headers):
    sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
    connection.request("POST", OPERATIONS, body=body, headers=sent)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def host_headers():
    return {"X-Workspace-Id": "w", "X-Actor-Id": "a", "X-Permissions": "write,read"}


def test_the_first_start_prints_a_key_that_works_and_later_ones_do_not(tmp_path):
    data = tmp_path / "data"

    with serving(data) as server:
        first = server.lines
        token = first[0].split()[-1]
        with server.connect() as connection:
            status, answer = post(connection, json.dumps(REMEMBER).encode(), token)
        code, out, err = server.stop()
    with serving(data) as server:
        second = server.lines
        with server.connect() as connection:
            again, replayed = post(connection, json.dumps(REMEMBER).encode(), token)

    assert len(first) == 2
    assert re.fullmatch(
        r"key for workspace default, actor cli:\S+, shown this once: mk_\S+\n", first[0]
    )
    assert (status, code, out, err) == (200, 0, "", "")
    assert len(second) == 1
    assert again == 200
    assert replayed["result"]["result"]["record"] == answer["result"]["result"]["record"]
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in data.iterdir()} == {0o600}


def test_an_unattended_start_has_its_own_key_and_prints_none(tmp_path):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server, server.connect() as connection:
        status, _ = post(connection, json.dumps(REMEMBER), HOST_KEY, **host_headers())

    assert status == 200
    assert len(server.lines) == 1


def raw_head(*fields):
    """The head of a request with the host key, up to the body."""
    named = {"Host": "localhost", "Authorization": f"Bearer {HOST_KEY}", **host_headers()}
    lines = [f"{name}: {value}" for name, value in named.items()]
    return "\r\n".join([f"POST {OPERATIONS} HTTP/1.1", *lines, *fields, "", ""]).encode()


JSON = "Content-Type: application/json"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopping_server_answers_what_it_has_begun(tmp_path, number):
    body = json.dumps(REMEMBER).encode()
    head = raw_head(JSON, f"Content-Length: {len(body)}", "Expect: 100-continue")
    ended = []

    with (
        serving(tmp_path / "data", host_key=HOST_KEY, drain_seconds_max="100") as server,
        socket.create_connection((server.host, server.port), timeout=100) as client,
        client.makefile("rb") as reply,
    ):
        client.sendall(head)
        begun = reply.readline()
        stopping = threading.Thread(target=lambda: ended.append(server.stop(number)))
        stopping.start()
        client.sendall(body)
        reply.readline()
        answer = reply.readline()
        stopping.join()

    assert begun.startswith(b"HTTP/1.1 100")
    assert (answer[:12], ended) == (b"HTTP/1.1 200", [(0, "", "")])


CHUNK = b"10000\r\n" + b" " * 65536 + b"\r\n"


def test_a_body_that_stops_too_late_is_refused_and_the_connection_closed(tmp_path):
    with (
        serving(tmp_path / "data", host_key=HOST_KEY) as server,
        socket.create_connection((server.host, server.port), timeout=30) as client,
        client.makefile("rb") as reply,
    ):
        client.sendall(raw_head(JSON, "Transfer-Encoding: chunked"))
        for _ in range(BODY_BYTES_MAX // 65536 + 1):
            client.sendall(CHUNK)
        status, rest = reply.readline(), reply.read()

    assert status.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in rest.lower()
    assert b"BODY_TOO_LARGE" in rest


def test_a_body_without_end_ends_the_connection_and_not_the_server(tmp_path):
    with (
        serving(tmp_path / "data", host_key=HOST_KEY) as server,
        socket.create_connection((server.host, server.port), timeout=30) as client,
    ):
        client.sendall(raw_head(JSON, "Transfer-Encoding: chunked"))
        with pytest.raises(ConnectionError):
            client.sendall(CHUNK * (16 * DRAIN_BYTES_MAX // 65536))
        with server.connect() as connection:
            connection.request("GET", "/health/ready")
            alive = connection.getresponse().status

    assert alive == 200


@pytest.mark.parametrize("size", [BODY_BYTES_MAX + 1, 2 * BODY_BYTES_MAX])
def test_a_large_body_is_refused_and_its_sender_gets_the_answer(tmp_path, size):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server, server.connect() as connection:
        status, refusal = post(connection, b" " * size, HOST_KEY, **host_headers())
        unknown, _ = post(connection, b" " * size, "mk_unknown")
        again, _ = post(connection, json.dumps(REMEMBER), HOST_KEY, **host_headers())

    assert (status, refusal["error"]["reason"]) == (413, "BODY_TOO_LARGE")
    assert (unknown, again) == (401, 200)


def test_a_client_that_asks_first_is_refused_before_it_sends(tmp_path):
    head = raw_head("Content-Type: text/plain", "Content-Length: 9", "Expect: 100-continue")
    with (
        serving(tmp_path / "data", host_key=HOST_KEY) as server,
        socket.create_connection((server.host, server.port), timeout=30) as client,
        client.makefile("rb") as reply,
    ):
        client.sendall(head)
        status, rest = reply.readline(), reply.read()

    assert status.startswith(b"HTTP/1.1 415")
    assert b"connection: close" in rest.lower()


def test_many_callers_at_once_are_all_answered(tmp_path):
    with serving(tmp_path / "data", host_key=HOST_KEY) as server:
        statuses = []

        def call(number):
            body = json.dumps({**REMEMBER, "idempotency_key": f"k{number}"}).encode()
            with server.connect() as connection:
                statuses.append(post(connection, body, HOST_KEY, **host_headers())[0])

        callers = [threading.Thread(target=call, args=(number,)) for number in range(40)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()

    assert statuses == [200] * 40


def test_a_port_that_is_taken_is_said_without_a_stack_trace(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = memoranda("serve", "--data", tmp_path / "data", "--port", port)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: cannot listen on 127.0.0.1:{port} (")
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_a_store_that_is_in_use_is_said_without_a_stack_trace(tmp_path):
    with serving(tmp_path / "data"):
        done = memoranda("serve", "--data", tmp_path / "data", "--port", "0")

    assert (done.returncode, done.stdout) == (1, "")
    assert "in use" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"host_key": "short"}, "MEMORANDA_HOST_KEY"),
        ({"port": "http"}, "MEMORANDA_PORT"),
        ({"workers": "0"}, "MEMORANDA_WORKERS"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_without_its_value(tmp_path, settings, words):
    done = memoranda("serve", "--data", tmp_path / "data", settings=settings)

    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr
    assert settings.get("host_key", "canary") not in done.stderr


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_answers_are_not_held_back_to_be_sent_together(host, url):
    # asyncio turns Nagle's algorithm off for sockets that say that they speak TCP, and no others.
    with listen(host, 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
        assert address(listener) == f"http://{url}:{listener.getsockname()[1]}"
