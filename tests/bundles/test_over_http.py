"""Windows on the wire (docs/spec/bundle.md §2, §4, §6); the scheduler's story on both stores."""

from __future__ import annotations

import pytest

from tests.bundles.scribes import UPDATE, saying
from tests.bundles.story import FIRST, LATER, told
from tests.bundles.windows import proposal, window
from tests.cli.processes import HOST_KEY, serving
from tests.server_mode.conftest import MASTER_KEY, working

ROUTES = (
    "/v1/agent-sessions/windows",
    "/api/agent-sessions/windows",
    "/api/v1/agent-sessions/windows",
)


def test_rule_2_1_the_three_addresses_are_one_handler(team):
    body = window(proposal())
    answers = [team.client.post(path, json=body).json() for path in ROUTES]
    assert answers[0]["idempotent"] is False
    assert {one["window_id"] for one in answers} == {answers[0]["window_id"]}
    assert [one["idempotent"] for one in answers[1:]] == [True, True]
    assert (answers[0]["accepted"], answers[0]["status"], answers[0]["result"]) == (
        True,
        "processed",
        "knowledge_patched",
    )


def test_rule_4_9_a_failed_proposal_is_a_problem_with_the_whole_answer_as_its_detail(team):
    body = window(proposal(), saying("Pilots board", action=UPDATE))
    answer = team.client.post(ROUTES[0], json=body)
    assert answer.status_code == 422
    problem = answer.json()
    assert (problem["code"], problem["reason"]) == ("INVALID_REQUEST", "WINDOW_FAILED")
    assert [one["outcome"] for one in problem["detail"]["proposals"]] == [
        "applied",
        "rejected_scope",
    ]


def test_rule_6_2_late_evidence_is_no_failure(team):
    first = team.client.post(ROUTES[0], json=window(proposal())).json()["proposals"][0]
    late = saying("Charts are rolled", action=UPDATE, claim_id=first["claim_id"])
    answer = team.client.post(ROUTES[0], json=window(late, observed_at="2024-06-01T10:00:00Z"))
    assert answer.status_code == 200
    assert answer.json()["proposals"][0]["outcome"] == "skipped_conflict"


def test_a_body_that_is_not_json_is_refused_and_told_how(team):
    for raw in (b"", b"{", b"[]", b"\xff\xfe", b'{"client": 1, "client": 2}'):
        answer = team.client.post(
            ROUTES[0], content=raw, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 400
        assert answer.json()["code"] == "INVALID_REQUEST"


def test_rule_5_1_the_owner_reads_what_came_out_and_nobody_else_does(team):
    sent = team.client.post(ROUTES[0], json=window(proposal(title="Chart room"))).json()
    verdict = sent["proposals"][0]
    paths = {
        "concept": f"/v1/bundles/concepts/{verdict['concept_id']}",
        "page": f"/v1/bundles/concepts/{verdict['concept_id']}.md",
        "claim": f"/v1/bundles/claims/{verdict['claim_id']}",
        "window": f"/v1/bundles/windows/{sent['window_id']}",
        "completeness": "/v1/bundles/completeness?session_id=s-1",
    }
    read = {name: team.client.get(path) for name, path in paths.items()}
    assert {answer.status_code for answer in read.values()} == {200}
    assert read["claim"].json()["memory_id"] == verdict["memory_id"]
    assert f"<!-- claim: {verdict['claim_id']} -->" in read["page"].text
    assert read["completeness"].json()["total"] == 1
    for name in ("concept", "page", "claim", "window"):
        foreign = team.client.get(paths[name], headers={"X-Actor-Id": "bob"})
        assert foreign.status_code == 404
    other = team.client.get(paths["completeness"], headers={"X-Actor-Id": "bob"})
    assert other.json()["total"] == 0


def test_rule_6_7_both_addresses_of_a_window_are_one_and_the_share_is_of_what_was_processed(team):
    sent = team.client.post(ROUTES[0], json=window(proposal())).json()
    team.client.post(ROUTES[0], json=window({"action": "no_output"}))
    team.client.post(ROUTES[0], json=window(saying("Pilots board", action=UPDATE)))
    one = team.client.get(f"/v1/bundles/windows/{sent['window_id']}").json()
    same = team.client.get(f"/v1/agent-sessions/windows/{sent['window_id']}").json()
    assert one == same
    counted = team.client.get("/v1/bundles/completeness").json()
    assert (counted["total"], counted["processed"], counted["no_output_share"]) == (3, 2, 0.5)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mode", ["embedded", "server"])
def test_a_claim_begins_in_one_session_and_changes_in_a_later_one(tmp_path, request, mode):
    if mode == "embedded":
        with serving(tmp_path / "data", host_key=HOST_KEY) as server:
            tells_all(told(server))
        return
    urls = {f"{name}_url": request.getfixturevalue(f"{name}_url") for name in ("postgres", "redis")}
    settings = {
        "database_url": urls["postgres_url"],
        "redis_url": urls["redis_url"],
        "master_key": MASTER_KEY,
        "host_key": HOST_KEY,
    }
    with working(settings), serving(tmp_path / "data", **settings) as server:
        tells_all(told(server))


def tells_all(story):
    """The page before and after, the old memory with its reason, the words that were evidence."""
    assert FIRST in story.before
    assert LATER not in story.before
    assert LATER in story.after
    assert FIRST not in story.after
    assert story.before.count("<!-- claim:") == story.after.count("<!-- claim:") == 1
    former = story.claim["former"][0]
    assert former["memory_id"] == story.first["memory_id"]
    assert (former["mode"], former["reason"]) == ("revision", "three tries were too few")
    assert former["replaced_by"] == story.second["memory_id"]
    assert story.trace["versions"][-1]["lifecycle"] == "superseded"
    assert story.opened["events"][0]["text"].startswith("Three tries were too few")
    assert {one["window_id"] for one in story.claim["citations"]} == {
        story.first["window_id"],
        story.second["window_id"],
    }
