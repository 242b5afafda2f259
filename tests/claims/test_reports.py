"""What befell other memory systems (reports of failures), as it would befall claims here."""

from __future__ import annotations

from contextlib import closing

import pytest

from domain.envelope import CorruptEventError
from ops.wiring import open_memoranda
from read_api.duplicates import SuggestionFilters
from tests.claims.stories import ONE, SLOT, Story
from tests.engine.building import Caller
from tests.faults.flipping import flip
from tests.inputs import envelope

JANUARY, FEBRUARY = "2031-01-01T00:00:00Z", "2031-02-01T00:00:00Z"
JUNE, JULY = "2031-06-01T00:00:00Z", "2031-07-01T00:00:00Z"


def test_report_11_a_claim_of_two_periods_is_two_claims_and_neither_is_the_others_rival(story):
    def on_call(who, valid_from, valid_until):
        said = {**SLOT, "object": who}
        bounds = {"valid_from": valid_from, "valid_until": valid_until}
        return story.remember(f"{who} is on call", kind="claim", properties=said, **bounds)

    winter, summer = on_call("Alex", JANUARY, FEBRUARY), on_call("Alex", JUNE, JULY)
    spring = on_call("Kim", FEBRUARY, JUNE)

    for claim in (winter, summer, spring):
        told = story.read(claim)
        assert (told["rivals"], "unresolved_contradiction" in told["gaps"]) == ([], False)
    suggested = story.store.read.suggestions(story.by("ann"), SuggestionFilters())
    assert suggested["items"] == []


def test_report_12_sources_that_come_together_support_as_those_that_come_one_by_one(story):
    claims = [story.claim("PostgreSQL", subject=name) for name in ("together", "apart")]
    episodes = [story.remember(f"episode {name}", "sam", "episode") for name in ("e1", "e2")]
    sam = Caller(story.store, story.by("sam"))

    def support(claim, episode):
        return {"source_id": episode, "target_id": claim, "kind": "supports"}

    sam.together(
        *(
            envelope("relate", envelope_changes={"idempotency_key": one}, **support(claims[0], one))
            for one in episodes
        )
    )
    for one in episodes:
        sam.send("relate", **support(claims[1], one))

    told = [story.read(claim) for claim in claims]
    for one in told:
        assert (one["supports"], one["dimensions"]["independence"]) == (2, 2)
    assert told[0]["dimensions"] == told[1]["dimensions"]
    assert told[0]["gaps"] == told[1]["gaps"]


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_report_13_a_fact_says_that_what_it_was_made_of_is_gone(story, mode):
    claims = [story.claim(word, subject=word) for word in ("one", "two")]
    fact = story.derive(*((claim, 1) for claim in claims))["record"]["id"]

    story.forget(claims[0], mode)

    assert "source_forgotten" in story.read(fact)["gaps"]
    [fallen] = story.audit(fact)["evidence"]["fallen"]
    assert (fallen["id"], fallen["why"]) == (claims[0], "forgotten")


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first added", "last added"])
def test_report_14_a_claim_loses_one_support_after_the_other_and_stays(story, order):
    claim = story.claim("PostgreSQL")
    sources = [story.source(name, claim) for name in ("s1", "s2")]

    told = []
    for one in order:
        story.forget(sources[one], by="sam")
        told.append(story.read(claim))

    assert [one["supports"] for one in told] == [1, 0]
    assert "never_corroborated" not in told[0]["gaps"]
    assert {"source_forgotten", "never_corroborated"} <= set(told[1]["gaps"])
    assert story.recommended(claim, ONE) == ("candidate", ["no_support"])


def test_report_24_a_damaged_decision_costs_what_it_says_and_nothing_else(tmp_path):
    # Given two claims that were assessed, and a flipped byte in one of the assessments
    data = tmp_path / "data"
    with closing(open_memoranda(data)) as store:
        story = Story(store)
        claim, sound = story.claim("PostgreSQL"), story.claim("Otter", subject="zoo")
        for one in (claim, sound):
            story.source(f"the source of {one}", one)
            decision = story.assess(one, ONE, apply=one == claim)["assessment"]["id"]
            if one == claim:
                damaged = decision
        story._seen()
        position = store.log.stream("w", damaged)[0].position
    flip(data, position)

    with closing(open_memoranda(data)) as store:
        story = Story(store)
        # Then lists and recalls tell it of that claim, and all of the other one
        listed = {one["id"]: one for one in story.page()["items"]}
        assert listed[claim]["gaps"] == ["decision_damaged"]
        assert listed[claim]["last_assessment"] is None
        assert listed[sound]["gaps"] == ["status_differs_from_assessment"]
        assert [one["id"] for one in story.page(gap="decision_damaged")["items"]] == [claim]
        recalled = story.recall("store zoo")["items"]
        gaps = {one["record"]["id"]: list(one["gaps"]) for one in recalled if "gaps" in one}
        assert gaps == {claim: ["decision_damaged"], sound: ["status_differs_from_assessment"]}
        # And who asks for that decision is told where the damage is, and nothing is passed over
        for ask in (story.read, story.audit):
            with pytest.raises(CorruptEventError, match=f"position {position}:"):
                ask(claim)
        with pytest.raises(CorruptEventError, match=f"position {position}:"):
            story.replay(damaged)
        assert story.read(sound)["decisions"]
        # And it can be assessed once more
        assert story.recommended(claim, ONE) == ("validated", [])
        assert story.page()["items"][0]["gaps"] == []
