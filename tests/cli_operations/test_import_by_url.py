"""A file that is sent to a server part by part ends as on a folder, line by line."""

from __future__ import annotations

import contextlib
import json
import socket
import threading

import pytest

from domain.limits import BODY_BYTES_MAX
from ops.import_run import BATCH_LINES_MAX
from tests.cli_operations.running import run
from tests.importer.lines import relate, remember, written

pytestmark = pytest.mark.timeout(300)
OWN = {"recorded_at": None}


def rows(many, name):
    """Lines of several parts: empty ones, wrong ones, and one that is too long for any part."""
    made = [remember(f"m{number}", name, key=None, context=OWN) for number in range(many)]
    made[3:3] = [b"\n", b"\n", b"no json\n"]
    made[10:10] = [b'{"a": "' + b"x" * BODY_BYTES_MAX + b'"}\n']
    return [*made, b"\n" * 700, relate("m1", "m2", key=None, context=OWN), b'"last, without end"']


def imported(file, *where, key=None):
    settings = {} if key is None else {"key": key}
    refused = file.with_name(file.name + ".refused.jsonl")
    done = run("import", file, *where, "--json", **settings)
    return done.code, json.loads(done.out), refused.read_text("utf-8")


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_many_parts_ends_alike_and_again_as_replays(server, data, tmp_path, packed):
    key = server.keys["importer"]
    file = written(
        tmp_path / f"{packed}.jsonl", rows(2 * BATCH_LINES_MAX, f"packed {packed}"), packed=packed
    )
    here = ("--data", data, "--workspace", "imports", "--actor", "ana")

    mine = [imported(file, *here) for _ in range(2)]
    theirs = [imported(file, "--url", server.url, key=key) for _ in range(2)]

    assert mine == theirs
    assert [said["replayed"] for _, said, _ in theirs] == [0, 2 * BATCH_LINES_MAX + 1]
    assert [said["refused"] for _, said, _ in theirs] == [3, 3]
    assert {code for code, _, _ in theirs} == {1}


def test_what_was_interrupted_is_started_again(server, tmp_path):
    file = written(
        tmp_path / "cut.jsonl",
        [remember(f"cut{number}", key=None, context=OWN) for number in range(3 * BATCH_LINES_MAX)],
    )
    key = server.keys["importer"]

    with cutting(server, after=2) as url:
        cut = run("import", file, "--url", url, "--json", key=key)
    again = run("import", file, "--url", server.url, "--json", key=key)

    assert (cut.code, cut.out, cut.error["code"]) == (3, "", "UNREACHABLE")
    assert again.json["accepted"] == 3 * BATCH_LINES_MAX
    # The answer to the second part was lost, not the part.
    assert again.json["replayed"] == 2 * BATCH_LINES_MAX


@contextlib.contextmanager
def cutting(server, after):
    """A way to the server that hides the answer to a request, and lets nothing more through."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def pass_on():
            for number in range(1, after + 1):
                client, _ = listener.accept()
                with client, socket.create_connection((server.host, server.port)) as target:
                    answer = exchanged(client, target)
                    if number < after:
                        client.sendall(answer)
            listener.close()

        passing = threading.Thread(target=pass_on)
        passing.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        passing.join()


def exchanged(client, target):
    """One request there, and what came back."""
    with client.makefile("rb") as request, target.makefile("rb") as reply:
        target.sendall(whole(request))
        return whole(reply)


def whole(stream):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += stream.readline()
    length = next(
        int(line.split(b":")[1])
        for line in head.splitlines()
        if line.lower().startswith(b"content-length")
    )
    return head + stream.read(length)


def test_a_key_that_may_not_is_told_before_anything_is_read_there(server, tmp_path):
    file = written(tmp_path / "one.jsonl", [remember("one")])

    done = run("import", file, "--url", server.url, "--json", key=server.keys["writer"])

    assert (done.code, done.error["code"]) == (1, "PERMISSION_DENIED")
    assert "operate" in done.error["message"]
