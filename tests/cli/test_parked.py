"""`memoranda parked`: what an operator sees and does about records that cannot be followed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.cli.processes import HOST_KEY, memoranda, serving
from tests.faults.asking import Client
from tests.faults.test_damaged_rows import flip
from tests.inputs import envelope
from tests.laws.worlds import caught_up

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def folder(tmp_path):
    """A folder with an event that was damaged before it was seen, and another memory."""
    data = tmp_path / "data"
    store = open_memoranda(data)
    caught_up(store).runner.stop()
    receipts = [
        store.execute(
            context(),
            envelope("remember", envelope_changes={"idempotency_key": key}),
        )["result"]["result"]
        for key in ("one", "other")
    ]
    store.close()
    position = receipts[0]["receipt"]["position"] - 1
    flip(data, position)
    open_memoranda(data).close()
    store = open_memoranda(data)
    caught_up(store).close()
    return data, receipts[0]["record"]["id"], position


def parked(*arguments, data):
    answered = memoranda("parked", *arguments, "--data", data, "--json")
    assert answered.returncode == 0, answered.stderr
    return json.loads(answered.stdout)


def test_what_is_parked_is_listed_and_shown_without_its_content(folder):
    data, memory, position = folder

    [listed] = parked("list", data=data)
    since = listed.pop("since")
    assert listed == {
        "projection": "records",
        "workspace": context().workspace,
        "stream": memory,
        "state": "parked",
        "position": position,
        "events": 1,
        "error": "CorruptEventError",
    }
    [shown] = parked("show", memory, data=data)
    assert shown["events"] == [
        {
            "position": position,
            "state": "parked",
            "error": "CorruptEventError",
            "blocked_by": None,
            "parked_at": since,
        }
    ]
    said = memoranda("parked", "show", memory, "--data", data)
    assert said.stdout.startswith(f"{memory}  parked by records since position {position} (")
    assert f"  position {position}  parked  CorruptEventError\n" in said.stdout


def test_a_record_that_was_mended_is_shown_again_after_a_retry(folder):
    data, memory, position = folder
    failed = memoranda("parked", "retry", memory, "--data", data)
    assert failed.returncode == 1
    assert "failed again" in failed.stderr
    assert [one["stream"] for one in parked("list", data=data)] == [memory]
    # When the log is restored
    flip(data, position)

    answered = parked("retry", memory, data=data)

    assert answered == {"stream": memory, "released": True, "left": []}
    assert parked("list", data=data) == []
    with serving(data, host_key=HOST_KEY) as server:
        assert Client(server.host, server.port).get(f"/v1/memories/{memory}").status == 200


def test_a_record_is_passed_beside_a_running_server(folder):
    data, memory, position = folder
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        assert client.get("/health/ready").body["read_models"]["parked"] != []

        answered = memoranda("parked", "skip", memory, "--data", data)

        assert answered.returncode == 0
        assert answered.stdout.startswith(f"{memory} is passed from here on")
        assert client.get("/health/ready").body["read_models"]["parked"] == []
        assert client.get("/v1/memories").body["position"] > position
        assert client.get(f"/v1/memories/{memory}").told == (500, "INTERNAL", None, "PARKED")
    assert [one["state"] for one in parked("list", data=data)] == ["passed"]
    # And it is passed in read models that are built anew
    assert memoranda("rebuild", "--data", data).returncode == 0
    assert [one["state"] for one in parked("list", data=data)] == ["passed"]


def test_who_decided_stands_in_the_log(folder):
    data, memory, _ = folder
    parked("skip", memory, data=data)

    with closing(sqlite3.connect(data / "log.db")) as log:
        [(workspace, state)] = log.execute(
            "SELECT workspace, state FROM event WHERE topic = 'stream.released'"
        ).fetchall()
    assert workspace == "system"
    head = json.loads(state[8 : 8 + int.from_bytes(state[4:8], "big")])
    assert head["s"] == {"mode": "skip", "target_id": memory}
    assert head["ctx"]["actor"].startswith("cli:")
    assert memoranda("verify", "--data", data).returncode == 1  # the damaged event, as before


@pytest.mark.parametrize("command", ["show", "retry", "skip"])
def test_a_stream_that_is_not_parked_is_refused(folder, command):
    data, _, _ = folder
    answered = memoranda("parked", command, "mem_" + "0" * 26, "--data", data)

    assert answered.returncode == 1
    assert "NOT_FOUND" in answered.stderr


def test_a_projection_that_did_not_park_it_is_refused(folder):
    data, memory, _ = folder
    answered = memoranda("parked", "skip", memory, "--projection", "evidence", "--data", data)

    assert answered.returncode == 1
    assert [one["state"] for one in parked("list", data=data)] == ["parked"]


def test_nothing_parked_is_said_so(tmp_path):
    open_memoranda(tmp_path / "data").close()

    answered = memoranda("parked", "list", "--data", tmp_path / "data")

    assert (answered.returncode, answered.stdout) == (0, "")
    assert "nothing is parked" in answered.stderr
