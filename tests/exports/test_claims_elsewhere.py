"""Claims in a store that imported them: what was decided about them stays where it was decided."""

from __future__ import annotations

from ops.standalone_verifier import verify_export
from tests.backup.worlds import World
from tests.claims.stories import Story, refused
from tests.exports.history import exported, imported

OWN = "labs/v1"
RULES = {"independent_supports": 1}


def test_a_claim_says_what_it_said_and_that_nobody_has_assessed_it_here(tmp_path):
    # Given a claim that was validated under a policy of its workspace
    world, other = World(tmp_path / "world"), World(tmp_path / "other")
    with world.open() as talk:
        story = Story(talk.memoranda)
        story.store.policies.define(story.by("pia"), OWN, RULES)
        claim = story.claim("PostgreSQL")
        story.source("inventory", claim)
        decision = story.assess(claim, OWN, apply=True)["assessment"]["id"]
        story.review(claim, policy=OWN)
        assert story.read(claim)["gaps"] == []

    # When it is exported and imported elsewhere
    file = tmp_path / "all.jsonl"
    exported(world, file, sanitized=False)
    rows = file.read_text()
    imported(other, file)

    # Then no decision goes with it, and it says so until it is assessed once more
    assert verify_export(file).wrong == 0
    assert "memory.remembered" in rows
    for topic in ("claim.assessed", "review.approved", "policy.defined", "command.recorded"):
        assert topic not in rows
    with other.open() as talk:
        story = Story(talk.memoranda)
        told = story.read(claim)
        assert (told["status"], told["policy"], told["assessment_id"]) == (
            "validated",
            OWN,
            decision,
        )
        assert told["gaps"] == ["unknown_policy", "no_assessment"]
        assert refused(story.replay, decision)[0] == "NOT_FOUND"
        traced = story._execute("trace", {"target": {"kind": "memory", "id": claim}}, "ann")
        assert traced["versions"][-1]["assessment_id"] == decision
        story.store.policies.define(story.by("pia"), OWN, RULES)
        assert story.read(claim)["gaps"] == ["no_assessment"]
        assert story.recommended(claim, OWN) == ("validated", [])
        assert story.read(claim)["gaps"] == []
