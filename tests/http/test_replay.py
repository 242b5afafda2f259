"""`GET /v1/recalls/{id}/replay`: a recall executed once more, for those who may read it."""

from __future__ import annotations

from ops.http.read_models import ReplayAnswer
from tests.http.api import question
from tests.http.test_log import forget, problem_of


def asked(api, objective="otter", **more):
    return api.do("recall", question(objective, **more), None)["recall_id"]


def replayed(api, recall, **names):
    said = api.read(f"/v1/recalls/{recall}/replay", **names)
    ReplayAnswer.model_validate(said)
    return said


def test_a_recall_is_the_same_after_whatever_was_written(api):
    memory = api.remember("otter")
    api.remember("heron")
    recall = asked(api)
    api.remember("otter otter")

    said = replayed(api, recall)

    assert said["recall_id"] == recall
    assert (said["verdict"], said["reason"], said["first_difference"]) == ("identical", None, None)
    assert [one["id"] for one in said["recorded"]["items"]] == [memory]
    assert said["recorded"] == said["replayed"]
    assert replayed(api, recall)["position"] == said["position"]


def test_what_was_erased_is_all_that_is_missing(api):
    api.remember("otter")
    gone = api.remember("a river of otters")
    beside = api.remember("stone")
    recall, other = asked(api), asked(api, "heron stone otter")

    api.do("forget", {"memory_id": beside, "mode": "application_delete", "reason": "r"})
    forget(api, gone)

    assert replayed(api, recall)["verdict"] == "identical_except_erased"
    erased = replayed(api, other)
    assert (erased["verdict"], erased["reason"]) == ("not_comparable", "objective_erased")
    hidden = replayed(api, recall, permissions="read")
    assert (hidden["verdict"], hidden["reason"]) == ("not_comparable", "objective_hidden")


def test_a_recall_that_is_not_for_the_caller_is_not_found(api):
    record = api.remember("otter", visibility="private")
    recall = asked(api)

    assert replayed(api, recall)["verdict"] == "identical"
    for path, names in (
        (f"/v1/recalls/{recall}/replay", {"actor": "bob"}),
        (f"/v1/recalls/{recall}/replay", {"workspace": "x"}),
        (f"/v1/recalls/{record}/replay", {}),
        ("/v1/recalls/%00/replay", {}),
    ):
        problem_of(api.get(path, **names), 404, "NOT_FOUND")
