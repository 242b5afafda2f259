"""POST /v1/memory/operations and /v1/memory/batch: bodies, refusals, request ids."""

from __future__ import annotations

import json
import uuid

import pytest

from domain.limits import BATCH_MAX, BODY_BYTES_MAX
from tests.http.api import envelope, host_headers, memory, question

OPERATIONS = "/v1/memory/operations"
BATCH = "/v1/memory/batch"


def post(client, content, path=OPERATIONS, **headers):
    sent = {**host_headers(), "Content-Type": "application/json", **headers}
    return client.post(path, content=content, headers=sent)


def error_of(response, status, code):
    body = response.json()
    assert (response.status_code, body["error"]["code"], body["ok"]) == (status, code, False)
    assert body["correlation_id"] == response.headers["X-Correlation-Id"]
    return body["error"]


def test_an_operation_is_executed_and_answered_with_its_request_id(api):
    response = api.send("remember", memory("hello"), request_id="req:1/a.b_c-d")

    receipt = response.json()["result"]["result"]["receipt"]
    assert response.status_code == 200
    assert receipt["audit_correlation_id"] == "req:1/a.b_c-d"
    assert response.headers["X-Request-Id"] == "req:1/a.b_c-d"
    assert response.headers["X-Correlation-Id"] == "req:1/a.b_c-d"
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_a_correlation_id_stands_in_for_a_request_id_that_cannot_be_used(api):
    headers = {"X-Request-Id": "has blanks", "X-Correlation-Id": "corr-1"}

    response = api.send("remember", memory(), headers=headers)

    assert response.headers["X-Request-Id"] == "corr-1"


@pytest.mark.parametrize("sent", [None, "", "x" * 129, "ä", "a b"])
def test_without_a_usable_id_the_request_gets_a_new_one(api, sent):
    headers = {} if sent is None else {"X-Request-Id": sent.encode()}

    response = api.send("remember", memory(), headers=headers)

    assert uuid.UUID(response.headers["X-Request-Id"]).version == 4


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"null", b'{"a": NaN}', b'{"a":1,"a":2}', b"\xff", b'"\\ud800"'],
)
def test_a_body_that_is_no_envelope_is_refused(client, body):
    error = error_of(post(client, body), 400, "INVALID_REQUEST")

    assert error["retryable"] is False


def test_json_that_is_nested_too_deeply_is_refused(client):
    error_of(post(client, b"[" * 100_000 + b"]" * 100_000), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/json; charset=latin-1", "application/jsonl", "", "multipart/json"],
)
def test_only_json_in_utf_8_is_taken(client, content_type):
    error = error_of(post(client, b"{}", **{"Content-Type": content_type}), 415, "INVALID_REQUEST")

    assert error["field"] == "Content-Type"


def test_a_compressed_body_is_not_taken(client):
    error_of(post(client, b"{}", **{"Content-Encoding": "gzip"}), 415, "INVALID_REQUEST")


def test_parameters_of_the_content_type_do_not_matter(client):
    body = json.dumps(envelope("remember", memory())).encode()

    response = post(client, body, **{"Content-Type": "Application/JSON; charset=UTF-8"})

    assert response.status_code == 200


def test_a_body_of_the_largest_size_is_read_and_one_byte_more_is_not(client):
    body = json.dumps(envelope("remember", memory())).encode()

    fits = post(client, body + b" " * (BODY_BYTES_MAX - len(body)))
    exceeds = post(client, body + b" " * (BODY_BYTES_MAX - len(body) + 1))

    assert fits.status_code == 200
    error_of(exceeds, 413, "INVALID_REQUEST")


def test_a_body_of_unknown_length_is_bounded_while_it_is_read(client):
    read = []

    def chunks():
        for number in range(64):
            read.append(number)
            yield b" " * 65536

    error_of(post(client, chunks()), 413, "INVALID_REQUEST")


def test_a_key_in_the_header_is_a_twin_of_the_one_in_the_body(client):
    bare = json.dumps(envelope("remember", memory(), key=None)).encode()
    keyed = json.dumps(envelope("remember", memory(), key="k ä")).encode()

    first = post(client, bare, **{"Idempotency-Key": "k %C3%A4"})
    second = post(client, keyed, **{"Idempotency-Key": "k %C3%A4"})
    third = post(client, keyed)

    replayed = [r.json()["result"]["result"]["receipt"]["replayed"] for r in (first, second, third)]
    assert replayed == [False, True, True]


def test_two_different_keys_are_refused(client):
    body = json.dumps(envelope("remember", memory(), key="one")).encode()

    error = error_of(post(client, body, **{"Idempotency-Key": "two"}), 400, "INVALID_REQUEST")

    assert error["field"] == "idempotency_key"


def test_if_match_asks_for_a_version_and_fails_as_a_precondition(api):
    record = api.remember()
    said = {"target": {"kind": "memory", "id": record}, "patch": {"confidence": 0.5}}

    fresh = api.send("update", said, headers={"If-Match": '"1"'})
    stale = api.send("update", said, headers={"If-Match": '"1"'})

    assert fresh.status_code == 200
    error = error_of(stale, 412, "VERSION_CONFLICT")
    assert error["current_version"] == 2


def test_without_if_match_a_stale_version_stays_a_conflict(api):
    record = api.remember()
    said = {"target": {"kind": "memory", "id": record}, "patch": {}, "expected_version": 7}

    error_of(api.send("update", said), 409, "VERSION_CONFLICT")


def test_an_update_that_is_sent_again_with_if_match_is_a_replay(api):
    record = api.remember()
    said = {"target": {"kind": "memory", "id": record}, "patch": {"confidence": 0.5}}

    first = api.send("update", said, "u", headers={"If-Match": '"1"'}).json()
    again = api.send("update", said, "u", headers={"If-Match": '"1"'}).json()

    assert first["result"]["result"]["record"] == again["result"]["result"]["record"]
    assert again["result"]["result"]["receipt"]["replayed"] is True


@pytest.mark.parametrize("tag", ["1", 'W/"1"', '"1", "2"', '"x"', '"01"', "*"])
def test_if_match_takes_one_strong_version(api, tag):
    said = {"target": {"kind": "memory", "id": "mem_x"}, "patch": {}}

    error = error_of(api.send("update", said, headers={"If-Match": tag}), 400, "INVALID_REQUEST")

    assert error["field"] == "If-Match"


def test_if_match_and_expected_version_must_agree(api):
    said = {"target": {"kind": "memory", "id": "mem_x"}, "patch": {}, "expected_version": 2}

    error = error_of(api.send("update", said, headers={"If-Match": '"1"'}), 400, "INVALID_REQUEST")

    assert error["field"] == "expected_version"


def test_report_26_an_existing_key_is_not_overwritten_where_only_a_new_memory_is_wanted(api):
    header = {"If-None-Match": "*"}
    new = api.send("remember", memory("one", identity_key="K"), "a", headers=header).json()
    again = api.send("remember", memory("one", identity_key="K"), "a", headers=header).json()
    held = new["result"]["result"]["record"]["id"]

    error = error_of(
        api.send("remember", memory("two", identity_key="K"), headers=header),
        412,
        "VERSION_CONFLICT",
    )

    assert again["result"]["result"]["receipt"]["replayed"] is True
    assert (error["current_version"], held in error["message"]) == (1, True)
    upsert = api.send("remember", memory("three", identity_key="K")).json()
    assert upsert["result"]["result"]["record"]["version"] == 2


def test_preconditions_are_refused_where_they_mean_nothing(api):
    error_of(api.send("recall", question(), headers={"If-Match": '"1"'}), 400, "INVALID_REQUEST")
    error_of(api.send("recall", question(), headers={"If-None-Match": "*"}), 400, "INVALID_REQUEST")
    error_of(
        api.send("remember", memory(), headers={"If-None-Match": '"1"'}), 400, "INVALID_REQUEST"
    )


def test_a_method_or_path_that_is_not_there_is_told_as_the_contract_does(client):
    error_of(client.get(OPERATIONS), 405, "INVALID_REQUEST")
    error_of(client.post("/v1/memory/nothing", json={}), 404, "NOT_FOUND")


def batch(client, items, **more):
    return post(client, json.dumps({"items": items, **more}).encode(), path=BATCH)


def test_each_item_of_a_batch_has_its_own_verdict_in_order(client):
    items = [envelope("remember", memory()), {"x": 1}, envelope("remember", memory(" "))]

    response = batch(client, items)

    verdicts = response.json()["items"]
    assert response.status_code == 200
    assert verdicts[0]["result"]["operation"] == "remember"
    assert [verdict["error"]["code"] for verdict in verdicts[1:]] == ["INVALID_REQUEST"] * 2
    assert verdicts[2]["error"]["field"] == "content.value"


def test_an_atomic_batch_does_all_or_nothing(client, api):
    good = envelope("remember", memory("otter"))

    refused = batch(
        client,
        [good, envelope("update", {"target": {"kind": "memory", "id": "mem_x"}, "patch": {}})],
        atomic=True,
    )
    found = api.do("recall", question("otter"), None)
    accepted = batch(client, [good], atomic=True)

    assert [verdict["ok"] for verdict in refused.json()["items"]] == [False, False]
    assert found["items"] == []
    assert accepted.json()["items"][0]["result"]["result"]["receipt"]["replayed"] is False


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"items": []}, "items"),
        ({"items": [{}] * (BATCH_MAX + 1)}, "items"),
        ({"items": {}}, "items"),
        ({}, "items"),
        ({"items": [{}], "atomic": "yes"}, "atomic"),
        ({"items": [{}], "more": 1}, "more"),
    ],
)
def test_a_batch_of_the_wrong_shape_is_refused_whole(client, body, field):
    response = post(client, json.dumps(body).encode(), path=BATCH)

    assert error_of(response, 400, "INVALID_REQUEST")["field"] == field


@pytest.mark.parametrize("header", ["Idempotency-Key", "If-Match", "If-None-Match"])
def test_headers_of_single_operations_do_not_go_with_a_batch(client, header):
    value = {"If-Match": '"1"', "If-None-Match": "*"}.get(header, "k")
    body = json.dumps({"items": [envelope("remember", memory())]}).encode()

    response = post(client, body, path=BATCH, **{header: value})

    assert error_of(response, 400, "INVALID_REQUEST")["field"] == header
