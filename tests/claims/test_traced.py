"""The questions that a trace answers from the log alone, with no read model left."""

from __future__ import annotations

from contextlib import closing

import pytest

from domain.contract import TraceInput
from ops.wiring import open_memoranda
from read_api.trace import Trace
from tests.claims.stories import TWO, Story


@pytest.fixture
def decided(told):
    """A claim that was validated, and all that led there."""
    claim = told.claim("PostgreSQL")
    sources = [told.source(name, claim) for name in ("inventory", "deployment")]
    decision = told.assess(claim, apply=True)["assessment"]["id"]
    return told, claim, sources, decision


def traced(story, memory, by="ann"):
    return story._execute("trace", {"target": {"kind": "memory", "id": memory}}, by)


def test_a_version_says_by_which_policy_and_assessment_it_came_and_what_that_read(decided):
    story, claim, sources, decision = decided

    first, second = traced(story, claim)["versions"]

    assert "assessment_id" not in first
    assert (second["policy"], second["assessment_id"]) == (TWO, decision)
    assert {f"{source}@1" for source in sources} <= set(second["evidence"])
    assert second["actor_id"] == "kim"


def test_a_trace_tells_every_decision_about_a_claim(decided):
    story, claim, _, decision = decided
    review = story.review(claim, policy=TWO)["review"]["id"]

    told = traced(story, claim)["policy_decisions"]

    assert [one["id"] for one in told] == [decision, review]


def test_a_fact_says_what_the_assessment_of_its_claim_had_read(decided):
    story, claim, sources, decision = decided
    fact = story.derive((claim, 2), assessment=decision)["record"]["id"]

    [version] = traced(story, fact)["versions"]

    assert {f"{source}@1" for source in sources} <= set(version["evidence"])


def test_the_five_questions_are_answered_with_all_read_models_dropped(tmp_path):
    """Why selected, on which sources, who decided by which policy, whole or not, what disagrees."""
    with closing(open_memoranda(tmp_path / "data")) as store:
        story = Story(store)
        claim = story.claim("PostgreSQL")
        sources = [story.source(name, claim) for name in ("inventory", "deployment")]
        decision = story.assess(claim, apply=True)["assessment"]["id"]
        rival = story.claim("MySQL", by="bob")
        against = story.relate(rival, claim, "contradicts", by="bob")
        asked = story.recall("PostgreSQL")
    for name in ("views.db", "views.db-wal", "views.db-shm", "index.db"):
        (tmp_path / "data" / name).unlink(missing_ok=True)
    with closing(open_memoranda(tmp_path / "data")) as store:
        log, nobody = store.log, lambda *_: None
        context = Story(store).by("ann")

        def trace(kind, one):
            said = TraceInput.model_validate({"target": {"kind": kind, "id": one}})
            return Trace(log, nobody).answer(context, said)

        recalled, memory = trace("recall", asked["recall_id"]), trace("memory", claim)

    why = {one["id"]: one["reasons"] for one in recalled["details"]["items"]}
    assert "objective_lexical_match" in why[claim]
    assert asked["completeness"]["complete"]
    assert recalled["details"]["completeness"] == "complete"
    last = memory["versions"][-1]
    assert {f"{source}@1" for source in sources} <= set(last["evidence"])
    assert (last["actor_id"], last["policy"], last["assessment_id"]) == ("kim", TWO, decision)
    [gap] = [one for one in memory["gaps"] if one["gap"] == "unresolved_contradiction"]
    assert (gap["relationship_ids"], gap["memory_ids"]) == ([against], [rival])
