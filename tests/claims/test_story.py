"""The story of docs/tutorial.md over HTTP, on both stores: what holds after each step of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from starlette.testclient import TestClient

from ops.http.app import create_app
from ops.settings import Settings
from tests.claims.people import Person
from tests.claims.stories import TWO

pytestmark = pytest.mark.timeout(120)
SLOT = {"subject": "orders", "predicate": "database"}
POSTGRES = {**SLOT, "object": "PostgreSQL 17", "status": "candidate"}
MYSQL = {**SLOT, "object": "MySQL 8", "status": "candidate"}
MAY, MOVED = "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"


@dataclass
class Story:
    """Who is in it, and the ids of what they have said."""

    ann: Person
    rae: Person
    claim: str = ""
    twin: str = ""
    rival: str = ""
    inventory: str = ""
    against: str = ""

    def source(self, said, source):
        memory = self.ann.remember("source", said, source)
        self.ann.relate(memory, "supports", self.claim)
        return memory


@pytest.fixture
def told(story, tmp_path):
    """The story before it begins."""
    app = create_app(story.store, Settings(data=tmp_path / "data"))
    with TestClient(app, base_url="http://127.0.0.1:8420") as client:
        yield Story(
            Person(client, story.store, "ann", "read write trace consolidate"),
            Person(client, story.store, "rae", "read review"),
        )


def test_the_story_of_the_deployment_guide(told):
    one_source_is_not_two(told)
    two_independent_sources_validate(told)
    an_inventory_contests(told)
    what_ended_is_cleared_by_a_reviewer_alone(told)
    duplicates_become_one(told)
    a_trace_answers_the_five_questions(told)


def one_source_is_not_two(told):
    told.claim = told.ann.remember("claim", "Orders runs on PostgreSQL 17.", properties=POSTGRES)
    assert told.ann.standing(told.claim)[1] == ["no_source", "never_corroborated", "no_assessment"]

    told.source("The deployment guide says PostgreSQL 17.", "wiki:deployment")
    told.source("The handbook copies the deployment guide.", "wiki:deployment")

    assert told.ann.assess(told.claim) == ("candidate", ["insufficient_independent_support"])
    assert told.ann.standing(told.claim) == ("candidate", [])


def two_independent_sources_validate(told):
    told.source("The manifest names the image postgres:17.", "git:manifest")
    assert told.ann.standing(told.claim) == ("candidate", ["evidence_newer_than_assessment"])

    assert told.ann.assess(told.claim, apply=True) == ("validated", [])
    assert told.ann.standing(told.claim) == ("validated", [])


def an_inventory_contests(told):
    ann = told.ann
    told.rival = ann.remember("claim", "Orders: MySQL 8.", properties=MYSQL, valid_from=MAY)
    told.inventory = ann.remember("observation", "mysqld 8 listens.", "scan:17", valid_from=MAY)
    ann.relate(told.inventory, "supports", told.rival)
    told.against = ann.relate(told.inventory, "contradicts", told.claim)

    newer, open_ = "evidence_newer_than_assessment", "unresolved_contradiction"
    assert ann.standing(told.claim) == ("validated", [newer, open_])
    assert ann.assess(told.claim, apply=True) == ("contested", ["contradiction", "rival_claim"])
    assert ann.standing(told.claim) == ("contested", [open_])


def what_ended_is_cleared_by_a_reviewer_alone(told):
    told.ann.holds(told.inventory, valid_until=MOVED)
    told.ann.holds(told.rival, valid_until=MOVED)
    told.ann.holds(told.claim, valid_from=MOVED)
    assert told.ann.assess(told.claim) == ("contested", ["contradiction_withdrawn"])

    told.rae.send(f"/v1/claims/{told.claim}/reviews", {"policy": TWO, "verdict": "approved"})

    assert told.ann.assess(told.claim, apply=True) == ("validated", [])
    assert told.ann.standing(told.claim) == ("validated", [])
    assert found(told, as_of="2026-05-15T00:00:00Z") == {told.rival}


def duplicates_become_one(told):
    ann = told.ann
    told.twin = ann.remember("claim", "The database of orders is PostgreSQL 17.",
                             properties=POSTGRES, valid_from=MOVED)  # fmt: skip
    assert found(told) == {told.claim, told.twin}
    [same] = ann.get("/v1/proposals/suggestions")["items"]
    assert [one["memory_id"] for one in same["members"]] == [told.claim, told.twin]

    said = {"memory_ids": [told.claim, told.twin], "canonical_id": told.claim,
            "reason": "They say the same.", "preserve_disagreements": True}  # fmt: skip
    proposal = ann.op("consolidate", {**said, "mode": {"mode": "propose"}})["proposal_id"]
    mode = {"mode": "apply_approved", "proposal_id": proposal, "approval_policy": "by hand"}
    ann.op("consolidate", {**said, "mode": mode})

    assert found(told) == {told.claim}
    assert ann.standing(told.claim) == ("validated", [])


def found(told, **asked):
    """The claims that a recall finds."""
    items = told.ann.recall("orders", **asked)["items"]
    return {one["record"]["id"] for one in items if one["record"]["kind"] == "claim"}


def a_trace_answers_the_five_questions(told):
    recall = told.ann.trace("recall", told.ann.recall("orders")["recall_id"])
    claim = told.ann.trace("memory", told.claim)
    last = claim["versions"][-1]
    *_, approved, decided = claim["policy_decisions"]

    # Why was it selected?
    reasons = {one["id"]: one["reasons"] for one in recall["details"]["items"]}
    assert "objective_lexical_match" in reasons[told.claim]
    # Which source, at which version, supported it?
    assert f"{told.inventory}@2" in last["evidence"]
    assert len(last["evidence"]) == 8
    # Who changed it, and under which policy?
    assert (last["actor_id"], last["policy"]) == ("ann", TWO)
    assert last["assessment_id"] == decided["id"]
    assert (approved["review"], approved["actor_id"]) == ("approved", "rae")
    # Was the answer complete?
    assert recall["details"]["completeness"] == "complete"
    # Which contradictions and superseded originals remain?
    links = {one["memory_ids"][0]: one["relationship_ids"] for one in claim["paths"]}
    assert links[told.inventory] == [told.against]
    assert told.twin in links
    assert told.ann.trace("memory", told.twin)["versions"][-1]["lifecycle"] == "superseded"
