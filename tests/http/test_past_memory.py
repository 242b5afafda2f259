"""Reading a memory as it was known, and whether it was an answer for an instant."""

from __future__ import annotations

import pytest

from ops.http.read_models import MemoryAnswer, PastMemory
from tests.http.api import change, edge, host_headers, memory
from tests.http.test_records import forget, problem_of

JANUARY, MARCH, MAY = "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z"
OWN = {"basis", "excluded", "position", "needs_review"}


def read(api, record, basis, **names):
    return api.client.get(f"/v1/memories/{record}", params=basis, headers=host_headers(**names))


def at(api, record, **basis):
    """A memory at a basis, once the read models know of what was known there."""
    if "as_known_position" in basis:
        basis = {"min_position": basis["as_known_position"], **basis}
    response = read(api, record, basis)
    assert response.status_code == 200, response.text
    body = response.json()
    assert PastMemory.model_validate(body)
    return body


def test_what_was_known_at_a_position_is_what_was_read_then(api):
    made = api.do("remember", memory("one", valid_from=JANUARY))
    record = made["record"]["id"]
    then = [(made["receipt"]["position"], api.get(f"/v1/memories/{record}").json())]
    for patch in (
        {"content": {"format": "text", "value": "two"}},
        {"confidence": 0.5, "add_tags": ["t"]},
        {"lifecycle": "superseded"},
        {"lifecycle": "active", "expires_at": MAY},
    ):
        done = api.do("update", change(record, **patch))
        then.append((done["receipt"]["position"], api.get(f"/v1/memories/{record}").json()))

    for position, answer in then:
        again = at(api, record, as_known_position=position)

        assert again["basis"]["position"] == position
        assert {**again, "position": 0} == {
            **answer,
            "position": 0,
            "basis": again["basis"],
            "excluded": again["excluded"],
        }


def test_a_time_of_storing_names_the_same_basis_as_the_position(api):
    made = api.do("remember", memory("one"))
    record, first = made["record"]["id"], made["receipt"]["position"]
    events = api.get("/v1/log").json()["events"]
    appended = next(one["appended_at"] for one in events if one["position"] == first)
    api.do("update", change(record, content={"format": "text", "value": "two"}))

    by_time = at(api, record, as_known_at=appended, as_of=MAY)

    assert by_time["content"]["value"] == "one"
    assert by_time["basis"]["position"] >= first
    by_position = at(api, record, as_known_position=by_time["basis"]["position"], as_of=MAY)
    assert by_position == by_time


@pytest.mark.parametrize(
    ("as_of", "reason"),
    [
        ("2025-12-31T23:59:59.999999Z", "not_yet_valid"),
        (JANUARY, None),
        ("2026-02-28T23:59:59.999999Z", None),
        (MARCH, "validity_ended"),
        (MAY, "validity_ended"),
    ],
)
def test_validity_is_half_open_at_the_instant_that_is_asked_for(api, as_of, reason):
    made = api.do("remember", memory(valid_from=JANUARY, valid_until=MARCH, expires_at=MAY))

    found = at(api, made["record"]["id"], as_of=as_of)

    assert found["excluded"] == (reason and {"reason": reason})
    assert found["basis"]["as_of"].startswith(as_of[:19])


def test_an_expiry_that_moved_counts_from_when_it_was_known(api):
    made = api.do("remember", memory(valid_from=JANUARY, expires_at=MARCH))
    record, first = made["record"]["id"], made["receipt"]["position"]
    api.do("update", change(record, expires_at=MAY))

    then = at(api, record, as_known_position=first, as_of=MARCH)
    now = at(api, record, as_of=MARCH)

    assert (then["excluded"], now["excluded"]) == ({"reason": "expired"}, None)


def test_what_was_consolidated_away_says_so_since_then_and_not_before(api):
    first, second = (api.do("remember", memory(text)) for text in ("a thing", "a thing again"))
    members = [one["record"]["id"] for one in (first, second)]
    said = {"memory_ids": members, "canonical_id": members[0], "reason": "same"}
    said["preserve_disagreements"] = True
    proposed = api.do("consolidate", {**said, "mode": {"mode": "propose"}}, key=None)
    approved = {"proposal_id": proposed["proposal_id"], "approval_policy": "p"}
    api.do("consolidate", {**said, "mode": {"mode": "apply_approved", **approved}})

    then = at(api, members[1], as_known_position=second["receipt"]["position"])
    now = at(api, members[1], as_of="2100-01-01T00:00:00Z")

    assert (then["excluded"], now["excluded"]) == (None, {"reason": "superseded"})


def test_what_was_not_known_yet_is_not_found(api):
    before = api.do("remember", memory("before"))["receipt"]["position"]
    record = api.do("remember", memory("after"))["record"]["id"]

    response = read(api, record, {"as_known_position": before})

    problem_of(response, 404, "NOT_FOUND")


def test_what_is_forgotten_is_gone_from_every_basis(api):
    made = api.do("remember", memory("gone"))
    record, known = made["record"]["id"], {"as_known_position": made["receipt"]["position"]}
    assert at(api, record, **known)["excluded"] is None
    forget(api, record)

    response = read(api, record, known)

    assert "gone" not in response.text
    problem_of(response, 404, "NOT_FOUND")


def test_a_private_memory_is_absent_at_every_basis_for_everybody_else(api):
    made = api.do("remember", memory("mine", visibility="private"))
    record, known = made["record"]["id"], {"as_known_position": made["receipt"]["position"]}
    mine = at(api, record, **known)

    for names in ({"actor": "bob"}, {"workspace": "elsewhere"}):
        problem_of(read(api, record, known, **names), 404, "NOT_FOUND")
    assert mine["content"]["value"] == "mine"


def test_a_review_is_due_by_what_is_known_today(api):
    source = api.do("remember", memory("source"))["record"]["id"]
    made = api.do("remember", memory("made of it"))
    record, known = made["record"]["id"], {"as_known_position": made["receipt"]["position"]}
    api.do("relate", edge(record, source, kind="derived_from"))
    before = at(api, record, **known)
    forget(api, source)

    after = at(api, record, **known)

    assert (before["needs_review"], after["needs_review"]) == (False, True)


def test_without_a_basis_the_answer_is_the_one_with_a_tag(api):
    record = api.do("remember", memory())["record"]["id"]

    plain = api.get(f"/v1/memories/{record}")
    past = read(api, record, {"as_of": "2100-01-01T00:00:00Z"})

    assert MemoryAnswer.model_validate(plain.json())
    assert plain.headers["ETag"] == '"1"'
    assert "ETag" not in past.headers
    assert plain.json().keys() | OWN == past.json().keys()


@pytest.mark.parametrize(
    ("basis", "field"),
    [
        ({"as_of": "2026-01-01"}, "as_of"),
        ({"as_of": "2026-01-01T00:00:00"}, "as_of"),
        ({"as_known_at": "yesterday"}, "as_known_at"),
        ({"as_known_at": JANUARY, "as_known_position": 1}, "as_known_position"),
        ({"as_known_position": -1}, "as_known_position"),
        ({"as_known_position": "1.5"}, "as_known_position"),
        ({"as_off": JANUARY}, "as_off"),
    ],
)
def test_a_basis_that_is_none_is_refused_by_its_field(api, basis, field):
    record = api.do("remember", memory())["record"]["id"]

    response = read(api, record, basis)

    assert problem_of(response, 400, "INVALID_REQUEST")["field"] == field
