"""Reading memories and relationships: single ones, versions, lists, tags for caches."""

from __future__ import annotations

import pytest

from domain.limits import NAME_BYTES_MAX
from ops.http.read_models import (
    MemoryAnswer,
    MemoryPage,
    RelationshipAnswer,
    RelationshipPage,
)
from tests.http.api import change, edge, host_headers


def ids(page):
    return [item["id"] for item in page["items"]]


def problem_of(response, status, code):
    problem = response.json()
    assert (response.status_code, problem["code"]) == (status, code)
    return problem


def forget(api, record, mode="tombstone", **more):
    return api.do("forget", {"memory_id": record, "mode": mode, "reason": "r", **more})


def test_a_memory_is_read_as_it_was_written_and_says_how_far_the_answer_saw(api):
    written = api.do("remember", {**_whole(), "visibility": "workspace"}, session="monday")

    response = api.get(f"/v1/memories/{written['record']['id']}")

    body = response.json()
    assert MemoryAnswer.model_validate(body)
    assert body.items() >= written["record"].items()
    assert (body["visibility"], body["owner"], body["session"]) == ("workspace", "ann", "monday")
    assert body["position"] >= written["receipt"]["position"]
    assert response.headers["X-Memoranda-Position"] == str(body["position"])
    assert response.headers["ETag"] == '"1"'
    assert response.headers["X-Request-Id"]


def _whole():
    return {
        "identity_key": "k",
        "kind": "claim",
        "schema_version": "2",
        "content": {
            "format": "text_and_properties",
            "value": {"text": "vim", "properties": {"slot": "editor", "status": "observed"}},
        },
        "provenance": [{"source_id": "s", "locator": None, "observed_at": None}],
        "confidence": 0.5,
        "valid_from": "2020-01-01T00:00:00Z",
        "tags": ["t"],
    }


def test_a_cached_memory_is_not_sent_again_until_it_changes(api):
    record = api.remember()
    path = f"/v1/memories/{record}"

    same = api.get(path, headers={"If-None-Match": 'W/"9", "1"'})
    weak = api.get(path, headers={"If-None-Match": 'W/"1"'})
    anything = api.get(path, headers={"If-None-Match": "*"})
    api.do("update", change(record, confidence=0.5))
    changed = api.get(path, headers={"If-None-Match": '"1"'})

    assert [r.status_code for r in (same, weak, anything, changed)] == [304, 304, 304, 200]
    assert same.content == b""
    assert same.headers["ETag"] == '"1"'
    assert changed.headers["ETag"] == '"2"'


def test_every_version_of_a_memory_can_be_read(api):
    record = api.remember("old")
    api.do("update", change(record, content={"format": "text", "value": "new"}))

    old = api.get(f"/v1/memories/{record}/versions/1")
    new = api.get(f"/v1/memories/{record}/versions/2")

    assert [r.json()["content"]["value"] for r in (old, new)] == ["old", "new"]
    assert old.headers["ETag"] == '"1"'
    problem_of(api.get(f"/v1/memories/{record}/versions/3"), 404, "NOT_FOUND")


@pytest.mark.parametrize("version", ["0", "-1", "x", "1.5", str(2**63), "9" * 400])
def test_a_version_is_a_number_from_one(api, version):
    problem_of(api.get(f"/v1/memories/mem_x/versions/{version}"), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("record", ["mem_x", "mem_00000000000000000000000000", "rel_x", "%00", "x"])
def test_what_is_no_memory_here_is_not_found(api, record):
    problem_of(api.get(f"/v1/memories/{record}"), 404, "NOT_FOUND")
    problem_of(api.get(f"/v1/memories/{record}/versions/1"), 404, "NOT_FOUND")


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_forgotten_memory_is_not_found_at_any_version(api, mode):
    record = api.remember("canary", tags=["t"], identity_key="k")
    forget(api, record, mode)

    problem_of(api.get(f"/v1/memories/{record}"), 404, "NOT_FOUND")
    problem_of(api.get(f"/v1/memories/{record}/versions/1"), 404, "NOT_FOUND")
    assert ids(api.read("/v1/memories")) == []
    assert ids(api.read("/v1/memories?tag=t")) == []


def test_an_expired_memory_is_still_read(api):
    record = api.remember()
    forget(api, record, "expire", expires_at="2020-01-01T00:00:00Z")

    assert api.read(f"/v1/memories/{record}")["lifecycle"] == "expired"
    assert ids(api.read("/v1/memories?lifecycle=expired")) == [record]
    assert ids(api.read("/v1/memories?lifecycle=active")) == []


def test_a_memory_that_needs_a_review_has_another_tag_which_is_still_its_version(api):
    origin = api.remember("one")
    record = api.remember("two", provenance=[{"source_id": origin}])
    path = f"/v1/memories/{record}"
    before = api.get(path).headers["ETag"]
    forget(api, origin)

    response = api.get(path, headers={"If-None-Match": before})

    assert response.status_code == 200
    assert response.json()["needs_review"] is True
    tag = response.headers["ETag"]
    assert tag == '"1-review"'
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 304
    reviewed = api.send("update", change(record, confidence=0.5), headers={"If-Match": tag})
    assert reviewed.status_code == 200
    assert api.get(path).headers["ETag"] == '"2"'


def test_an_erased_version_has_another_tag_than_before(api):
    record = api.remember("one")
    path = f"/v1/memories/{record}/versions/1"
    api.do("update", change(record, content={"format": "text", "value": "two"}))
    before = api.get(path).headers["ETag"]
    forget(api, record, scope="event", version=1)

    response = api.get(path, headers={"If-None-Match": before})

    assert response.status_code == 200
    assert response.json()["content"] is None
    assert response.json()["erased"] is True
    assert response.headers["ETag"] != before


def test_a_private_memory_is_there_for_its_owner_alone(api):
    record = api.remember("mine", visibility="private", identity_key="k")

    assert api.read(f"/v1/memories/{record}")["visibility"] == "private"
    problem_of(api.get(f"/v1/memories/{record}", actor="bob"), 404, "NOT_FOUND")
    problem_of(api.get(f"/v1/memories/{record}/versions/1", actor="bob"), 404, "NOT_FOUND")
    assert ids(api.read("/v1/memories?identity_key=k")) == [record]
    assert ids(api.read("/v1/memories?identity_key=k", actor="bob")) == []


def test_another_workspace_sees_nothing(api):
    record = api.remember()

    problem_of(api.get(f"/v1/memories/{record}", workspace="other"), 404, "NOT_FOUND")
    page = api.read("/v1/memories", workspace="other")
    assert (page["items"], page["next_cursor"]) == ([], None)


def test_filters_must_all_hold(api):
    said = _whole()
    wanted = api.do("remember", said)["record"]["id"]
    api.remember("other", kind="claim", tags=["t"])

    for query in (
        "identity_key=k",
        "source_id=s",
        "slot=editor",
        "status=observed",
        "kind=claim&tag=t&source_id=s&lifecycle=active",
    ):
        assert ids(api.read(f"/v1/memories?{query}")) == [wanted], query
    assert len(ids(api.read("/v1/memories?kind=claim&tag=t"))) == 2
    assert ids(api.read("/v1/memories?kind=claim&tag=x")) == []


def test_a_slot_is_found_in_either_spelling(api):
    record = api.remember(
        content={"format": "properties", "value": {"slot": "caf\u00e9"}}, identity_key="k"
    )

    assert ids(api.read("/v1/memories?slot=cafe%CC%81")) == [record]


def test_lists_can_begin_after_an_instant(api):
    early = api.do("remember", _whole(), recorded_at="2021-01-01T00:00:00Z")["record"]["id"]
    late = api.remember()

    assert ids(api.read("/v1/memories?recorded_after=2020-12-31T23:59:59Z")) == [early, late]
    assert ids(api.read("/v1/memories?recorded_after=2021-01-01T01:00:00%2B01:00")) == [late]
    problem = problem_of(api.get("/v1/memories?recorded_after=2021"), 400, "INVALID_REQUEST")
    assert problem["field"] == "recorded_after"


def test_pages_neither_repeat_nor_skip(api):
    written = [api.remember(str(number)) for number in range(7)]

    seen, cursor = [], ""
    while cursor is not None:
        page = api.read(f"/v1/memories?limit=3{cursor and '&cursor=' + cursor}")
        assert MemoryPage.model_validate(page)
        seen += ids(page)
        cursor = page["next_cursor"]
        if len(seen) == 3:
            written.append(api.remember("late"))

    assert seen == written


def test_a_full_last_page_has_no_cursor(api):
    for number in range(3):
        api.remember(str(number))

    assert api.read("/v1/memories?limit=3")["next_cursor"] is None


def test_a_cursor_belongs_to_its_question_and_workspace(api):
    for number in range(3):
        api.remember(str(number), tags=["t"])
        api.remember(str(number), tags=["t"], names={"workspace": "other"})
    cursor = api.read("/v1/memories?limit=1&tag=t")["next_cursor"]

    def refused(query, **names):
        problem = problem_of(api.get(query, **names), 400, "INVALID_REQUEST")
        assert (problem["field"], problem["reason"]) == ("cursor", "CURSOR_INVALID")

    assert len(ids(api.read(f"/v1/memories?limit=2&tag=t&cursor={cursor}"))) == 2
    refused(f"/v1/memories?tag=u&cursor={cursor}")
    refused(f"/v1/memories?cursor={cursor}")
    refused(f"/v1/relationships?cursor={cursor}")
    refused(f"/v1/memories?tag=t&cursor={cursor}", workspace="other")
    refused(f"/v1/memories?tag=t&cursor={cursor}", workspace="unknown")
    for forged in ("", "e30", "!!!", "%C3%A4", cursor[:-4] + "AAAA", "A" + cursor[1:]):
        refused(f"/v1/memories?tag=t&cursor={forged}")


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "1.5", ""])
def test_a_page_has_one_to_two_hundred_items(api, limit):
    problem = problem_of(api.get(f"/v1/memories?limit={limit}"), 400, "INVALID_REQUEST")

    assert problem["field"] == "limit"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("lifecycle=gone", "lifecycle"),
        ("unknown=1", "unknown"),
        ("kind=a&kind=b", "kind"),
        ("tag=" + "x" * (NAME_BYTES_MAX + 1), "tag"),
        ("min_position=-1", "min_position"),
        (f"min_position={2**63}", "min_position"),
    ],
)
def test_a_parameter_that_means_nothing_is_refused_by_name(client, query, field):
    response = client.get(f"/v1/memories?{query}", headers=host_headers())

    assert problem_of(response, 400, "INVALID_REQUEST")["field"] == field


def test_a_refusal_never_quotes_what_was_sent(client):
    response = client.get("/v1/memories?limit=canary", headers=host_headers())

    assert "canary" not in response.text


def test_relationships_are_read_and_listed(api):
    a, b, c = (api.remember(text) for text in "abc")
    first = api.do("relate", edge(a, b, identity_key="e"))["relationship"]
    second = api.do("relate", edge(b, c, kind="cites"))["relationship"]

    response = api.get(f"/v1/relationships/{first['id']}")
    page = api.read("/v1/relationships")

    assert RelationshipAnswer.model_validate(response.json()).id == first["id"]
    assert response.json().items() >= first.items()
    assert response.headers["ETag"] == '"1"'
    assert RelationshipPage.model_validate(page)
    assert ids(page) == [first["id"], second["id"]]
    assert ids(api.read(f"/v1/relationships?source_id={b}")) == [second["id"]]
    assert ids(api.read(f"/v1/relationships?target_id={b}")) == [first["id"]]
    assert ids(api.read("/v1/relationships?kind=cites")) == [second["id"]]
    assert ids(api.read("/v1/relationships?identity_key=e")) == [first["id"]]
    problem_of(api.get(f"/v1/relationships/{a}"), 404, "NOT_FOUND")


def test_an_edge_to_a_private_memory_is_private(api):
    a, b = api.remember("a"), api.remember("b", visibility="private")
    related = api.do("relate", edge(a, b))["relationship"]["id"]

    assert api.read(f"/v1/relationships/{related}")["owner"] == "ann"
    problem_of(api.get(f"/v1/relationships/{related}", actor="bob"), 404, "NOT_FOUND")
    assert ids(api.read("/v1/relationships", actor="bob")) == []


def test_a_position_that_is_not_seen_in_time_is_told_with_a_time_to_come_back(client_of):
    client = client_of(wait_seconds_max=0.05)

    response = client.get("/v1/memories?min_position=1000000", headers=host_headers())

    problem = problem_of(response, 503, "OVERLOADED")
    assert (problem["retryable"], problem["field"]) == (True, "min_position")
    assert response.headers["Retry-After"] == "1"
