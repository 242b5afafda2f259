"""The OpenAPI document: it is current, whole, and says what answers hold."""

from __future__ import annotations

import json
import re

import pytest

from ops.http.app import api_document
from ops.http.models import RESULTS, ErrorBody, Problem
from ops.http.write_openapi import DOCUMENT, as_text
from tests.http.api import change, edge, memory, question


def test_the_committed_document_is_current():
    assert DOCUMENT.read_text(encoding="utf-8") == as_text(api_document()), (
        "run python -m ops.http.write_openapi"
    )


def test_the_server_gives_the_committed_document(client):
    assert client.get("/openapi.json").json() == json.loads(DOCUMENT.read_text("utf-8"))


def test_every_reference_leads_somewhere_and_every_schema_is_used():
    document = api_document()
    referred = set(re.findall(r'"#/components/(\w+)/([^"]+)"', as_text(document)))

    for section, name in referred:
        assert name in document["components"][section]
    used = {name for section, name in referred if section == "schemas"}
    assert set(document["components"]["schemas"]) == used


def test_operation_ids_are_unique_and_every_answer_has_a_schema():
    operations = [
        operation for path in api_document()["paths"].values() for operation in path.values()
    ]

    assert len({operation["operationId"] for operation in operations}) == len(operations)
    for operation in operations:
        assert operation["summary"]
        for status, response in operation["responses"].items():
            assert status == "304" or response["content"]


def answered(api):
    """One answer of each tag."""
    a = api.send("remember", memory("otter", identity_key="k", confidence=0.5)).json()["result"]
    b = api.send("remember", memory("otter two")).json()["result"]
    ids = [answer["result"]["record"]["id"] for answer in (a, b)]
    related = api.send("relate", edge(*ids, identity_key="e")).json()["result"]
    edge_id = related["result"]["relationship"]["id"]
    said = {
        "mode": {"mode": "propose"},
        "memory_ids": ids,
        "reason": "r",
        "preserve_disagreements": True,
    }
    forgotten = {"memory_id": ids[0], "mode": "tombstone", "reason": "r"}
    return [
        a,
        related,
        api.send("recall", question("otter"), None).json()["result"],
        api.send("recall", question("otter", explain=True), None).json()["result"],
        api.send("update", change(ids[0], confidence=0.7)).json()["result"],
        api.send("update", change(edge_id, "relationship")).json()["result"],
        api.send("consolidate", said, None).json()["result"],
        api.send("trace", {"target": {"kind": "memory", "id": ids[0]}}, None).json()["result"],
        api.send("forget", forgotten).json()["result"],
    ]


def test_answers_are_what_the_document_says(api):
    answers = answered(api)

    assert {answer["operation"] for answer in answers} == set(RESULTS)
    for answer in answers:
        RESULTS[answer["operation"]].model_validate_json(json.dumps(answer["result"]))


def test_refusals_are_what_the_document_says(api):
    contract = api.send("remember", memory(" "))
    reading = api.get("/v1/memories/mem_x")

    assert ErrorBody.model_validate(contract.json()).error.field == "content.value"
    assert Problem.model_validate(reading.json()).status == 404


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/v1", "/", "/v1/memories/", "/.git/config"])
def test_there_is_nothing_else(client, path):
    response = client.get(path)

    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("path", "methods"), [("/v1/keys", "GET, POST"), ("/v1/stats", "GET"), ("/v1/jobs", "POST")]
)
def test_a_method_that_a_path_does_not_have_is_told_those_it_has(client, path, methods):
    response = client.options(path)

    assert (response.status_code, response.headers["Allow"]) == (405, methods)
