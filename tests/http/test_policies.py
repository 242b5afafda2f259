"""Validation policies over HTTP: who may define them, what is answered, and what is refused."""

from __future__ import annotations

import pytest

from domain.validation.shipped import SHIPPED, SINGLE_TRUSTED
from ops.http.policy_models import PolicyAnswer, PolicyList

OWN = {"name": "two-labs/v1", "definition": {"independent_supports": 2, "rivals_allowed": False}}
SAID = {"independent_supports": 2}


class Keeper:
    """A client whose key holds `policy` in a workspace."""

    def __init__(self, client, store, workspace="w", permissions=("read", "policy")):
        self.client = client
        token, _ = store.keys.create(
            name="keeper", permissions=permissions, workspace=workspace, actor="kim"
        )
        self.headers = {"Authorization": f"Bearer {token}"}

    def get(self, path=""):
        return self.client.get(f"/v1/policies{path}", headers=self.headers)

    def post(self, body, path="", **headers):
        return self.client.post(f"/v1/policies{path}", json=body, headers=self.headers | headers)

    def retire(self, name, reason="not wanted"):
        return self.post({"reason": reason}, f"/{name}/retire")


@pytest.fixture
def keeper(client, store):
    return Keeper(client, store)


def test_the_shipped_policies_are_there_from_the_beginning(keeper):
    listed = keeper.get()

    assert PolicyList.model_validate(listed.json())
    assert [item["name"] for item in listed.json()["items"]] == sorted(SHIPPED)
    assert {item["shipped"] for item in listed.json()["items"]} == {True}
    assert listed.json()["version"] == 0
    shown = keeper.get(f"/{SINGLE_TRUSTED}").json()
    assert PolicyAnswer.model_validate(shown)
    assert shown["definition"] == SHIPPED[SINGLE_TRUSTED].as_json()
    assert (shown["actor_id"], shown["recorded_at"], shown["retired"]) == (None, None, None)


def test_a_policy_is_defined_shown_listed_and_retired(keeper, store):
    defined = keeper.post(OWN)
    shown = keeper.get("/two-labs/v1")
    retired = keeper.retire("two-labs/v1", "one lab is closed")

    assert defined.status_code == shown.status_code == retired.status_code == 200
    assert PolicyAnswer.model_validate(defined.json())
    assert defined.json() == shown.json()
    # What is at its default is not said.
    assert shown.json()["definition"] == SAID
    assert shown.json()["actor_id"] == "kim"
    end = retired.json().pop("retired")
    assert (end["reason"], end["actor_id"]) == ("one lab is closed", "kim")
    assert retired.json() | {"retired": None} == shown.json()
    (item,) = (one for one in keeper.get().json()["items"] if not one["shipped"])
    assert item | {"definition": SAID} == retired.json()


def test_sent_again_nothing_is_recorded(keeper, store):
    first = [keeper.post(OWN).json(), keeper.retire("two-labs/v1").json()]
    head = store.log.head()

    again = [keeper.retire("two-labs/v1", "another reason").json(), keeper.post(OWN).json()]

    assert again == [first[1], first[1]]
    assert store.log.head() == head


@pytest.mark.parametrize("name", ["two-labs/v1", SINGLE_TRUSTED])
def test_a_name_keeps_its_rules(keeper, name):
    keeper.post(OWN)

    refused = keeper.post({"name": name, "definition": {"independent_supports": 3}})

    assert refused.status_code == 409
    assert (refused.json()["code"], refused.json()["field"], refused.json()["reason"]) == (
        "VERSION_CONFLICT",
        "name",
        "POLICY_IMMUTABLE",
    )


@pytest.mark.parametrize(
    ("body", "field", "reason"),
    [
        ({}, "name", None),
        ({**OWN, "more": 1}, "more", None),
        ({**OWN, "name": 1}, "name", None),
        ({**OWN, "name": "x" * 97 + "/v10"}, "name", None),
        ({**OWN, "name": "two labs/v1"}, "name", "POLICY_NAME"),
        ({"name": "a/v1"}, "definition", None),
        ({"name": "a/v1", "definition": None}, "definition", None),
        ({"name": "a/v1", "definition": {}}, "definition", "NO_RULE"),
        (
            {"name": "a/v1", "definition": {"min_confidence": 1}},
            "definition.min_confidence",
            "CONFIDENCE_ONLY",
        ),
        (
            {"name": "a/v1", "definition": {"sources": {"trusted": ["*a"]}}},
            "definition.sources.trusted.0",
            None,
        ),
    ],
)
def test_what_is_no_policy_is_refused_with_its_field(keeper, body, field, reason):
    refused = keeper.post(body)

    assert refused.status_code == 400
    said = refused.json()
    assert (said["code"], said["field"], said.get("reason")) == ("INVALID_REQUEST", field, reason)
    assert keeper.get().json()["version"] == 0


def test_what_is_not_there_is_not_found(keeper):
    for refused in (keeper.get("/two-labs/v1"), keeper.retire("two-labs/v1"), keeper.get("/a/b")):
        assert refused.status_code == 404
        assert (refused.json()["field"], refused.json()["reason"]) == ("name", "UNKNOWN_POLICY")


def test_a_reason_is_needed(keeper):
    for body in ({}, {"reason": " "}, {"reason": None}, {"reason": "r", "more": 1}):
        assert keeper.post(body, f"/{SINGLE_TRUSTED}/retire").status_code == 400
    assert keeper.get(f"/{SINGLE_TRUSTED}").json()["retired"] is None


@pytest.mark.parametrize("header", ["Idempotency-Key", "If-Match", "If-None-Match"])
def test_headers_that_would_do_nothing_are_refused(keeper, header):
    value = {"Idempotency-Key": "k", "If-Match": '"1"', "If-None-Match": "*"}[header]

    for refused in (
        keeper.post(OWN, **{header: value}),
        keeper.post({"reason": "r"}, f"/{SINGLE_TRUSTED}/retire", **{header: value}),
    ):
        assert refused.status_code == 400
        assert refused.json()["field"] == header


def test_another_workspace_has_its_own(keeper, client, store):
    other = Keeper(client, store, workspace="v")
    keeper.post(OWN)
    keeper.retire(SINGLE_TRUSTED)

    assert other.get("/two-labs/v1").status_code == 404
    assert other.get(f"/{SINGLE_TRUSTED}").json()["retired"] is None
    assert other.post({**OWN, "definition": {"approvals": 1}}).status_code == 200


def test_whoever_may_read_sees_the_rules_and_changes_none(keeper, client, store):
    reader = Keeper(client, store, permissions=["read", "write", "trace", "forget", "consolidate"])
    keeper.post(OWN)

    assert reader.get("/two-labs/v1").json() == keeper.get("/two-labs/v1").json()
    assert reader.post(OWN).status_code == 403
    assert reader.retire("two-labs/v1").status_code == 403
