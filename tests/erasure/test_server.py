"""The words of a memory that was destroyed over HTTP are nowhere, also after a hard end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from tests.cli.processes import HOST_KEY, serving
from tests.erasure.world import ACCENTED, BOTH, PLAIN, SAID, WIDE, WORDS
from tests.http.api import envelope, host_headers

ROOT = Path(__file__).parents[2]


def asked(server, method, path, body=None, headers=()):
    """Status and body of an answer."""
    sent = {**host_headers(), "Content-Type": "application/json", **dict(headers)}
    with server.connect() as connection:
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        return response.status, response.read()


def done(server, operation, said):
    status, body = asked(
        server, "POST", "/v1/memory/operations", json.dumps(envelope(operation, said))
    )
    assert status == 200, body
    return json.loads(body)["result"]["result"]


def refuse(server):
    """Send the words in requests that are refused, in every way in which one can be."""
    operations = "/v1/memory/operations"
    for path, body, headers in (
        (operations, f'{{"{BOTH}":'.encode(), {}),
        (operations, json.dumps({**envelope("remember", SAID), BOTH: BOTH}), {}),
        (operations, json.dumps(envelope(BOTH, SAID)), {}),
        (operations, json.dumps(envelope("remember", {**SAID, "confidence": BOTH})), {}),
        (operations, json.dumps(envelope("remember", SAID)), {"X-Actor-Id": quote(BOTH) * 90}),
        (operations, BOTH.encode("utf-16"), {"Content-Type": f"text/{PLAIN}"}),
        (operations, json.dumps(BOTH), {"Authorization": f"Bearer {PLAIN}"}),
        (f"/v1/{PLAIN}", b"", {}),
    ):
        assert asked(server, "POST", path, body, headers)[0] >= 400
    for path in (f"/v1/memories/{quote(BOTH)}", f"/v1/memories?{PLAIN}={quote(ACCENTED)}"):
        assert asked(server, "GET", path)[0] >= 400


def test_a_server_that_was_killed_after_its_answer_keeps_no_word(tmp_path):
    data = tmp_path / "data"
    with serving(data, host_key=HOST_KEY) as server:
        memory = done(server, "remember", SAID)["record"]["id"]
        for word in (PLAIN, ACCENTED):
            found = done(server, "recall", {"objective": word, "seed_ids": [], "limits": WIDE})
            assert [item["record"]["id"] for item in found["items"]] == [memory]
        status, listed = asked(server, "GET", f"/v1/memories?tag={quote(SAID['tags'][0])}")
        assert (status, bool(WORDS.found_in(listed))) == (200, True)
        refuse(server)
        assert WORDS.found_under(data)

        said = {"memory_id": memory, "mode": "application_delete", "reason": "asked to"}
        answer = done(server, "forget", said)
        _, out, err = server.stop(signal.SIGKILL)

    assert answer["erasure"]["completed"] is True
    assert WORDS.found_under(data) == {}
    printed = "".join([*server.lines, out, err])
    assert WORDS.found_in(printed.encode()) == set(), "requests are not logged"


FIRST_START = """
import json, sys
from pathlib import Path
from ops.wiring import open_memoranda
from tests.erasure.world import Talk, tell

data = Path(sys.argv[1])
memoranda = open_memoranda(data)
talk = Talk(memoranda)
talk.forget(tell(talk).memory)
print(json.dumps({path.name: oct(path.stat().st_mode & 0o777) for path in data.rglob("*")}))
memoranda.close()
"""


def test_all_that_a_first_start_makes_is_private_whatever_the_umask(tmp_path):
    data = tmp_path / "data"

    told = subprocess.run(
        [sys.executable, "-c", FIRST_START, str(data)],
        cwd=ROOT, capture_output=True, text=True, check=True, umask=0,
    )  # fmt: skip

    modes = json.loads(told.stdout)
    files = {
        f"{name}.db{more}" for name in ("log", "keys", "views", "index") for more in ("", "-wal")
    }
    assert {*files, "master.key", "lock"} <= modes.keys()
    assert set(modes.values()) == {"0o600"}
    assert oct(data.stat().st_mode & 0o777) == "0o700"
