"""An assessment is computed again from the log, and is seen to differ where it must."""

from __future__ import annotations

import pytest

from domain.validation import judgement
from domain.validation.definition import Definition
from read_api.assessment_replay import Assessments
from tests.claims.stories import ONE, TWO, refused


@pytest.fixture
def decided(story):
    """A story of a claim with two sources, and its assessment."""
    claim = story.claim("PostgreSQL")
    sources = [story.source(name, claim) for name in ("inventory", "deployment")]
    return story, claim, sources, story.assess(claim, apply=True)["assessment"]["id"]


def test_an_assessment_replays_whatever_came_after_it(decided):
    story, claim, _, decision = decided
    story.claim("MySQL", by="bob")
    story.source("another", claim, kind="contradicts")
    later = story.assess(claim)["assessment"]["id"]
    story.store.policies.retire(story.by("kim"), TWO, "three are better")

    for one in (decision, later):
        found = story.replay(one)
        assert (found["verdict"], found["first_difference"]) == ("identical", None)


def test_reviews_and_withdrawals_replay_too(story):
    claim = story.claim("PostgreSQL")
    story.source("inventory", claim)
    edge = story.relate(story.remember("no", by="bob"), claim, "contradicts", by="bob")
    story.update("relationship", edge, by="bob", lifecycle="expired")
    decisions = [story.assess(claim, policy)["assessment"]["id"] for policy in (ONE, TWO)]
    story.review(claim, policy=ONE)
    decisions.append(story.assess(claim, ONE)["assessment"]["id"])

    assert {story.replay(one)["verdict"] for one in decisions} == {"identical"}


@pytest.mark.parametrize("what", ["source", "claim"])
@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_was_erased_since_is_named(decided, what, mode):
    story, claim, sources, decision = decided
    gone, by = (claim, "ann") if what == "claim" else (sources[0], "sam")
    story.forget(gone, mode, by=by)

    found = story.replay(decision)

    assert found["verdict"] == "identical_except_erased"
    assert found["erased"] == [gone]


def test_a_review_is_no_assessment(decided):
    story, claim, _, _ = decided
    review = story.review(claim, policy=TWO)["review"]["id"]

    assert refused(story.replay, review) == ("NOT_FOUND", "assessment_id", None)
    assert refused(story.replay, "dec_nothing") == ("NOT_FOUND", "assessment_id", None)
    assert story.store.assessments.one(story.by("ann"), review)["review"] == "approved"


def test_a_changed_constant_of_the_program_differs(told, monkeypatch):
    claim = told.claim("PostgreSQL")
    told.source("inventory", claim)
    decision = told.assess(claim)["assessment"]["id"]

    monkeypatch.setattr(judgement, "weigh", lambda *_, **__: judgement.Dimensions(support_mass=2.0))

    found = told.replay(decision)
    assert found["verdict"] == "differs"
    assert found["first_difference"] == {
        "path": "dimensions.independence",
        "recorded": 1,
        "replayed": None,
    }


def test_another_definition_under_the_same_name_differs_first(told):
    claim = told.claim("PostgreSQL")
    decision = told.assess(claim)["assessment"]["id"]
    known = told.store.policies

    def changed(workspace, position):
        state = known.at(workspace, position)
        other = state.named[TWO]._replace(said=Definition(independent_supports=3).as_json())
        return state._replace(named={**state.named, TWO: other})

    replaying = Assessments(told.store.log, changed, told.store.settings.trusted)

    found = replaying.replay(told.by("kim"), decision)
    assert found["verdict"] == "differs"
    assert found["first_difference"]["path"] == "definition"


def test_a_changed_event_differs_where_it_was_read(told):
    claim = told.claim("PostgreSQL")
    told.source("inventory", claim)
    decision = told.assess(claim)["assessment"]["id"]
    log = told.store.log

    class Changed:
        """The log, in which the relationship says the contrary."""

        def __getattr__(self, name):
            return getattr(log, name)

        def streams(self, workspace, streams):
            found = log.streams(workspace, streams)
            return {key: [self._changed(one) for one in events] for key, events in found.items()}

        def _changed(self, event):
            [fact] = event.facts
            if event.topic != "relationship.related":
                return event
            payload = fact.payload.model_copy(update={"kind": "contradicts"})
            return event._replace(facts=(fact.model_copy(update={"payload": payload}),))

    replaying = Assessments(Changed(), told.store.policies.at, told.store.settings.trusted)

    found = replaying.replay(told.by("kim"), decision)
    assert found["verdict"] == "differs"
    assert found["first_difference"] == {
        "path": "recommended",
        "recorded": "candidate",
        "replayed": "rejected",
    }


def test_a_replay_sees_what_the_assessor_saw_whoever_asks_for_it(story):
    claim = story.claim("PostgreSQL")
    story.relate(story.remember("a secret", "bob", visibility="private"), claim, by="bob")
    decision = story.assess(claim, ONE, by="kim")["assessment"]["id"]

    for by in ("kim", "bob"):
        found = story.replay(decision, by=by)
        assert (found["verdict"], found["replayed"]["evidence"]) == ("identical", [])
