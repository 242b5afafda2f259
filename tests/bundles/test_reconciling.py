"""The order of docs/spec/bundle.md §4: the first rule that hits decides. On both databases."""

from __future__ import annotations

import pytest

from domain.errors import Code, MemorandaError
from tests.bundles.scribes import ADD, SUPERSEDE, UPDATE, about, saying
from tests.bundles.windows import proposal

CLEAR = "Release notes are drafted by the person who merges the change"
CLEARER = "Release notes are always drafted by the person who merges the change"


def test_rule_4_1_no_output_is_skipped_and_echoes_only_own_ids(scribe, stranger):
    own = scribe.say("Charts are stored flat")
    foreign = stranger.say("Pilots board from the lee side")
    covering = {
        "action": "no_output",
        "covered_concept_id": own["concept_id"],
        "covered_claim_id": own["claim_id"],
    }
    mine = scribe.send(scribe.window(covering))["proposals"][0]
    assert mine["outcome"] == "skipped_not_memory"
    assert (mine["covered_concept_id"], mine["covered_claim_id"]) == (
        own["concept_id"],
        own["claim_id"],
    )
    theirs = {**covering, "covered_claim_id": foreign["claim_id"]}
    echoed = scribe.send(scribe.window(theirs))["proposals"][0]
    assert echoed["covered_concept_id"] == own["concept_id"]
    assert echoed["covered_claim_id"] is None
    assert stranger.send(stranger.window(covering))["proposals"][0]["covered_concept_id"] is None


@pytest.mark.parametrize("broken", [{"claim_text": " \n"}, {"durable_claim": None}])
def test_rule_4_2_what_says_nothing_durable_is_parse_failed(scribe, broken):
    said = {key: value for key, value in proposal(**broken).items() if value is not None}
    answer = scribe.send(scribe.window(said))
    assert answer["result"] == "failed"
    assert answer["proposals"][0]["outcome"] == "parse_failed"
    assert scribe.found("charts stored flat") == {}


@pytest.mark.parametrize("action", ["create_new_concept", ADD, UPDATE, SUPERSEDE])
def test_rule_4_3_foreign_ids_and_absent_ids_answer_the_same(scribe, stranger, action):
    foreign = stranger.say("Pilots board from the lee side")
    absent = {"concept_id": "con_" + "0" * 26, "claim_id": "clm_" + "0" * 26}
    for named in (about(foreign), absent):
        for ids in (named, {"claim_id": named["claim_id"]}, {"concept_id": named["concept_id"]}):
            verdict = scribe.say("Charts are stored flat", action=action, **ids)
            assert verdict["outcome"] == "rejected_scope"
            assert verdict["reason"] == _reason_of_absent(scribe, action)
    assert scribe.found("charts") == {}


def _reason_of_absent(scribe, action):
    return scribe.say("x", action=action, concept_id="con_nothing")["reason"]


def test_rule_4_3_a_repository_and_none_are_two_scopes(scribe):
    own = scribe.say("Charts are stored flat")
    for repo in (None, "github.com/acme/other"):
        body = scribe.window(saying("Charts are rolled", action=UPDATE, **about(own)), repo=repo)
        assert scribe.send(body)["proposals"][0]["outcome"] == "rejected_scope"
    same = scribe.window(
        saying("Charts are rolled", action=UPDATE, **about(own)), repo="git@GitHub.com:Acme/App.git"
    )
    assert scribe.send(same)["proposals"][0]["claim_id"] == own["claim_id"]


def test_rule_4_3_a_claim_must_be_of_the_concept_that_is_named(scribe):
    one = scribe.say("Charts are stored flat")
    other = scribe.say("Pilots board from the lee side", title="Pilots")
    mixed = {"concept_id": one["concept_id"], "claim_id": other["claim_id"]}
    assert scribe.say("x y z", action=UPDATE, **mixed)["outcome"] == "rejected_scope"


def test_rule_4_4_an_explicit_claim_decides_whatever_the_words_are_like(scribe):
    sibling = scribe.say("The north pier is closed on Sundays", title="North pier")
    tugs = scribe.say("Tug crews eat at noon", title="Tugs")
    moved = scribe.say(
        "Tug crews eat when the north pier is closed on Sundays", action=UPDATE, **about(tugs)
    )
    assert moved["claim_id"] == tugs["claim_id"]
    assert set(scribe.found("north pier closed")) == {sibling["memory_id"], moved["memory_id"]}
    assert scribe.lifecycle(tugs["memory_id"]) == "superseded"


def test_rule_4_4_an_explicit_claim_with_its_own_words_is_a_restatement(scribe):
    first = scribe.say("Charts are stored flat")
    again = scribe.say("charts  are STORED flat", action=UPDATE, **about(first))
    assert again["restated"]
    assert again["memory_id"] == first["memory_id"]


@pytest.mark.parametrize("action", ["create_new_concept", ADD, UPDATE, SUPERSEDE])
def test_rule_4_5_the_same_words_are_a_restatement_whatever_the_action(scribe, action):
    first = scribe.say("Bilge pumps run before every cast off", "engine room")
    again = scribe.say(
        "  BILGE pumps run before\tevery cast off ", "Engine  Room", action=action, title="Other"
    )
    assert (again["outcome"], again["restated"]) == ("applied", True)
    assert (again["claim_id"], again["memory_id"]) == (first["claim_id"], first["memory_id"])
    assert len(scribe.found("bilge pumps")) == 1


def test_rule_4_5_one_clear_match_is_updated_and_no_second_claim_begins(scribe):
    first = scribe.say(CLEAR, title="Team rules")
    scribe.say("Tug crews eat at noon", title="Tugs")
    moved = scribe.say(CLEARER, title="Rules of the team", on=12)
    assert (moved["outcome"], moved["claim_id"]) == ("applied", first["claim_id"])
    assert moved["memory_id"] != first["memory_id"]
    assert set(scribe.found("release notes")) == {moved["memory_id"]}


def test_rule_4_5_several_matches_wait_for_their_owner(scribe):
    first = scribe.say(CLEAR, title="Team rules", on=2)
    other = scribe.say("Tug crews eat at noon", title="Tugs", on=2)
    second = scribe.say(CLEAR, action=UPDATE, on=4, **about(other))
    asked = scribe.say(CLEARER, title="Rules of the team", on=12)
    assert (asked["outcome"], asked["result"]) == ("skipped_ambiguous", "failed")
    assert {one["claim_id"] for one in asked["candidates"]} >= {
        first["claim_id"],
        second["claim_id"],
    }
    assert set(scribe.found("release notes")) == {first["memory_id"], second["memory_id"]}


def test_rule_4_5_another_owner_or_repository_is_never_matched(scribe, stranger):
    scribe.say("Charts are stored flat")
    theirs = stranger.say("Charts are stored flat")
    assert not theirs["restated"]
    elsewhere = scribe.send(scribe.window(saying("Charts are stored flat"), repo=None))
    assert not elsewhere["proposals"][0]["restated"]
    assert elsewhere["proposals"][0]["candidates"] == []


def test_rule_4_5_an_ordinary_memory_with_the_same_words_is_no_claim(scribe):
    said = {
        "kind": "convention",
        "schema_version": "1",
        "content": {
            "format": "text_and_properties",
            "value": {
                "text": "Charts are stored flat\nthe whole repository",
                "properties": {"repo": scribe.repo},
            },
        },
        "provenance": [],
        "tags": [],
        "visibility": "private",
    }
    ordinary = scribe._asked("remember", said)["record"]["id"]
    first = scribe.say("Charts are stored flat")
    assert not first["restated"]
    assert set(scribe.found("charts stored flat")) == {ordinary, first["memory_id"]}


@pytest.mark.parametrize("missing", ["title", "concept_type"])
def test_rule_4_6_a_new_topic_needs_a_title_and_a_type(scribe, missing):
    verdict = scribe.say("Lanterns burn rape oil", **{missing: None})
    assert verdict["outcome"] == "parse_failed"
    assert missing in verdict["reason"]


@pytest.mark.parametrize("action", [UPDATE, SUPERSEDE])
def test_rule_4_6_a_change_of_nothing_is_rejected(scribe, action):
    scribe.say("Charts are stored flat")
    verdict = scribe.say("Pilots board from the lee side", action=action)
    assert verdict["outcome"] == "rejected_scope"
    assert scribe.found("pilots board") == {}


def test_rule_4_7_late_evidence_is_kept_and_moves_nothing(scribe):
    first = scribe.say("Fog signals sound every 30 seconds", on=1)
    now = scribe.say("Fog signals sound every 20 seconds", action=UPDATE, on=20, **about(first))
    late = scribe.say("Fog signals sound every 25 seconds", action=UPDATE, on=15, **about(first))
    assert (late["outcome"], late["result"]) == ("skipped_conflict", "no_output")
    assert set(scribe.found("fog signals")) == {now["memory_id"]}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("days", [(12, 18), (12, 12)])
def test_rule_4_7_two_windows_end_alike_in_any_order(scribe, order, days, ends):
    first = scribe.say("Deploy on weekday mornings only", on=1)
    bodies = [
        scribe.window(
            saying(rule, action=UPDATE, **about(first)),
            observed_at=f"2024-06-{day:02d}T10:00:00Z",
            events=[{"kind": "user_message", "actor": "user", "text": f"Change: {rule}"}],
        )
        for rule, day in zip(("Deploy on Friday mornings", "Deploy at night"), days, strict=True)
    ]
    for index in order:
        scribe.send(bodies[index])
    assert ends.setdefault(days, list(scribe.found("deploy").values())) == list(
        scribe.found("deploy").values()
    )


def test_rule_4_8_what_nothing_stops_is_applied(scribe):
    verdict = scribe.say("Charts are stored flat", title="Chart room")
    assert (verdict["outcome"], verdict["result"]) == ("applied", "knowledge_patched")
    assert set(scribe.found("charts stored flat")) == {verdict["memory_id"]}


def test_rule_4_9_a_failed_proposal_leaves_the_others_of_its_window(scribe):
    body = scribe.window(saying("Charts are stored flat"), saying("Rope", claim_text=" "))
    first = scribe.send(body)
    assert [one["outcome"] for one in first["proposals"]] == ["applied", "parse_failed"]
    assert [one["outcome"] for one in first["receipt"]["proposals"]] == ["applied", "parse_failed"]
    again = scribe.send(body)
    assert again["proposals"] == first["proposals"]
    assert again["idempotent"] is False
    assert len(scribe.found("charts stored flat")) == 1


def test_rule_4_9_a_failed_window_is_processed_again_with_what_is_known_by_then(scribe):
    body = scribe.window(saying("Anchors are greased in March", action=UPDATE))
    assert scribe.send(body)["proposals"][0]["outcome"] == "rejected_scope"
    known = scribe.say("Anchors are greased in March", on=5)
    again = scribe.send(body)
    assert again["proposals"][0]["claim_id"] == known["claim_id"]
    assert scribe.replay(again["window_id"]) == "identical"


def test_rule_4_10_the_same_window_again_has_its_stored_result(scribe):
    body = scribe.window(saying("Anchors are greased in March"))
    first = scribe.send(body)
    head = scribe.store.log.head()
    for changes in ({}, {"trigger": "resume"}, {"branch": "dev"}, {"receipt": {"n": 2}}):
        again = scribe.send({**body, **changes})
        assert again["idempotent"] is True
        assert again["proposals"] == first["proposals"]
    assert scribe.send({**body, "observed_at": "2024-06-25T10:00:00Z"})["idempotent"]
    assert scribe.store.log.head() == head


def test_rule_4_10_the_same_content_as_another_part_is_one_citation_more(scribe):
    body = scribe.window(saying("Anchors are greased in March"))
    first = scribe.send(body)
    other = {**body, "history_window": {"kind": "boundary", "start": "10", "end": "19"}}
    assert scribe.send(other)["proposals"] == first["proposals"]
    head = scribe.store.log.head()
    assert scribe.send(other)["idempotent"] is True
    assert scribe.store.log.head() == head


def test_rule_4_10_an_overtaken_window_does_not_move_its_claim_back(scribe):
    first = scribe.say("Ballast is weighed in stone", on=1)
    pounds = scribe.window(
        saying("Ballast is weighed in pounds", action=UPDATE, **about(first)),
        observed_at="2024-06-05T10:00:00Z",
    )
    before = scribe.send(pounds)["proposals"]
    now = scribe.say("Ballast is weighed in kilograms", action=UPDATE, on=9, **about(first))
    assert scribe.send(pounds)["proposals"] == before
    assert set(scribe.found("ballast weighed")) == {now["memory_id"]}


def test_rule_4_10_every_verdict_is_computed_again_without_a_model(scribe):
    first = scribe.say("Fog signals sound every 30 seconds", on=5)
    windows = [
        first["window_id"],
        scribe.say("fog signals sound every 30 seconds")["window_id"],
        scribe.say("Rope", claim_text=" ")["window_id"],
        scribe.say("Pilots board", action=UPDATE)["window_id"],
        scribe.say("Every 10 seconds", action=UPDATE, on=1, **about(first))["window_id"],
        scribe.say("Every 20 seconds", action=UPDATE, on=12, **about(first))["window_id"],
    ]
    assert [scribe.replay(one) for one in windows] == ["identical"] * len(windows)
    scribe.forget(scribe.say("Lanterns burn rape oil", title="Lamps")["memory_id"])
    assert [scribe.replay(one) for one in windows] == ["identical"] * len(windows)


def test_rule_6_6_the_owner_of_an_ambiguous_window_resolves_it(scribe, stranger):
    first = scribe.say(CLEAR, title="Team rules", on=2)
    other = scribe.say("Tug crews eat at noon", title="Tugs", on=2)
    scribe.say(CLEAR, action=UPDATE, on=4, **about(other))
    asked = scribe.say(CLEARER, title="Rules of the team", on=12)
    with pytest.raises(MemorandaError) as refused:
        stranger.resolve(asked["window_id"], 0, first["claim_id"])
    assert refused.value.code is Code.NOT_FOUND
    done = scribe.resolve(asked["window_id"], 0, first["claim_id"])
    assert (done["result"], done["proposals"][0]["outcome"]) == ("knowledge_patched", "applied")
    assert done["proposals"][0]["claim_id"] == first["claim_id"]
    assert scribe.resolve(asked["window_id"], 0, first["claim_id"])["idempotent"] is True
    with pytest.raises(MemorandaError) as refused:
        scribe.resolve(asked["window_id"], 0, "new")
    assert refused.value.reason == "ALREADY_RESOLVED"
    assert scribe.replay(asked["window_id"]) == "identical"


def test_rule_6_6_an_ambiguous_proposal_may_be_about_something_new(scribe):
    scribe.say(CLEAR, title="Team rules", on=2)
    other = scribe.say("Tug crews eat at noon", title="Tugs", on=2)
    scribe.say(CLEAR, action=UPDATE, on=4, **about(other))
    asked = scribe.say(CLEARER, title="Rules of the team", on=12)
    done = scribe.resolve(asked["window_id"], 0, "new")["proposals"][0]
    assert done["outcome"] == "applied"
    assert done["claim_id"] not in {one["claim_id"] for one in asked["candidates"]}
    assert len(scribe.found("release notes")) == 3
