"""Every route × every permission, from the document that clients read."""

from __future__ import annotations

import pytest

from domain.context import CONTRACT_PERMISSIONS, PERMISSIONS
from domain.validation.shipped import SINGLE_TRUSTED
from ops.http.app import api_document
from ops.http.openapi import PERMISSION
from ops.http.permissions import BY_OPERATION, OPEN, ROUTES
from tests.bundles.windows import window
from tests.http.api import change, envelope, host_headers, memory, question

DOCUMENT = api_document()
ROUTES_OF_THE_DOCUMENT = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
CLOSED = [row for row in ROUTES_OF_THE_DOCUMENT if row[1] not in OPEN]
SINGLE = [
    (m, p, op[PERMISSION])
    for m, p, op in CLOSED
    if isinstance(op[PERMISSION], str) and op[PERMISSION] != "operate"
]
OPERATING = [(m, p) for m, p, op in CLOSED if op[PERMISSION] == "operate"]
IDS = {
    "{key_id}": "key_x",
    "{job_id}": "job_x",
    "{memory_id}": "mem_x",
    "{version}": "1",
    "{relationship_id}": "rel_x",
    "{recall_id}": "recall_x",
    "{proposal_id}": "prop_x",
    "{stream_id}": "mem_x",
    "{slot}": "a/b",
    "{name}": "own",
}
BODIES = {
    "/v1/policies": {"name": "own/v1", "definition": {"approvals": 1}},
    "/v1/policies/{name}/{version}/retire": {"reason": "r"},
    "/v1/claims/{claim_id}/assess": {"policy": SINGLE_TRUSTED, "exclude": []},
    "/v1/claims/{claim_id}/reviews": {"policy": SINGLE_TRUSTED, "verdict": "approved"},
    **dict.fromkeys(
        (
            "/v1/agent-sessions/windows",
            "/api/agent-sessions/windows",
            "/api/v1/agent-sessions/windows",
        ),
        window(),
    ),
    "/v1/agent-sessions/windows/{window_id}/resolve": {"index": 0, "claim_id": "new"},
    "/v1/facts": {
        "claims": [["mem_x", 1]],
        "kind": "fact",
        "content": memory()["content"],
        "policy": SINGLE_TRUSTED,
    },
}
QUERIES = {
    "/v1/reassessments": f"?policy={SINGLE_TRUSTED}",
    "/v1/evidence/graph": "?seed=mem_x",
}
KEYED = {"/v1/claims/{claim_id}/reviews", "/v1/facts"}
"""Routes that want an idempotency key before they look for anything."""
INPUTS = {
    "remember": memory(),
    "relate": {**memory(), "source_id": "mem_x"},
    "recall": question(),
    "update": change("mem_x"),
    "forget": {"memory_id": "mem_x", "mode": "tombstone", "reason": "r"},
    "consolidate": {
        "mode": {"mode": "propose"},
        "memory_ids": ["mem_x", "mem_y"],
        "reason": "r",
        "preserve_disagreements": True,
    },
    "trace": {"target": {"kind": "memory", "id": "mem_x"}},
}
INPUTS["relate"] = {
    "source_id": "mem_x",
    "target_id": "mem_y",
    "kind": "k",
    "properties": {},
    "provenance": [],
    "lifecycle": "active",
}


def address(path):
    for name, value in IDS.items():
        path = path.replace(name, value)
    return path


def test_the_document_and_the_table_name_the_same_routes():
    assert {(method, path) for method, path, _ in CLOSED} == set(ROUTES)
    assert {path for _, path, _ in ROUTES_OF_THE_DOCUMENT} - {path for _, path in ROUTES} < OPEN


def test_only_routes_that_tell_nothing_need_no_key():
    secured = {path: operation["security"] for _, path, operation in ROUTES_OF_THE_DOCUMENT}

    assert {path for path, security in secured.items() if security == []} == OPEN - {
        "/openapi.json"
    }


@pytest.mark.parametrize("path", sorted(OPEN))
def test_open_routes_answer_without_a_key(client, path):
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p, _ in CLOSED])
def test_closed_routes_ask_for_a_key(client, method, path):
    assert client.request(method, address(path), json={}).status_code == 401


@pytest.mark.parametrize(("method", "path", "needed"), SINGLE)
def test_a_route_needs_its_permission_and_no_other(client, store, method, path, needed):
    def status(granted):
        token, _ = store.keys.create(
            name="k", permissions=sorted(granted), workspace="w", actor="ann"
        )
        sent = {"Authorization": f"Bearer {token}"}
        if path in KEYED:
            sent["Idempotency-Key"] = "k"
        body = None if method == "GET" else BODIES.get(path, {})
        asked = address(path) + QUERIES.get(path, "")
        return client.request(method, asked, json=body, headers=sent).status_code

    assert status(PERMISSIONS - {needed, "host"}) == 403
    assert status({needed}) in {200, 404}
    assert all(status({other}) == 403 for other in PERMISSIONS - {needed, "host"})


@pytest.mark.parametrize(
    ("method", "path"), [(m, p) for m, p, one in SINGLE if one not in CONTRACT_PERMISSIONS]
)
def test_what_goes_beyond_the_five_no_header_gives(client, method, path):
    def status(permissions):
        headers = host_headers(permissions=permissions)
        return client.request(method, address(path), json={}, headers=headers).status_code

    assert status(",".join(sorted(CONTRACT_PERMISSIONS))) == 403
    assert status("policy") == 400


@pytest.mark.parametrize(("method", "path"), OPERATING)
def test_an_operating_route_needs_a_key_with_operate_and_no_header_gives_it(
    client, store, method, path
):
    def status(*granted, **headers):
        bound = {"workspace": "w", "actor": "ann"} if "host" not in granted else {}
        token, _ = store.keys.create(
            name="k", permissions=granted, **({"workspace": None, "actor": None} | bound)
        )
        sent = {"Authorization": f"Bearer {token}", **headers}
        return client.request(method, address(path), headers=sent).status_code

    everything = PERMISSIONS - {"operate", "host"}
    named = {"X-Permissions": "operate", "X-Workspace-Id": "w", "X-Actor-Id": "ann"}
    assert status(*everything) == 403
    assert status(*everything, "host") == 403
    assert status("host", **named) == 400
    assert status("host", "operate") in {200, 400, 404, 415}


@pytest.mark.parametrize(("operation", "needed"), sorted(BY_OPERATION.items()))
def test_an_operation_needs_its_permission_and_no_other(client, operation, needed):
    def status(granted):
        headers = host_headers(permissions=",".join(sorted(granted)))
        body = envelope(operation, INPUTS[operation])
        return client.post("/v1/memory/operations", json=body, headers=headers).status_code

    assert status(CONTRACT_PERMISSIONS - {needed}) == 403
    assert status({needed}) in {200, 404}


@pytest.mark.parametrize(("operation", "needed"), sorted(BY_OPERATION.items()))
def test_a_batch_gives_no_more_permission_than_a_single_operation(client, operation, needed):
    headers = host_headers(permissions=",".join(sorted(CONTRACT_PERMISSIONS - {needed})))
    body = {"items": [envelope(operation, INPUTS[operation])]}

    response = client.post("/v1/memory/batch", json=body, headers=headers)

    assert response.json()["items"][0]["error"]["code"] == "PERMISSION_DENIED"
