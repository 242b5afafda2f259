"""Keys over HTTP: nobody gives more than they have, or sees the keys of others."""

from __future__ import annotations

import pytest

from tests.http.operators import OWN, WHOLE, Operator

NEW = {"name": "new", "permissions": ["read"], "workspace": "w", "actor": "ann"}
SOON = "2031-01-01T00:00:00Z"


@pytest.fixture
def whole(client, store):
    return Operator(client, store, **WHOLE)


@pytest.fixture
def own(client, store):
    return Operator(client, store, **OWN)


def test_a_key_that_is_made_works_and_is_shown_once(client, whole):
    made = whole.post("/v1/keys", NEW)

    token = made.json()["token"]
    seen = client.get("/v1/memories", headers={"Authorization": f"Bearer {token}"})
    listed = whole.get("/v1/keys")
    assert (made.status_code, seen.status_code) == (200, 200)
    assert made.headers["Cache-Control"] == "no-store"
    assert token not in listed.text
    assert [key["name"] for key in listed.json()["items"]] == ["operator", "new"]


def test_a_key_of_a_workspace_makes_keys_like_itself(own):
    made = own.post("/v1/keys", {"name": "n", "permissions": ["read"]}).json()

    assert (made["workspace"], made["actor"]) == ("w", "ann")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"workspace": "other"}, "workspace"),
        ({"actor": "ben"}, "actor"),
        ({"permissions": ["read", "trace"]}, "permissions"),
        ({"permissions": ["host"]}, "permissions"),
    ],
)
def test_a_key_of_a_workspace_gives_no_more_than_it_has(own, changed, field):
    refused = own.post("/v1/keys", NEW | changed)

    assert (refused.status_code, refused.json()["field"]) == (403, field)


def test_a_host_key_gives_the_five_and_what_it_holds_itself(whole):
    given = whole.post("/v1/keys", NEW | {"permissions": ["consolidate", "forget", "operate"]})
    beyond = whole.post("/v1/keys", NEW | {"permissions": ["policy"]})

    assert (given.status_code, beyond.status_code) == (200, 403)


@pytest.mark.parametrize("end", [None, "2032-01-01T00:00:00Z"])
def test_a_key_does_not_outlast_the_one_that_made_it(client, store, end):
    ending = Operator(client, store, **OWN, expires_at=SOON)

    refused = ending.post("/v1/keys", NEW | {"expires_at": end})
    made = ending.post("/v1/keys", NEW | {"expires_at": SOON})

    assert (refused.status_code, refused.json()["field"]) == (403, "expires_at")
    assert made.status_code == 200


def test_keys_of_another_workspace_are_neither_seen_nor_revoked(own, whole, store):
    _, other = store.keys.create(name="o", workspace="x", actor="a", permissions=["read"])

    refused = own.post(f"/v1/keys/{other.key_id}/revoke")

    assert [key["key_id"] for key in own.get("/v1/keys").json()["items"]] == [own.info.key_id]
    assert refused.status_code == 404
    assert whole.post(f"/v1/keys/{other.key_id}/revoke").json()["revoked_at"] is not None


def test_a_revoked_key_is_refused_at_once(own, whole):
    again = [whole.post(f"/v1/keys/{own.info.key_id}/revoke").json() for _ in range(2)]

    assert own.get("/v1/keys").status_code == 401
    assert again[0] == again[1]


def test_a_list_of_keys_comes_in_pages(whole):
    for name in "abc":
        whole.post("/v1/keys", NEW | {"name": name})

    names, after = [], None
    for _ in range(2):
        asked = {"limit": 2, **({} if after is None else {"after": after})}
        page = whole.get("/v1/keys", params=asked).json()
        names += [key["name"] for key in page["items"]]
        after = page["next_after"]

    assert (names, after) == (["operator", "a", "b", "c"], None)
    assert whole.get("/v1/keys", params={"after": "key_no"}).status_code == 400


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], None),
        ({}, "name"),
        (NEW | {"permissions": []}, "permissions"),
        (NEW | {"permissions": ["fly"]}, "permissions"),
        (NEW | {"permissions": "read"}, "permissions"),
        (NEW | {"workspace": 1}, "workspace"),
        (NEW | {"actor": " "}, "actor"),
        (NEW | {"more": 1}, "more"),
        (NEW | {"expires_at": "soon"}, "expires_at"),
        ({"name": "n", "permissions": ["read"]}, "workspace"),
    ],
)
def test_a_body_that_is_no_key_is_refused_by_its_member(whole, body, field):
    refused = whole.post("/v1/keys", body)

    assert (refused.status_code, refused.json().get("field")) == (400, field)
