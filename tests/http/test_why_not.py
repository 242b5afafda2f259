"""`GET /v1/recalls/{id}/why-not/{memory}`: one reason, for those who may read the recall."""

from __future__ import annotations

import pytest

from ops.http.read_models import WhyNotAnswer
from tests.http.api import edge, memory, question
from tests.http.test_log import forget, problem_of


def asked(api, *, limits=None, **more):
    """The id of a recall."""
    said = question("otter", **more)
    return api.do("recall", {**said, "limits": {**said["limits"], **(limits or {})}}, None)


def why(api, recall, record, **names):
    said = api.read(f"/v1/recalls/{recall['recall_id']}/why-not/{record}", **names)
    WhyNotAnswer.model_validate(said)
    return said


def test_a_memory_beyond_the_page_is_told_with_the_limit_to_raise(api):
    records = [api.remember(f"otter {'x ' * number}") for number in range(4)]
    recall = asked(api, limits={"max_items": 2})

    first, last = why(api, recall, records[0]), why(api, recall, records[3])

    assert (first["item"], first["reason"], first["rank"]) == (True, "returned", 1)
    assert (last["item"], last["reason"], last["rank"]) == (False, "rank_cutoff", 4)
    assert last["raise"] == {"max_items": 4}
    again = asked(api, limits={"max_items": 2, **last["raise"]})
    assert records[3] in [item["record"]["id"] for item in again["items"]]


def test_each_kind_of_reason_is_told_over_http(api):
    seed, near, far = (api.remember(text) for text in ("otter", "heron", "reed"))
    api.do("relate", edge(seed, near))
    api.do("relate", edge(near, far))
    gone = api.remember("otter")
    forget(api, gone)
    other = api.remember("otter", tags=["t"])
    lonely = api.remember("stone")
    recall = asked(api)
    tagged = asked(api, tags=["t"])

    assert why(api, recall, near)["reason"] == "returned"
    assert why(api, recall, far)["reason"] == "max_depth_reached"
    assert why(api, recall, gone)["reason"] == "deleted"
    assert why(api, recall, lonely)["reason"] == "no_lexical_match"
    assert why(api, tagged, seed)["filter"] == "tags"
    assert why(api, tagged, other)["reason"] == "returned"


def test_who_may_not_see_a_memory_is_told_what_is_told_of_none(api):
    api.remember("otter")
    private = api.do("remember", memory("otter", visibility="private"), actor="bob")["record"]["id"]
    foreign = api.remember("otter", names={"workspace": "x"})
    recall = asked(api)

    nothing = why(api, recall, "mem_x")
    for hidden in (private, foreign):
        said = why(api, recall, hidden)
        assert {**said, "memory_id": "mem_x", "position": nothing["position"]} == nothing
    assert why(api, recall, private, actor="bob")["reason"] == "other_owner"


@pytest.mark.parametrize("strange", ["mem_x", "rel_x", "%00", "%E2%98%83", "mem_" + "0" * 26])
def test_whatever_is_no_memory_is_absent(api, strange):
    api.remember("otter")

    assert why(api, asked(api), strange)["reason"] == "absent"


def test_a_recall_that_is_not_for_the_caller_is_not_found(api):
    record = api.remember("otter")
    api.do("remember", memory("otter", visibility="private"))
    recall = asked(api)["recall_id"]

    for path, names in (
        (f"/v1/recalls/{recall}/why-not/{record}", {"actor": "bob"}),
        (f"/v1/recalls/{recall}/why-not/{record}", {"workspace": "x"}),
        (f"/v1/recalls/{record}/why-not/{record}", {}),
    ):
        problem_of(api.get(path, **names), 404, "NOT_FOUND")


def test_a_question_that_was_erased_is_told_as_such(api):
    gone, other = api.remember("otter"), api.remember("heron")
    recall = asked(api)
    said = {"memory_id": gone, "mode": "application_delete", "reason": "r"}
    api.do("forget", said)

    assert why(api, recall, other)["reason"] == "objective_erased"
    assert why(api, recall, gone)["reason"] == "returned"
