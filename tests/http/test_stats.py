"""Counts over HTTP: of the workspace for its key, of the whole store for a host."""

from __future__ import annotations

from tests.http.operators import OWN, WHOLE, Operator


def test_a_workspace_is_counted_alone_and_its_place_is_not_told(api, client, store, tmp_path):
    api.remember("mine")
    api.remember("theirs", names={"workspace": "x"})
    own, whole = Operator(client, store, **OWN), Operator(client, store, **WHOLE)

    mine, all_of_it = own.get("/v1/stats"), whole.get("/v1/stats").json()
    named = client.get("/v1/stats", headers={**whole.headers, "X-Workspace-Id": "w"})

    assert mine.json()["workspaces"].keys() == {"w"}
    assert mine.json()["memories"] == 1
    assert str(tmp_path) not in mine.text
    assert [mine.json()[name] for name in ("data", "files", "bytes")] == [None] * 3
    assert all_of_it["memories"] == 2
    assert all_of_it["workspaces"].keys() == {"w", "x", "system"}
    assert all_of_it["bytes"] > 0
    assert named.json()["memories"] == 1


def test_two_do_not_count_at_once(client, store):
    whole = Operator(client, store, **WHOLE)

    with client.app.state.door.counting():
        refused = whole.get("/v1/stats")

    assert (refused.status_code, refused.json()["code"]) == (503, "OVERLOADED")
    assert refused.headers["Retry-After"] == "1"
    assert whole.get("/v1/stats").status_code == 200


def test_what_cannot_be_counted_is_not_told_with_its_place(client, store, tmp_path):
    whole = Operator(client, store, **WHOLE)
    (tmp_path / "data" / "log.db").rename(tmp_path / "data" / "away.db")

    refused = whole.get("/v1/stats")

    (tmp_path / "data" / "away.db").rename(tmp_path / "data" / "log.db")
    assert (refused.status_code, refused.json()["code"]) == (503, "DURABILITY_FAILED")
    assert str(tmp_path) not in refused.text
