"""Operators ask a server with a database what they ask one with a folder."""

from __future__ import annotations

import pytest

from tests.cli.processes import serving
from tests.cli_operations.running import run

pytestmark = pytest.mark.timeout(300)


def test_a_store_in_a_database_is_counted_alike_beside_the_server_and_by_it(tmp_path, settings):
    del settings["host_key"]
    with serving(tmp_path / "data", **settings) as server:
        url, key = f"http://{server.host}:{server.port}", server.lines[0].split()[-1]
        made = run("remember", "Otters hold hands.", "--url", url, key=key)
        asked = run("stats", "--url", url, "--json", key=key)
        beside = run("stats", "--workspace", "default", "--json", **settings)
        whole = run("stats", "--json", **settings)

    assert [one.code for one in (made, asked, beside, whole)] == [0, 0, 0, 0], beside.err
    # Nobody keeps the read models up to date but who asks.
    assert asked.json | {"read_models": None} == beside.json | {"read_models": None}
    assert beside.json["memories"] == 1
    assert beside.json["data"] is beside.json["bytes"] is None
    assert whole.json["workspaces"].keys() == {"default", "system"}
    assert whole.json["files"].keys() >= {"memoranda_log", "memoranda_keys"}
    assert whole.json["bytes"] == sum(whole.json["files"].values())
