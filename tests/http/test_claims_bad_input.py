"""What must not be done to claims: a code, a field and a remedy, and nothing is written."""

from __future__ import annotations

import pytest

from domain.validation.shipped import REVIEWER_APPROVAL, TWO_INDEPENDENT
from tests.http.api import edge
from tests.http.claiming import SINGLE, People, done, refusal

LABS = {"name": "labs/v1", "definition": {"independent_supports": 1}}


@pytest.fixture
def claims(api, store):
    return People(api, store)


@pytest.fixture
def keeper(claims, store):
    """Sends as somebody who may set policy."""
    bound = {"workspace": "w", "actor": "pia", "permissions": ["policy"]}
    token, _ = store.keys.create(name="pia", **bound)

    def send(path, body):
        return claims.api.client.post(path, json=body, headers={"Authorization": f"Bearer {token}"})

    return send


def test_what_must_not_be_done_is_refused_with_a_remedy_and_nothing_is_written(claims, keeper):
    api = claims.api
    claim = claims.claim()
    forgotten = claims.claim("MySQL", names={"actor": "bob"})
    api.do("forget", {"memory_id": forgotten, "mode": "tombstone", "reason": "r"}, actor="bob")
    done(keeper("/v1/policies", LABS))
    done(keeper("/v1/policies", LABS | {"name": "closed/v1"}))
    done(keeper("/v1/policies/closed/v1/retire", {"reason": "r"}))
    retired = {"policy": "closed/v1"}
    unknown = {"policy": "nobody/v1"}
    edited = LABS | {"definition": {"independent_supports": 2}}
    fact = {"claims": [[claim, 1]], "kind": "fact", "content": {"format": "text", "value": "x"}}
    before = claims.head()

    for response, expected in (
        (claims.assess(claim, unknown), (404, "NOT_FOUND", "policy", "UNKNOWN_POLICY")),
        (claims.review(claim, policy="nobody/v1"), (404, "NOT_FOUND", "policy", "UNKNOWN_POLICY")),
        (
            claims.post("/v1/facts", fact | unknown),
            (404, "NOT_FOUND", "policy", "UNKNOWN_POLICY"),
        ),
        (claims.assess(claim, retired), (400, "INVALID_REQUEST", "policy", "RETIRED_POLICY")),
        (
            claims.review(claim, policy="closed/v1"),
            (400, "INVALID_REQUEST", "policy", "RETIRED_POLICY"),
        ),
        (
            claims.post("/v1/facts", fact | retired),
            (400, "INVALID_REQUEST", "policy", "RETIRED_POLICY"),
        ),
        (keeper("/v1/policies", edited), (409, "VERSION_CONFLICT", "name", "POLICY_IMMUTABLE")),
        (claims.assess(forgotten), (404, "NOT_FOUND", "claim_id", None)),
        (claims.review(forgotten), (404, "NOT_FOUND", "claim_id", None)),
        (
            claims.assess(claim, {**SINGLE, "apply": True, "expected_version": 7}),
            (409, "VERSION_CONFLICT", "expected_version", "STALE_TARGET"),
        ),
    ):
        assert refusal(response) == expected
        assert ": " in response.json()["detail"]
    assert claims.head() == before


@pytest.mark.parametrize("more", ["", "exclude", "apply"])
def test_a_claim_at_another_version_than_expected_is_not_judged(claims, more):
    claim = claims.claim()
    source, _ = claims.source("inventory", claim)
    more = {"": {}, "exclude": {"exclude": [source]}, "apply": {"apply": True}}[more]
    before = claims.head()

    by_body = claims.assess(claim, {**SINGLE, **more, "expected_version": 7})
    by_header = claims.assess(claim, {**SINGLE, **more}, headers={"If-Match": '"7"'})

    assert refusal(by_body) == (409, "VERSION_CONFLICT", "expected_version", "STALE_TARGET")
    assert refusal(by_header)[:2] == (412, "VERSION_CONFLICT")
    assert claims.head() == before


@pytest.mark.parametrize("unknown", ["mem_nothing", "", "sam"])
def test_a_claim_is_not_judged_without_what_is_not_there(claims, unknown):
    claim = claims.claim()
    source, _ = claims.source("inventory", claim)

    response = claims.assess(claim, {**SINGLE, "exclude": [source, unknown]})

    assert refusal(response)[:3] == (404, "NOT_FOUND", "exclude")


def test_a_claim_is_not_judged_without_itself(claims):
    claim = claims.claim()

    response = claims.assess(claim, {**SINGLE, "exclude": [claim]})

    assert refusal(response)[:3] == (400, "INVALID_REQUEST", "exclude")


@pytest.mark.parametrize("from_elsewhere", [True, False])
def test_no_relationship_leads_to_another_workspace(claims, from_elsewhere):
    api = claims.api
    claim = claims.claim()
    elsewhere = claims.claim(names={"workspace": "w2"})
    ends = (elsewhere, claim) if from_elsewhere else (claim, elsewhere)
    before = claims.head()

    response = api.send("relate", edge(*ends))

    error = response.json()["error"]
    field = "source_id" if from_elsewhere else "target_id"
    assert (response.status_code, error["code"], error["field"]) == (404, "NOT_FOUND", field)
    assert ": " in error["message"]
    assert claims.head() == before
    assert api.read(f"/v1/claims/{claim}")["supports"] == 0


def test_what_supports_itself_or_goes_in_a_circle_is_no_support(claims):
    api = claims.api
    one, other = claims.claim(), claims.claim("PostgreSQL", names={"actor": "bob"})
    for ends in ((one, one), (one, other), (other, one)):
        api.do("relate", edge(*ends))

    for claim in (one, other):
        said = done(claims.assess(claim, {**SINGLE, "apply": True}))["assessment"]
        assert said["recommended"] == "candidate"
        assert [one["blocker"] for one in said["blockers"]] == ["no_support"]
        assert api.read(f"/v1/claims/{claim}")["status"] == "candidate"


@pytest.mark.parametrize("who", ["ann", "sam"])
def test_who_wrote_a_claim_or_its_evidence_approves_nothing(claims, store, who):
    claim = claims.claim()
    claims.source("inventory", claim)
    bound = {"workspace": "w", "actor": who, "permissions": ["review"]}
    token, _ = store.keys.create(name=who, **bound)
    before = claims.head()

    response = claims.review(claim, headers={"Authorization": f"Bearer {token}"})

    assert refusal(response) == (403, "PERMISSION_DENIED", "claim_id", "OWN_CLAIM")
    assert ": " in response.json()["detail"]
    assert claims.head() == before


def test_who_proposes_a_status_is_no_approver_of_it(claims, store):
    claim = claims.claim()
    claims.source("inventory", claim)
    bound = {"workspace": "w", "actor": "kim", "permissions": ["review", "write"]}
    token, _ = store.keys.create(name="kim", **bound)
    done(claims.review(claim, headers={"Authorization": f"Bearer {token}"}))

    own = {"policy": REVIEWER_APPROVAL}
    by_kim = done(claims.assess(claim, own))["assessment"]
    by_lea = done(claims.assess(claim, own, actor="lea"))["assessment"]

    assert [one["blocker"] for one in by_kim["blockers"]] == ["approvals_missing"]
    assert by_lea["recommended"] == "validated"


def test_no_status_is_applied_to_a_claim_that_has_changed_meanwhile(claims):
    api = claims.api
    claim = claims.claim()
    claims.source("inventory", claim)
    api.do("update", {"target": {"kind": "memory", "id": claim}, "patch": {"confidence": 0.5}})
    before = claims.head()

    for body, headers in (({"expected_version": 1}, {}), ({}, {"If-Match": '"1"'})):
        sent = {"policy": TWO_INDEPENDENT, "apply": True, **body}
        response = claims.assess(claim, sent, headers=headers)
        assert (response.status_code, response.json()["code"]) in {
            (409, "VERSION_CONFLICT"),
            (412, "VERSION_CONFLICT"),
        }
        assert response.json()["current_version"] == 2
    assert claims.head() == before
    assert api.read(f"/v1/claims/{claim}")["status"] is None
