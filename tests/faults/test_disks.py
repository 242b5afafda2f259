"""A disk that is full at the commit, and a folder that nobody may write: by real mounts."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.processes import HOST_KEY, memoranda, serving
from tests.faults.asking import OPERATIONS, Client, body_of, log_of
from tests.faults.mounts import fill, mounted, needs_mounts

pytestmark = [pytest.mark.timeout(300), needs_mounts]


def test_a_full_disk_is_told_loses_nothing_and_is_over_when_there_is_room(tmp_path: Path) -> None:
    # Given a server on a disk of 12 MiB, which somebody else has filled
    disk = tmp_path / "disk"
    disk.mkdir()
    data = disk / "data"
    mount = f"mount -t tmpfs -o size=12m none {shlex.quote(str(disk))}"
    with mounted(mount, data) as server:
        assert server.ready(), server.stop()
        client = Client(server.host, server.port)
        kept = client.remember("walrus")
        assert client.get(f"/v1/memories/{kept}?min_position=2").status == 200
        ballast = server.seen(disk / "ballast")
        fill(ballast)
        # When commands come that do not fit
        large = {"format": "text", "value": "x" * 200_000}
        first = body_of("remember", content=large, identity_key="large")
        answers = [client.send("POST", OPERATIONS, first) for _ in range(2)]
        before = client.get("/v1/log").body["events"]
        answers.append(client.send("POST", OPERATIONS, first))
        # Then they are told to come again, nothing of them is there, and what was is
        for answer in answers:
            assert answer.told == (503, "DURABILITY_FAILED", None, None)
            assert answer.headers["retry-after"] == "1"
            assert "full" in answer.error["message"]
        assert client.get("/v1/log").body["events"] == before
        assert client.get(f"/v1/memories/{kept}").status == 200
        # And with room again the same command happens, once
        ballast.unlink()
        receipts = [client.send("POST", OPERATIONS, first).result["receipt"] for _ in range(2)]
        assert [receipt["replayed"] for receipt in receipts] == [False, True]
        assert kept in client.recalled("walrus")
        status, said = server.stop()
    assert status == 0
    assert "Traceback" not in said


def test_a_server_does_not_start_on_a_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    quoted = shlex.quote(str(disk))
    filled = f"cat /dev/zero > {quoted}/ballast 2> {quoted}/said || true"
    mount = f"mount -t tmpfs -o size=1m none {quoted} && {{ {filled}; }}"
    with mounted(mount, disk / "data") as server:
        assert not server.ready()
        status, said = server.stop()

    assert status == 1
    assert said.startswith("error: ")
    assert "full" in said or "space" in said
    assert "Traceback" not in said


def test_a_folder_that_became_read_only_can_be_read(tmp_path: Path) -> None:
    # Given a folder that was served and that nothing can be written to any more
    data = tmp_path / "data"
    with serving(data, host_key=HOST_KEY) as first:
        Client(first.host, first.port).remember("walrus")
        first.stop()
    before = log_of(data)
    quoted = shlex.quote(str(data))
    read_only = f"mount --bind {quoted} {quoted} && mount -o remount,ro,bind {quoted}"

    with mounted(read_only, data) as server:
        assert not server.ready()
        status, said = server.stop()

    # Then the server says so and does not start; the folder is as it was
    assert status == 1
    assert said.startswith(f"error: the data folder {data} cannot be written (Read-only file")
    assert "--data" in said
    assert "Traceback" not in said
    assert log_of(data) == before
    # And verify, which writes nothing, verifies it, and afterwards it can be served again
    assert memoranda("verify", "--data", data).returncode == 0
    with serving(data, host_key=HOST_KEY) as again:
        assert Client(again.host, again.port).recalled("walrus")
