"""Slots over HTTP: one by its name, and the list, at any basis."""

from __future__ import annotations

from urllib.parse import quote, urlencode

import pytest

from ops.http.slot_models import SlotAnswer, SlotChanges, SlotPage
from tests.http.api import change, host_headers, question
from tests.http.test_records import forget, problem_of

JANUARY = "2026-01-01T00:00:00Z"


def claim(api, slot, value, names=None, **more):
    """The id of a memory that says something about a slot, and the position of its receipt."""
    content = {"format": "properties", "value": {"slot": slot, "object": value, "note": "otter"}}
    said = {"kind": "fact", "schema_version": "1", "content": content}
    made = api.do("remember", {**said, "provenance": [], "tags": [], **more}, **(names or {}))
    return made["record"]["id"], made["receipt"]["position"]


def ask(api, path, names=None, **asked):
    return api.client.get(path, params=asked, headers=host_headers(**(names or {})))


def slot_of(api, slot, names=None, **asked):
    # A client takes a segment of dots for a step unless the dots are encoded too.
    name = quote(slot, safe="").replace(".", "%2E")
    response = ask(api, f"/v1/slots/{name}", names, **asked)
    assert response.status_code == 200, response.text
    assert SlotAnswer.model_validate(response.json())
    assert response.headers["X-Memoranda-Position"] == str(response.json()["position"])
    return response.json()


def slots(api, names=None, **asked):
    response = ask(api, "/v1/slots", names, **asked)
    assert response.status_code == 200, response.text
    assert SlotPage.model_validate(response.json())
    return response.json()


@pytest.mark.parametrize(
    "name",
    [
        "city",
        "a/b",
        "/",
        "a//b/",
        "..",
        "../x",
        "50%",
        "?q=1#f",
        "ö ü",
        "日本",
        "a+b",
        "\\",
    ],
)
def test_a_slot_of_any_name_is_found_by_it(api, name):
    memory, _ = claim(api, name, "Rome")

    found = slot_of(api, name)

    assert (found["slot"], found["selected"]) == (name, [memory])
    assert slots(api)["items"][0]["slot"] == name


def test_a_name_is_compared_after_normalisation(api):
    memory, _ = claim(api, "caf\u00e9", "x")

    assert slot_of(api, "cafe\u0301")["selected"] == [memory]


def test_the_items_are_those_of_the_list_of_memories_and_the_choice_that_of_recall(api):
    older, _ = claim(api, "city", "Rome")
    newer, position = claim(api, "city", "Oslo")
    policy = "newest-recorded/v1"

    both, one = slot_of(api, "city"), slot_of(api, "city", policy=policy, min_position=position)

    assert both["selected"] == [newer, older]
    assert {item["id"]: item for item in both["items"]} == {
        item["id"]: item for item in api.read("/v1/memories")["items"]
    }
    asked = question("otter", slot="city", policy=policy, explain=True)
    recalled = api.do("recall", asked, key=None)
    assert one["selected"] == [item["record"]["id"] for item in recalled["items"]] == [newer]
    [conflict] = recalled["conflicts"]
    assert {**one["conflicts"][0], "slot": "city"} == conflict
    assert one["excluded"] == [
        {"id": older, "version": 1, "reason": "shadowed", "by": f"{newer}@1"}
    ]
    assert one["policy"] == policy


def test_a_basis_of_the_past_gives_the_answer_of_then(api):
    first, then = claim(api, "city", "Rome", valid_from=JANUARY)
    claim(api, "city", "Oslo")

    past = slot_of(api, "city", as_known_position=then)

    assert past["selected"] == [first]
    assert past["basis"]["position"] == then
    assert slot_of(api, "city", as_of="2025-12-31T00:00:00Z")["excluded"][0]["reason"] == (
        "not_yet_valid"
    )


def test_the_list_tells_what_changed_since_a_position_and_since_a_time(api):
    old, then = claim(api, "city", "Rome")
    kept, then = claim(api, "town", "Bergen")
    events = api.get("/v1/log").json()["events"]
    time = next(one["appended_at"] for one in events if one["position"] == then)
    api.do("update", change(old, confidence=0.5))
    head = api.do("remember", {
        "kind": "note", "schema_version": "1", "provenance": [], "tags": [],
        "content": {"format": "text", "value": "no slot"},
    })["receipt"]["position"]  # fmt: skip

    for since in (str(then), time):
        page = slots(api, changed_since=since, min_position=head)
        [item] = page["items"]
        assert (item["slot"], item["before"]) == ("city", [{"id": old, "version": 1}])
        assert item["selected"] == [{"id": old, "version": 2}]
        assert page["since"] == {"position": page["since"]["position"], "as_of": time}
        assert then <= page["since"]["position"] < head
    assert slots(api, changed_since=str(head), min_position=head)["items"] == []
    assert kept not in repr(page)


def test_pages_go_on_at_their_cursor_and_conflicts_can_be_asked_alone(api):
    for slot in "abc":
        claim(api, slot, "x")
    _, head = claim(api, "b", "y")

    found, cursor = [], {}
    while True:
        page = slots(api, limit=2, min_position=head, **cursor)
        found += [item["slot"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert sorted(found) == ["a", "b", "c"]
    [disputed] = slots(api, conflicts="true", min_position=head)["items"]
    assert disputed["slot"] == "b"
    assert len(disputed["conflict"]["candidates"]) == 2


def test_of_what_others_hold_nothing_is_told(api):
    _, position = claim(api, "city", "Rome", visibility="private")
    nothing = slot_of(api, "town", min_position=position)
    assert len(slots(api)["items"]) == 1

    for names in ({"actor": "bob"}, {"workspace": "elsewhere"}):
        found = slot_of(api, "city", names)
        told = {"selected", "items", "conflicts", "excluded"}
        assert {name: found[name] for name in told} == {name: nothing[name] for name in told}
        assert slots(api, names)["items"] == []


def test_a_slot_whose_memories_are_forgotten_tells_their_ids_and_no_text(api):
    memory, then = claim(api, "city", "Rome")
    forget(api, memory)

    for basis in ({}, {"as_known_position": then}):
        found = slot_of(api, "city", **basis)
        assert (found["selected"], found["items"]) == ([], [])
        told = {(one["id"], one["reason"]) for one in found["excluded"]}
        assert told == {(memory, "deleted")}
        assert "Rome" not in str(found)
        assert slots(api, **basis)["items"] == []


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"as_of": "2026-01-01"}, "as_of"),
        ({"as_known_at": "yesterday"}, "as_known_at"),
        ({"as_known_at": JANUARY, "as_known_position": 1}, "as_known_position"),
        ({"as_known_position": -1}, "as_known_position"),
        ({"policy": "newest"}, "policy"),
        ({"limit": 0}, "limit"),
        ({"slot": "city"}, "slot"),
    ],
)
def test_a_question_that_is_none_is_refused_by_its_field(api, asked, field):
    for path in ("/v1/slots", "/v1/slots/city"):
        problem = problem_of(ask(api, path, **asked), 400, "INVALID_REQUEST")
        assert problem["field"] == field
    if field == "policy":
        assert "newest-recorded/v1, surface-all/v1" in str(problem)


@pytest.mark.parametrize(
    ("path", "asked", "field"),
    [
        ("/v1/slots", {"changed_since": "monday"}, "changed_since"),
        ("/v1/slots", {"changed_since": "-1"}, "changed_since"),
        ("/v1/slots", {"changed_since": "9" * 19}, "changed_since"),
        ("/v1/slots", {"changed_since": ""}, "changed_since"),
        ("/v1/slots", {"conflicts": "perhaps"}, "conflicts"),
        ("/v1/slots", {"cursor": "x"}, "cursor"),
        ("/v1/slots/", {}, "slot"),
        ("/v1/slots/%20", {}, "slot"),
        ("/v1/slots/" + "a" * 4097, {}, "slot"),
        ("/v1/slots/city", {"conflicts": "true"}, "conflicts"),
    ],
)
def test_what_one_of_the_two_does_not_take_is_refused_by_its_field(api, path, asked, field):
    claim(api, "city", "Rome")

    assert problem_of(ask(api, path, **asked), 400, "INVALID_REQUEST")["field"] == field


def test_another_method_is_told_which_ones_there_are(api):
    response = api.client.post("/v1/slots/a/b", headers=host_headers())

    assert (response.status_code, response.headers["Allow"]) == (405, "GET")


def history(api, name, **asked):
    path = quote(name, safe="").replace(".", "%2E")
    query = f"?{urlencode(asked)}" if asked else ""
    found = api.read(f"/v1/slots/{path}/history{query}")
    SlotChanges.model_validate(found)
    return found


@pytest.mark.parametrize("name", ["city", "a/b", "a/history", "history", "..", "ü n"])
def test_the_history_of_a_slot_of_any_name_is_its_own(api, name):
    memory, _ = claim(api, name, "Rome")

    told = history(api, name)

    assert (told["slot"], [one["event"] for one in told["entries"]]) == (name, [f"{memory}@1"])
    assert slot_of(api, name)["selected"] == [memory]
    assert history(api, f"{name}/history")["entries"] == []


def test_a_history_is_read_page_after_page(api):
    made = [claim(api, "city", str(n))[0] for n in range(3)]

    first = history(api, "city", limit=2, policy="newest-recorded/v1")
    rest = history(api, "city", after=first["next_after"], policy="newest-recorded/v1")

    events = [entry["event"] for entry in [*first["entries"], *rest["entries"]]]
    assert events == [f"{one}@1" for one in made]
    assert rest["next_after"] is None


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"policy": "newest"}, "policy"),
        ({"after": -1}, "after"),
        ({"limit": 0}, "limit"),
        ({"as_of": "2026-01-01T00:00:00Z"}, "as_of"),
    ],
)
def test_what_a_history_cannot_be_asked_is_refused_by_its_field(api, asked, field):
    refused = api.get(f"/v1/slots/city/history?{urlencode(asked)}")

    assert problem_of(refused, 400, "INVALID_REQUEST")["field"] == field
