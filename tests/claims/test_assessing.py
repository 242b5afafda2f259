"""A policy is applied to a claim: what is recorded, what is changed, what is refused."""

from __future__ import annotations

import pytest

from tests.claims.stories import ONE, REVIEWED, SLOT, TWO, Story, refused


def test_two_independent_sources_validate_a_claim_and_its_status_cites_the_assessment(story):
    claim = story.claim("PostgreSQL")
    story.source("inventory", claim)
    assert story.recommended(claim) == ("candidate", ["insufficient_independent_support"])

    story.source("deployment", claim)
    said = story.assess(claim, apply=True)

    assert said["assessment"]["recommended"] == "validated"
    found = story.read(claim)
    assert (found["status"], found["policy"]) == ("validated", TWO)
    assert found["assessment_id"] == said["assessment"]["id"]
    assert found["gaps"] == []
    assert [(one["status"], one["actor_id"]) for one in found["statuses"]] == [
        ("candidate", "ann"),
        ("validated", "kim"),
    ]


def test_an_assessment_records_every_version_that_it_read_and_changes_nothing(told):
    claim = told.claim("PostgreSQL")
    source = told.source("inventory", claim)
    before = told.store.log.head()

    said = told.assess(claim)

    assert [one.topic for one in told.store.log.after(before, 10)] == [
        "claim.assessed",
        "command.recorded",
    ]
    assert f"{source}@1" in said["assessment"]["evidence"]
    assert said["assessment"]["claim"] == [claim, 1]
    assert told.read(claim)["version"] == 1


def test_what_if_some_evidence_were_not_there_is_recorded_nowhere(told):
    claim = told.claim("PostgreSQL")
    first = told.source("inventory", claim)
    told.source("deployment", claim)
    before = told.store.log.head()

    said = told.store.assessor.what_if(told.by("kim"), claim, TWO, None, [first])

    assert said["recommended"] == "candidate"
    assert said["exclude"] == [first]
    assert told.store.log.head() == before


def test_the_same_key_gives_the_same_answer_whatever_happened_since(told):
    claim = told.claim("PostgreSQL")
    first = told.assess(claim, key="once", apply=True)
    told.forget(claim)
    before = told.store.log.head()

    again = told.assess(claim, key="once", apply=True)

    assert again["assessment"] == first["assessment"]
    assert again["receipt"]["replayed"]
    assert told.store.log.head() == before
    assert refused(told.assess, claim, ONE, key="once") == (
        "IDEMPOTENCY_CONFLICT",
        "idempotency_key",
        None,
    )


def test_a_rival_contests_a_claim_until_it_is_rejected(told):
    claim = told.claim("PostgreSQL")
    for name in ("inventory", "deployment"):
        told.source(name, claim)
    rival = told.claim("MySQL", by="bob")
    assert told.recommended(claim) == ("contested", ["rival_claim"])

    told.source("inventory of the rival", rival, kind="contradicts")
    assert told.assess(rival, apply=True)["assessment"]["recommended"] == "rejected"

    assert told.recommended(claim) == ("validated", [])


@pytest.mark.parametrize("how", ["superseded", "expired", "tombstone", "application_delete"])
def test_withdrawing_a_contradiction_improves_nothing_until_a_reviewer_says_so(story, how):
    claim = story.claim("PostgreSQL")
    for name in ("inventory", "deployment"):
        story.source(name, claim)
    other = story.remember("it is MySQL", by="bob")
    edge = story.relate(other, claim, "contradicts", by="bob")
    assert story.recommended(claim) == ("contested", ["contradiction"])

    if how in {"superseded", "expired"}:
        story.update("relationship", edge, by="bob", lifecycle=how)
    else:
        story.forget(other, how, by="bob")
    assert story.recommended(claim) == ("contested", ["contradiction_withdrawn"])

    story.review(claim, policy=TWO)
    assert story.recommended(claim) == ("validated", [])


def test_a_review_counts_of_somebody_else_alone(story):
    claim = story.claim("PostgreSQL")
    story.source("inventory", claim)
    assert story.recommended(claim, REVIEWED) == ("candidate", ["approvals_missing"])
    for writer in ("ann", "sam"):
        assert refused(story.review, claim, by=writer) == (
            "PERMISSION_DENIED",
            "claim_id",
            "OWN_CLAIM",
        )

    story.review(claim)

    assert story.recommended(claim, REVIEWED) == ("validated", [])
    assert story.recommended(claim, REVIEWED, by="rae") == ("candidate", ["approvals_missing"])
    story.review(claim, verdict="rejected")
    assert story.recommended(claim, REVIEWED)[0] == "candidate"


def test_a_claim_that_changed_is_not_written_over(told):
    claim = told.claim("PostgreSQL")

    assert refused(told.assess, claim, apply=True, expected_version=7)[0] == "VERSION_CONFLICT"
    assert refused(told.review, claim, version=7)[0] == "VERSION_CONFLICT"
    assert told.read(claim)["version"] == 1
    assert told.read(claim)["decisions"] == []


@pytest.mark.parametrize(
    ("claim", "policy", "expected"),
    [
        ("claim", "nobody/v1", ("NOT_FOUND", "policy", "UNKNOWN_POLICY")),
        ("claim", "no policy", ("INVALID_REQUEST", "policy", "POLICY_NAME")),
        ("observation", TWO, ("NOT_FOUND", "claim_id", None)),
        ("forgotten", TWO, ("NOT_FOUND", "claim_id", None)),
        ("nothing", TWO, ("NOT_FOUND", "claim_id", "TARGET_NOT_FOUND")),
    ],
)
def test_what_cannot_be_assessed_is_refused_and_nothing_is_written(told, claim, policy, expected):
    named = {
        "claim": told.claim("PostgreSQL"),
        "observation": told.remember("seen"),
        "forgotten": told.claim("MySQL"),
        "nothing": "mem_nothing",
    }
    told.forget(named["forgotten"])
    before = told.store.log.head()

    found = refused(told.assess, named[claim], policy)

    assert found == expected
    assert told.store.log.head() == before


def test_a_retired_policy_decides_nothing_more(told):
    claim = told.claim("PostgreSQL")
    told.store.policies.retire(told.by("kim"), ONE, "too few")

    assert refused(told.assess, claim, ONE) == ("INVALID_REQUEST", "policy", "RETIRED_POLICY")


def test_a_text_gets_properties_for_its_status(told):
    claim = told.remember("the store is PostgreSQL", kind="claim")

    told.assess(claim, apply=True)

    found = told.read(claim)
    assert found["record"]["content"]["value"]["text"] == "the store is PostgreSQL"
    assert found["status"] == "candidate"


def test_an_audit_tells_what_nobody_has_checked(told):
    claim = told.claim("PostgreSQL")
    told.source("inventory", claim)
    told.assess(claim)
    assert told.audit(claim)["never_checked"] == []

    later = told.source("deployment", claim)

    found = told.audit(claim)
    assert later in {one["id"] for one in found["never_checked"]}
    assert (
        found["claim"]["gaps"] == ["no_assessment"]
        or "evidence_newer_than_assessment" in (found["claim"]["gaps"])
    )
    assert len(found["evidence"]["supports"]) == 2


def test_claims_are_listed_by_status_gap_slot_and_what_they_rest_on(story):
    claim, other = story.claim("PostgreSQL"), story.claim("Redis", subject="cache")
    source = story.source("inventory", claim)
    middle = story.remember("between")
    story.relate(middle, source, "derived_from")
    story.relate(middle, other)

    def ids(**filters):
        return {one["id"] for one in story.page(**filters)["items"]}

    assert ids() == {claim, other}
    assert ids(status="candidate") == {claim, other}
    assert ids(status="validated") == set()
    assert ids(slot='["store","engine"]') == {claim}
    assert ids(gap="no_assessment") == {claim, other}
    assert ids(rests_on=source) == {claim, other}
    assert ids(rests_on=middle) == {other}

    story.forget(source, by="sam")

    assert ids(gap="source_forgotten") == {claim, other}


def test_pages_of_claims_part_them_and_a_cursor_is_of_its_question(told):
    ids = [told.claim(number, subject=f"store {number}") for number in range(5)]
    pages = [told.page(limit=2)]
    while pages[-1]["next_cursor"]:
        pages.append(told.page(limit=2, cursor=pages[-1]["next_cursor"]))

    assert [one["id"] for page in pages for one in page["items"]] == ids
    cursor = pages[0]["next_cursor"]
    assert refused(told.page, status="validated", cursor=cursor)[1] == "cursor"


def test_others_learn_nothing_of_a_private_claim(told):
    said = {**SLOT, "object": "secret"}
    claim = told.remember("secret", "bob", "claim", properties=said, visibility="private")
    decision = told.assess(claim, by="bob")["assessment"]["id"]

    assert told.page()["items"] == []
    assert refused(told.read, claim)[0] == "NOT_FOUND"
    assert refused(told.assess, claim)[0] == "NOT_FOUND"
    assert refused(told.store.assessments.one, told.by("ann"), decision)[0] == "NOT_FOUND"
    assert Story(told.store, "other").page()["items"] == []


def test_what_is_judged_on_private_evidence_is_told_to_nobody_else(story):
    claim = story.claim("PostgreSQL")
    secret = story.remember("a secret", "bob", visibility="private")
    story.relate(secret, claim, by="bob")
    before = story.read(claim)

    decision = story.assess(claim, ONE, by="bob")["assessment"]

    assert decision["recommended"] == "validated"
    assert refused(story.store.assessments.one, story.by("ann"), decision["id"])[0] == "NOT_FOUND"
    assert refused(story.replay, decision["id"])[0] == "NOT_FOUND"
    assert story.replay(decision["id"], by="bob")["verdict"] == "identical"
    after = story.read(claim)
    assert (after["decisions"], after["gaps"]) == (before["decisions"], before["gaps"])
    assert story.recommended(claim, ONE) == ("candidate", ["no_support"])


def test_a_claim_that_others_read_gets_no_status_from_private_evidence(told):
    claim = told.claim("PostgreSQL")
    told.relate(told.remember("a secret", "bob", visibility="private"), claim, by="bob")
    before = told.store.log.head()

    found = refused(told.assess, claim, ONE, by="bob", apply=True)

    assert found == ("INVALID_REQUEST", "apply", "PRIVATE_EVIDENCE")
    assert told.store.log.head() == before


def test_an_assessment_of_what_a_claim_stated_before_is_none_of_what_it_states_now(told):
    claim = told.claim("PostgreSQL")
    decision = told.assess(claim)["assessment"]["id"]
    assert told.read(claim)["last_assessment"] == decision

    said = {"text": "the store is MySQL", "properties": {**SLOT, "object": "MySQL"}}
    told.update("memory", claim, content={"format": "text_and_properties", "value": said})

    found = told.read(claim)
    assert (found["last_assessment"], "no_assessment" in found["gaps"]) == (None, True)
    assert [one["id"] for one in found["decisions"]] == [decision]
