"""What another owner sends changes no byte of an answer, on any route that reads.

The routes are those of OpenAPI: a new one is asked as well. Left out of the comparison is what is
no content: how far the log goes, when it was asked, and the ids of questions.
"""

from __future__ import annotations

import json
from typing import Any

from ops.http.app import api_document
from ops.http.permissions import OPEN
from tests.bundles.scribes import UPDATE, about, saying
from tests.bundles.windows import proposal, says, window

WINDOWS = "/v1/agent-sessions/windows"
VOLATILE = {
    "position",
    "next_after",
    "as_of",
    "elapsed_ms",
    "recall_id",
    "correlation_id",
    "request_id",
    "basis",
}
BUDGETS = {
    "max_items": 50,
    "max_depth": 2,
    "max_payload_bytes": 1_048_576,
    "max_cost": 1000,
    "timeout_ms": 60_000,
    "supernode_threshold": 50,
}


def steady(said: Any) -> Any:
    """JSON without what differs from one moment to the next."""
    if isinstance(said, dict):
        return {key: steady(value) for key, value in said.items() if key not in VOLATILE}
    return [steady(one) for one in said] if isinstance(said, list) else said


class Bob:
    """Somebody with a claim, a window, a recall and a slot of his own."""

    def __init__(self, client):
        self.client = client
        self.headers = {"X-Actor-Id": "bob"}
        sent = self.post(WINDOWS, window(proposal(title="Pilots"), events=[says("Of pilots")]))
        verdict = sent["proposals"][0]
        self.ids = {
            "concept_id": verdict["concept_id"],
            "claim_id": verdict["memory_id"],
            "memory_id": verdict["memory_id"],
            "window_id": sent["window_id"],
            "stream_id": verdict["memory_id"],
            "version": "1",
            "slot": "s",
        }
        self.bundle_claim = verdict["claim_id"]
        self.ids["recall_id"] = self.recall()["recall_id"]

    def post(self, path, body):
        answer = self.client.post(path, json=body, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def recall(self):
        said = {"objective": "charts pilots stored flat", "seed_ids": [], "limits": BUDGETS}
        body = {"contract_version": "v1", "operation": "recall", "input": said}
        return self.post("/v1/memory/operations", body)["result"]["result"]

    def answers(self):
        """What every route says that can be read with what he has."""
        found = {}
        for path, methods in api_document()["paths"].items():
            if "get" not in methods or path in OPEN:
                continue
            ids = dict(self.ids)
            if path.startswith("/v1/bundles/claims"):
                ids["claim_id"] = self.bundle_claim
            names = [part[1:-1] for part in path.replace(".md", "").split("/") if part[:1] == "{"]
            if not set(names) <= ids.keys():
                continue
            answer = self.client.get(path.format(**ids), headers=self.headers)
            found[path] = self._told(answer)
        found["recall"] = steady(self.recall())
        target = {"target": {"kind": "memory", "id": self.ids["memory_id"]}}
        asked = {"contract_version": "v1", "operation": "trace", "input": target}
        found["trace"] = steady(self.post("/v1/memory/operations", asked))
        return found

    def _told(self, answer):
        if "json" in answer.headers["Content-Type"]:
            return answer.status_code, json.dumps(steady(answer.json()), sort_keys=True)
        return answer.status_code, answer.text


def test_no_route_tells_of_what_another_owner_has_sent(team):
    bob = Bob(team.client)
    bob.answers()  # what he asks is recorded, and then stands in his log
    before = bob.answers()
    # When somebody else sends windows of the same repository, some with his words
    first = team.client.post(WINDOWS, json=window(proposal())).json()["proposals"][0]
    for said in (
        saying("Charts are stored in tubes", action=UPDATE, **about(first)),
        proposal(title="Pilots"),
        saying("Rope", claim_text=" "),
        {"action": "no_output"},
    ):
        sent = team.client.post(WINDOWS, json=window(said, events=[says(f"Of {said}")]))
        assert sent.status_code in {200, 422}
    # Then every answer is as it was, but for what he has asked himself since
    after = bob.answers()
    own = {"/v1/log"}
    assert before.keys() == after.keys()
    assert len(before) > 30
    for path in before.keys() - own:
        assert after[path] == before[path], path
    told = after["/v1/log"][1]
    assert first["memory_id"] not in told
    assert "ana" not in told
