"""Proposals to consolidate: listed, read, rejected, and suggested."""

from __future__ import annotations

import pytest

from ops.http.openapi import PERMISSION
from ops.http.proposal_models import ProposalReplay
from tests.http.api import change, host_headers
from tests.http.documented import undocumented

REASON = {"reason": "They are not the same."}


def proposing(members, reason="They say the same.", **mode):
    return {
        "mode": mode or {"mode": "propose"},
        "memory_ids": members,
        "reason": reason,
        "preserve_disagreements": True,
    }


@pytest.fixture
def propose(api):
    def made(*texts, names=None, **more):
        members = [api.remember(text, names=names, **more) for text in texts]
        said = proposing(members)
        return api.do("consolidate", said, key=None, **(names or {}))["proposal_id"], members

    return made


def apply(api, proposal_id, members, key=...):
    mode = {"mode": "apply_approved", "proposal_id": proposal_id, "approval_policy": "by hand"}
    return api.send("consolidate", proposing(members, **mode), key)


def reject(api, proposal_id, key="k1", body=REASON, **names):
    headers = host_headers(**names) | ({} if key is None else {"Idempotency-Key": key})
    return api.client.post(f"/v1/proposals/{proposal_id}/reject", json=body, headers=headers)


def test_a_proposal_is_listed_when_it_is_made_with_its_members_and_why(api, propose):
    proposal_id, members = propose("Tea helps.", "Tea helps!")

    page = api.read("/v1/proposals")

    [item] = page["items"]
    assert item["proposal_id"] == proposal_id
    assert (item["status"], item["changed"], item["ended"]) == ("open", [], None)
    assert item["canonical_id"] == min(members)
    assert item["members"] == [{"memory_id": key, "version": 1} for key in sorted(members)]
    assert item["rationale"] == "They say the same."
    assert item["proposed"]["actor_id"] == "ann"
    assert page["next_cursor"] is None
    one = api.read(f"/v1/proposals/{proposal_id}")
    assert one == {**item, "position": page["position"]}


def test_members_of_two_periods_are_told_to_disagree(api):
    january, june = "2031-01-01T00:00:00Z", "2031-06-01T00:00:00Z"
    first = api.remember("Alex is on call", valid_from=january, valid_until=june)
    second = api.remember("Alex is on call", valid_from=june)
    proposed = api.do("consolidate", proposing([first, second]), key=None)

    said = [
        {"valid_from": january, "valid_until": june},
        {"valid_from": june, "valid_until": None},
    ]
    pair = {"memory_ids": [first, second], "validity": said}
    assert proposed["disagreements"] == [pair]
    found = api.read(f"/v1/proposals/{proposed['proposal_id']}")
    assert found["disagreements"] == [pair]


@pytest.mark.parametrize("end", ["open", "applied", "rejected", "erased"])
def test_a_replay_is_answered_as_it_is_documented(api, propose, end):
    proposal_id, members = propose("a", "b")
    if end == "applied":
        apply(api, proposal_id, members)
    elif end == "rejected":
        reject(api, proposal_id)
    elif end == "erased":
        said = {"memory_id": members[0], "mode": "application_delete", "reason": "r"}
        api.do("forget", said)

    response = api.get(f"/v1/proposals/{proposal_id}/replay")

    assert response.status_code == 200
    assert undocumented(ProposalReplay.model_validate_json(response.content)) == set()
    body = response.json()
    ended = {name for name in ("applied", "rejected") if body["replayed"][name] is not None}
    assert ended == {end} & {"applied", "rejected"}
    assert body["verdict"] == ("identical_except_erased" if end == "erased" else "identical")
    assert api.get("/v1/proposals/prop_nothing/replay").status_code == 404


def test_the_list_goes_on_by_its_cursor_and_each_status_lists_its_own(api, propose):
    made = [propose(f"a {name}", f"the {name}") for name in ("one", "two", "three", "four")]
    ids = [proposal_id for proposal_id, _ in made]
    assert apply(api, *made[1]).status_code == 200
    assert reject(api, ids[2]).status_code == 200
    api.do("update", change(made[3][1][0], confidence=0.5))

    def listed(query):
        return [item["proposal_id"] for item in api.read(f"/v1/proposals?{query}")["items"]]

    assert {status: listed(f"status={status}") for status in STATUSES} == {
        status: [proposal_id] for status, proposal_id in zip(STATUSES, ids, strict=True)
    }
    first = api.read("/v1/proposals?limit=3")
    rest = api.read(f"/v1/proposals?limit=3&cursor={first['next_cursor']}")
    assert [item["proposal_id"] for item in first["items"] + rest["items"]] == ids
    assert rest["next_cursor"] is None


STATUSES = ("open", "applied", "rejected", "stale")


def test_a_cursor_of_another_question_is_refused(api, propose):
    propose("a", "b")
    propose("c", "d")
    cursor = api.read("/v1/proposals?limit=1")["next_cursor"]

    for path in (f"?status=open&cursor={cursor}", "?cursor=x", f"/suggestions?cursor={cursor}"):
        response = api.get(f"/v1/proposals{path}")
        assert (response.status_code, response.json()["reason"]) == (400, "CURSOR_INVALID")


def test_a_stale_proposal_says_which_member_changed(api, propose):
    proposal_id, members = propose("a", "b", "c")
    api.do("update", change(members[1], confidence=0.5))
    api.do("forget", {"memory_id": members[2], "mode": "tombstone", "reason": "r"})

    found = api.read(f"/v1/proposals/{proposal_id}")

    assert found["status"] == "stale"
    assert found["changed"] == [
        {"memory_id": key, "proposed_version": 1, "version": 2, "forgotten": gone}
        for key, gone in zip(members[1:], (False, True), strict=True)
    ]
    assert found["rationale"] is None  # it may quote what was forgotten


def test_an_applied_proposal_says_by_whom_and_under_which_policy(api, propose):
    proposal_id, members = propose("a", "b")
    apply(api, proposal_id, members)

    found = api.read(f"/v1/proposals/{proposal_id}")

    assert (found["status"], found["changed"]) == ("applied", [])
    assert (found["ended"]["actor_id"], found["ended"]["policy"]) == ("ann", "by hand")


def test_what_was_rejected_says_why_and_cannot_be_applied(api, propose):
    proposal_id, members = propose("a", "b")

    answer = reject(api, proposal_id).json()

    assert (answer["proposal_id"], answer["status"]) == (proposal_id, "rejected")
    assert answer["receipt"]["committed_version"] == 2
    found = api.read(f"/v1/proposals/{proposal_id}")
    assert found["status"] == "rejected"
    assert found["ended"]["reason"] == REASON["reason"]
    refused = apply(api, proposal_id, members)
    assert refused.json()["error"]["code"] == "POLICY_APPROVAL_REQUIRED"
    assert refused.json()["error"]["reason"] == "PROPOSAL_REJECTED"
    assert [api.read(f"/v1/memories/{key}")["version"] for key in members] == [1, 1]


def test_a_rejection_happens_once_under_its_key(api, propose, store):
    proposal_id, _ = propose("a", "b")
    first = reject(api, proposal_id).json()
    head = store.log.head()

    again = reject(api, proposal_id).json()
    other = reject(api, proposal_id, body={"reason": "another"})
    twice = reject(api, proposal_id, key="k2", body={"reason": "another"}).json()

    assert again["receipt"] == {**first["receipt"], "replayed": True}
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_CONFLICT")
    assert store.log.head() == head + 1  # the receipt of the last one
    assert twice["receipt"]["committed_version"] == 2
    found = api.read(f"/v1/proposals/{proposal_id}")
    assert found["ended"]["reason"] == REASON["reason"]


def test_what_was_applied_cannot_be_rejected(api, propose, store):
    proposal_id, members = propose("a", "b")
    apply(api, proposal_id, members)
    head = store.log.head()

    refused = reject(api, proposal_id)

    assert refused.status_code == 409
    assert (refused.json()["code"], refused.json()["reason"]) == (
        "VERSION_CONFLICT",
        "PROPOSAL_APPLIED",
    )
    assert store.log.head() == head


@pytest.mark.parametrize(
    ("sent", "status", "code", "field"),
    [
        ({"key": None}, 400, "IDEMPOTENCY_KEY_REQUIRED", "idempotency_key"),
        ({"key": " "}, 400, "INVALID_REQUEST", "idempotency_key"),
        ({"body": {"reason": " "}}, 400, "INVALID_REQUEST", "reason"),
        ({"body": {}}, 400, "INVALID_REQUEST", "reason"),
        ({"body": {**REASON, "more": 1}}, 400, "INVALID_REQUEST", "more"),
        ({"actor": "bob"}, 404, "NOT_FOUND", None),
        ({"workspace": "elsewhere"}, 404, "NOT_FOUND", None),
        ({"permissions": "read,write,trace,forget"}, 403, "PERMISSION_DENIED", None),
    ],
)
def test_a_rejection_that_cannot_be_is_told_what_to_mend(api, propose, sent, status, code, field):
    proposal_id, _ = propose("a", "b", visibility="private")

    refused = reject(api, proposal_id, **sent)

    said = refused.json()
    assert (refused.status_code, said["code"], said.get("field")) == (status, code, field)
    assert api.read(f"/v1/proposals/{proposal_id}")["status"] == "open"


def test_a_key_with_either_permission_may_reject_and_no_other_may(api, propose, store):
    document = api.client.get("/openapi.json").json()
    route = document["paths"]["/v1/proposals/{proposal_id}/reject"]["post"]
    assert route[PERMISSION] == ["consolidate", "review"]

    def status(granted):
        proposal_id, _ = propose("a", "b")
        token, _ = store.keys.create(name="k", permissions=[granted], workspace="w", actor="r")
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": proposal_id}
        path = f"/v1/proposals/{proposal_id}/reject"
        return api.client.post(path, json=REASON, headers=headers).status_code

    assert {name: status(name) for name in ("consolidate", "review", "write", "policy")} == {
        "consolidate": 200,
        "review": 200,
        "write": 403,
        "policy": 403,
    }


def test_who_neither_decides_nor_audits_reads_no_reasons(api, propose):
    proposal_id, _ = propose("a", "b")
    reject(api, proposal_id)

    def reasons(permissions):
        found = api.read(f"/v1/proposals/{proposal_id}", permissions=permissions)
        return found["rationale"], found["ended"]["reason"]

    assert reasons("read,trace") == (None, None)
    assert reasons("read,consolidate") == ("They say the same.", REASON["reason"])
    assert reasons("read,trace,forget") == ("They say the same.", REASON["reason"])


def test_an_erasure_takes_the_reason_of_a_rejection_too(api, propose):
    proposal_id, members = propose("canary-1", "b")
    reject(api, proposal_id, body={"reason": "canary-1 is not b"})
    said = {"memory_id": members[0], "mode": "application_delete", "reason": "r"}
    steps = api.do("forget", said)

    found = api.read(f"/v1/proposals/{proposal_id}")
    raw = api.client.get(f"/v1/streams/{proposal_id}", headers=host_headers()).json()

    assert steps["receipt"]["position"]
    assert (found["status"], found["rationale"], found["ended"]["reason"]) == (
        "rejected",
        None,
        None,
    )
    assert [event["payload_absent"] for event in raw["events"]] == ["erased", "erased"]
