"""A fact is made from claims or episodes, and shows when one of them falls."""

from __future__ import annotations

import pytest

from tests.claims.stories import ONE, TWO, refused


def test_a_fact_is_derived_from_each_of_its_claims_which_stay_as_they_are(story):
    claims = [story.claim("PostgreSQL", subject=name) for name in ("store", "cache")]
    decision = story.assess(claims[0], apply=True)["assessment"]["id"]

    said = story.derive((claims[0], 2), (claims[1], 1), assessment=decision)

    record = said["record"]
    assert record["kind"] == "fact"
    assert record["content"]["value"]["properties"] == {
        "validation_policy": TWO,
        "assessment_id": decision,
    }
    assert [one["source_id"] for one in record["provenance"]] == claims
    listed = {one["id"]: one for one in story.page()["items"]}
    assert listed.keys() == {*claims, record["id"]}
    assert [listed[claim]["version"] for claim in claims] == [2, 1]
    resting = story.page(rests_on=claims[1])["items"]
    assert [one["id"] for one in resting] == [record["id"]]


def test_a_fact_whose_claim_falls_says_so_wherever_it_is_told(story):
    claims = [story.claim("PostgreSQL", subject=name) for name in ("store", "cache")]
    fact = story.derive((claims[0], 1), (claims[1], 1))["record"]["id"]
    assert "source_forgotten" not in story.read(fact)["gaps"]

    story.forget(claims[1])

    assert "source_forgotten" in story.read(fact)["gaps"]
    [item] = [one for one in story.recall("PostgreSQL")["items"] if one["record"]["id"] == fact]
    assert item["stale_sources"] == [claims[1]]
    assert item["needs_review"]
    assert "source_forgotten" in item["gaps"]


def test_a_fact_whose_claim_is_contradicted_says_so_wherever_it_is_told(story):
    claims = [story.claim("PostgreSQL", subject=name) for name in ("store", "cache")]
    fact = story.derive((claims[0], 1), (claims[1], 1))["record"]["id"]
    edge = story.relate(story.remember("no", by="bob"), claims[1], "contradicts", by="bob")

    assert "source_contradicted" in story.read(fact)["gaps"]
    assert [one["id"] for one in story.page(gap="source_contradicted")["items"]] == [fact]
    [fallen] = story.audit(fact)["evidence"]["fallen"]
    assert fallen == {"id": claims[1], "version": 1, "why": "contradicted"}
    [item] = [one for one in story.recall("PostgreSQL")["items"] if one["record"]["id"] == fact]
    assert "source_contradicted" in item["gaps"]

    story.update("relationship", edge, by="bob", lifecycle="superseded")

    assert "source_contradicted" not in story.read(fact)["gaps"]


def test_a_procedure_is_made_from_episodes_without_an_assessment(told):
    episode = told.remember("we restarted it, and it worked", kind="episode")

    made = told.derive((episode, 1), kind="procedure", text="restart it")

    assert made["record"]["kind"] == "procedure"
    assert told.page()["items"] == []


def test_the_same_key_makes_one_fact(told):
    claim = told.claim("PostgreSQL")
    first = told.derive((claim, 1), key="once")
    before = told.store.log.head()

    again = told.derive((claim, 1), key="once")

    assert again["record"] == first["record"]
    assert told.store.log.head() == before


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"policy": "nobody/v1"}, ("NOT_FOUND", "policy", "UNKNOWN_POLICY")),
        ({"assessment": "dec_nothing"}, ("NOT_FOUND", "assessment_id", None)),
        ({"assessment": "other"}, ("INVALID_REQUEST", "assessment", None)),
        ({"assessment": "mine", "policy": ONE}, ("INVALID_REQUEST", "policy", None)),
        ({"version": 2}, ("VERSION_CONFLICT", "claims.0", "STALE_TARGET")),
        ({"twice": True}, ("INVALID_REQUEST", "claims", None)),
        ({"text": " "}, ("INVALID_REQUEST", "content.value", None)),
        ({"key": None}, ("IDEMPOTENCY_KEY_REQUIRED", "idempotency_key", None)),
    ],
    ids=lambda said: " ".join(said) if isinstance(said, dict) else None,
)
def test_what_cannot_be_derived_is_refused_and_nothing_is_written(told, wrong, expected):
    claim, other = told.claim("PostgreSQL"), told.claim("Redis", subject="cache")
    known = {
        one: told.assess(of)["assessment"]["id"] for one, of in (("mine", claim), ("other", other))
    }
    target = (claim, wrong.pop("version", 1))
    memories = [target, target] if wrong.pop("twice", False) else [target]
    if "assessment" in wrong:
        wrong = {**wrong, "assessment": known.get(wrong["assessment"], wrong["assessment"])}
    before = told.store.log.head()

    found = refused(told.derive, *memories, **wrong)

    assert found == expected
    assert told.store.log.head() == before


def test_what_is_made_from_something_private_is_private(told):
    secret = told.remember("secret", "kim", visibility="private")

    fact = told.derive((secret, 1))["record"]["id"]

    assert refused(told.read, fact)[0] == "NOT_FOUND"
    assert told.read(fact, by="kim")["id"] == fact


def test_what_cites_an_assessment_of_private_evidence_is_private(told):
    claim = told.claim("PostgreSQL")
    told.relate(told.remember("a secret", "kim", visibility="private"), claim, by="kim")
    decision = told.assess(claim, ONE)["assessment"]["id"]

    fact = told.derive((claim, 1), policy=ONE, assessment=decision)["record"]["id"]

    assert refused(told.read, fact)[0] == "NOT_FOUND"
    assert told.page(rests_on=claim)["items"] == []
    assert told.read(fact, by="kim")["assessment_id"] == decision
