"""One byte of the log flipped on the disk: its memory is told as damaged, all others are there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ops.wiring import open_memoranda
from tests.circumstances import context
from tests.cli.processes import HOST_KEY, memoranda, serving
from tests.faults.asking import Client, log_of
from tests.faults.flipping import flip
from tests.inputs import envelope
from tests.laws.worlds import caught_up

pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.mark.parametrize("column", ["state", "event_hash"])
def test_report_24_a_damaged_event_costs_its_memory_and_no_other(data: Path, column: str) -> None:
    # Given three memories, of which the second has two versions, and a flipped byte in the later
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        one, two, three = (client.remember(f"walrus {number}") for number in ("a", "b", "c"))
        target = {"kind": "memory", "id": two}
        position = client.do("update", target=target, patch={"confidence": 0.5}).result["receipt"][
            "position"
        ]
        assert sorted(client.recalled("walrus")) == sorted([one, two, three])
        server.stop()
    position -= 1
    flip(data, position, column)
    before = log_of(data)

    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        # When it is traced, changed or read from the log: told, with its position and the remedy
        refused = [
            client.do("trace", target=target),
            client.do("update", target=target, patch={}),
            client.do("forget", memory_id=two),
        ]
        for answer in refused:
            assert answer.told == (500, "INTERNAL", None, "CORRUPTED")
            assert f"position {position}:" in answer.error["message"]
            assert "memoranda verify" in answer.error["message"]
            assert answer.error["retryable"] is False
        assert log_of(data) == before
        # Then all others can be recalled, traced, read and changed, and the gap is told
        answer = client.do("recall", objective="walrus").result
        assert {item["record"]["id"] for item in answer["items"]} == {one, three}
        assert answer["completeness"]["outcomes"] == ["event_damaged"]
        traced = client.do("trace", target={"kind": "recall", "id": answer["recall_id"]}).result
        assert "event_damaged" in traced["details"]["outcomes"]
        for memory in (one, three):
            target = {"kind": "memory", "id": memory}
            assert client.do("trace", target=target).result["versions"]
            assert client.get(f"/v1/memories/{memory}").body["version"] == 1
            updated = client.do("update", target=target, patch={"confidence": 1}).result
            assert updated["record"]["version"] == 2
        assert client.remember("walrus d") in client.recalled("walrus")
        _, _, said = server.stop()
    assert f"the log is damaged: position {position}:" in said
    # And verify names it
    checked = memoranda("verify", "--data", data)
    assert checked.returncode == 1
    assert f"position {position}, {two}@2, column event_hash:" in checked.stdout


def test_a_damaged_event_of_a_route_of_the_log_is_told_there_too(data: Path) -> None:
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        memory = client.remember("walrus")
        server.stop()
    flip(data, 1)

    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        for path in ("/v1/log", f"/v1/streams/{memory}"):
            answer = client.get(path)
            assert answer.told == (500, "INTERNAL", None, "CORRUPTED")
            assert "position 1:" in answer.body["detail"]
        assert client.get(f"/v1/memories/{memory}").status == 200


def test_a_column_that_names_another_stream_costs_both(data: Path) -> None:
    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        one, two = client.remember("walrus one"), client.remember("walrus two")
        server.stop()
    with closing(sqlite3.connect(data / "log.db")) as log, log:
        (name,) = log.execute("SELECT originator_id FROM event WHERE position = 1").fetchone()
        log.execute("DROP TRIGGER event_refuses_update")
        log.execute("UPDATE event SET originator_id = ?, originator_version = 2 "
                    "WHERE position = 3", (name,))  # fmt: skip

    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        while client.get("/v1/memories?min_position=4").status != 200:
            continue  # each look waits for the read models, which try the damaged stream again
        answer = client.do("recall", objective="walrus").result

        assert answer["items"] == []
        assert answer["completeness"]["outcomes"] == ["event_damaged"]
        assert client.do("trace", target={"kind": "memory", "id": one}).told[3] == "CORRUPTED"
        assert client.do("trace", target={"kind": "memory", "id": two}).status == 404


def test_a_damaged_event_that_no_read_model_has_seen_parks_its_memory_and_stops_no_other(
    data: Path,
) -> None:
    # Given an event that was damaged before the read models had seen it
    store = open_memoranda(data)
    seen = store.execute(context(), envelope("remember"))["result"]["result"]["record"]["id"]
    caught_up(store).runner.stop()
    later = envelope("remember", envelope_changes={"idempotency_key": "later"})
    receipt = store.execute(context(), later)["result"]["result"]
    doomed, position = receipt["record"]["id"], receipt["receipt"]["position"] - 1
    store.close()
    flip(data, position)

    with serving(data, host_key=HOST_KEY) as server:
        client = Client(server.host, server.port)
        new = client.remember("sky")

        # Then all others are answered, also what came after it
        assert client.get(f"/v1/memories/{seen}").status == 200
        assert client.get(f"/v1/memories/{new}").status == 200
        answer = client.do("recall", objective="sky").result
        assert {item["record"]["id"] for item in answer["items"]} == {seen, new}
        # And that one is missing is told, everywhere
        assert {"partial_page_in", "event_damaged"} == set(answer["completeness"]["outcomes"])
        assert client.get(f"/v1/memories/{doomed}").told == (500, "INTERNAL", None, "PARKED")
        assert client.get("/v1/memories").body["position"] == position - 1
        ready = client.get("/health/ready")
        assert (ready.status, ready.body["status"]) == (200, "ready")
        assert ready.body["read_models"]["failing"] is None
        assert ready.body["read_models"]["parked"] == [
            {"projection": "records", "streams": 1, "events": 1}
        ]
        examined = memoranda("doctor", "--url", f"http://{server.host}:{server.port}")
        assert examined.returncode == 1
        assert "streams are parked: 1 of records" in examined.stdout
        assert "memoranda parked list" in examined.stdout
        _, _, said = server.stop()
    assert f"records goes on without position {position} ({doomed}, CorruptEventError)" in said
    examined = memoranda("doctor", "--data", data)
    assert "streams are parked: 1 of records" in examined.stdout
