"""Claims over HTTP: codes, fields, preconditions, what is recorded, and what nobody learns."""

from __future__ import annotations

import pytest

from domain.validation.shipped import SINGLE_TRUSTED, TWO_INDEPENDENT
from ops.http import claim_models as models
from tests.http.api import change, edge, envelope, host_headers, memory
from tests.http.claiming import SINGLE, People, done, refusal
from tests.http.documented import undocumented


@pytest.fixture
def claims(api, store):
    return People(api, store)


def expect(model, response):
    """The body of an answer that is what the documentation says, and no more."""
    done(response)
    assert undocumented(model.model_validate_json(response.content)) == set()
    return response.json()


def test_every_answer_about_claims_is_as_it_is_documented(api, claims):
    claim = claims.claim()
    claims.source("inventory", claim)
    claims.source("rumour", claim, "contradicts")
    claims.claim("MySQL")
    expect(models.AssessmentAnswer, claims.assess(claim, {**SINGLE, "exclude": []}))
    answer = expect(models.AssessmentAnswer, claims.assess(claim, {**SINGLE, "apply": True}))
    expect(models.ReviewAnswer, claims.review(claim))
    made = {"claims": [[claim, 2]], "kind": "fact", "content": memory()["content"], **SINGLE}
    made["assessment"] = decision = answer["assessment"]["id"]
    expect(models.DerivedAnswer, claims.post("/v1/facts", made))
    claims.source("another", claim)

    expect(models.ClaimPage, api.get("/v1/claims"))
    expect(models.ClaimAnswer, api.get(f"/v1/claims/{claim}"))
    expect(models.ClaimEvidenceAnswer, api.get(f"/v1/claims/{claim}/evidence"))
    expect(models.ClaimAudit, api.get(f"/v1/claims/{claim}/audit"))
    expect(models.DecisionAnswer, api.get(f"/v1/assessments/{decision}"))
    expect(models.AssessmentReplay, api.get(f"/v1/assessments/{decision}/replay"))
    expect(models.ReassessmentPage, api.get(f"/v1/reassessments?policy={SINGLE_TRUSTED}"))


def test_an_assessment_is_recorded_applied_and_cited(api, claims):
    claim = claims.claim()
    source, support = claims.source("inventory", claim)

    said = done(claims.assess(claim, {**SINGLE, "apply": True, "expected_version": 1}))

    decision = said["assessment"]
    assert (decision["recommended"], decision["blockers"]) == ("validated", [])
    assert decision["evidence"] == [f"{source}@1", f"{support}@1"]
    assert said["applied"] == [claim, 2]
    found = api.read(f"/v1/claims/{claim}")
    assert (found["status"], found["policy"]) == ("validated", SINGLE_TRUSTED)
    assert found["assessment_id"] == found["last_assessment"] == decision["id"]
    assert [one["actor_id"] for one in found["statuses"]] == ["ann", "kim"]
    before = decision["basis"]["position"]
    assert api.read(f"/v1/claims/{claim}?as_known_position={before}")["status"] is None


def test_the_same_key_is_answered_once_more_and_another_request_under_it_is_refused(claims):
    claim = claims.claim()
    first = done(claims.assess(claim, key="once"))
    reviewed = done(claims.review(claim, key="once"))
    before = claims.head()

    again = done(claims.assess(claim, key="once"))
    reviewed_again = done(claims.review(claim, key="once"))

    assert again == {**first, "receipt": {**first["receipt"], "replayed": True}}
    assert reviewed_again["review"] == reviewed["review"]
    other = claims.assess(claim, {"policy": TWO_INDEPENDENT}, key="once")
    assert refusal(other) == (409, "IDEMPOTENCY_CONFLICT", "idempotency_key", None)
    assert claims.head() == before


@pytest.mark.parametrize("path", ["assess", "reviews"])
def test_a_stale_version_is_refused_in_the_body_and_as_a_precondition(api, claims, path):
    claim = claims.claim()
    api.do("update", change(claim, confidence=0.5))
    before = claims.head()
    url, actor = f"/v1/claims/{claim}/{path}", "rae" if path == "reviews" else "kim"
    body = SINGLE | ({"verdict": "approved"} if path == "reviews" else {"apply": True})

    def ask(more=(), **headers):
        sent = {name.replace("_", "-"): said for name, said in headers.items()}
        return claims.post(url, {**body, **dict(more)}, actor=actor, headers=sent)

    by_body = ask({"expected_version": 1})
    by_header = ask(If_Match='"1"')

    assert refusal(by_body)[:2] == (409, "VERSION_CONFLICT")
    assert refusal(by_header)[:2] == (412, "VERSION_CONFLICT")
    assert by_body.json()["current_version"] == 2
    differing = ask({"expected_version": 2}, If_Match='"1"')
    assert refusal(differing)[:3] == (400, "INVALID_REQUEST", "expected_version")
    assert refusal(ask(If_None_Match="*"))[:3] == (400, "INVALID_REQUEST", "If-None-Match")
    assert refusal(ask({"expected_version": 0}))[:3] == (400, "INVALID_REQUEST", "expected_version")
    assert claims.head() == before
    done(ask({"expected_version": 2}, If_Match='"2"'))


def test_what_if_needs_no_key_is_recorded_nowhere_and_applied_to_nothing(claims):
    claim = claims.claim()
    source, support = claims.source("inventory", claim)
    before = claims.head()

    for one in (source, support):
        said = done(claims.assess(claim, {**SINGLE, "exclude": [one]}, key=None))
        assert (said["assessment"], said["recommended"]) == (None, "candidate")
        assert [blocker["blocker"] for blocker in said["blockers"]] == ["no_support"]
        assert "receipt" not in said
    both = claims.assess(claim, {**SINGLE, "exclude": [source], "apply": True})

    assert refusal(both)[:3] == (400, "INVALID_REQUEST", "apply")
    many = claims.assess(claim, {**SINGLE, "exclude": [source] * 1001})
    assert refusal(many)[:3] == (400, "INVALID_REQUEST", "exclude")
    assert claims.head() == before


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "INVALID_REQUEST", "policy", None)),
        ({"policy": "Two"}, (400, "INVALID_REQUEST", "policy", "POLICY_NAME")),
        ({"policy": "nobody/v1"}, (404, "NOT_FOUND", "policy", "UNKNOWN_POLICY")),
        ({**SINGLE, "why": "so"}, (400, "INVALID_REQUEST", "why", None)),
        ({**SINGLE, "apply": "yes"}, (400, "INVALID_REQUEST", "apply", None)),
        ({**SINGLE, "as_of": "monday"}, (400, "INVALID_REQUEST", "as_of", "TIMESTAMP_INVALID")),
    ],
)
def test_an_assessment_that_cannot_be_made_is_refused_by_its_field(claims, body, expected):
    claim = claims.claim()
    before = claims.head()

    assert refusal(claims.assess(claim, body)) == expected
    assert claims.head() == before


def test_mutations_of_claims_want_a_key_and_questions_the_names_that_they_have(api, claims):
    claim = claims.claim()
    fact = {"claims": [[claim, 1]], "kind": "fact", "content": memory()["content"], **SINGLE}

    for response in (
        claims.assess(claim, key=None),
        claims.review(claim, key=None),
        claims.post("/v1/facts", fact, key=None),
    ):
        assert refusal(response)[:3] == (400, "IDEMPOTENCY_KEY_REQUIRED", "idempotency_key")
    for query, field in (
        ("?gap=nothing", "gap"),
        ("?kind=note", "kind"),
        ("?cursor=x", "cursor"),
        ("?limit=0", "limit"),
        ("?why=so", "why"),
        (f"/{claim}?as_of=monday", "as_of"),
        (f"/{claim}/audit?policy=p", "policy"),
    ):
        assert refusal(api.get(f"/v1/claims{query}"))[:3] == (400, "INVALID_REQUEST", field)


def test_what_is_no_claim_is_not_found_whatever_is_asked_of_it(api, claims):
    note = api.remember("a note")

    for one in (note, "mem_nothing", "mem_" + "0" * 26):
        for response in (
            *(api.get(f"/v1/claims/{one}{part}") for part in ("", "/evidence", "/audit")),
            claims.assess(one),
            claims.review(one),
        ):
            assert refusal(response)[:2] == (404, "NOT_FOUND")
    for path in ("dec_nothing", "dec_" + "0" * 26, "dec_nothing/replay"):
        assert refusal(api.get(f"/v1/assessments/{path}"))[:2] == (404, "NOT_FOUND")


def test_who_wrote_a_claim_approves_of_it_over_no_door(claims, store):
    claim = claims.claim()
    bound = {"workspace": "w", "actor": "ann", "permissions": ["review", "write", "read"]}
    token, _ = store.keys.create(name="ann", **bound)
    own = {"Authorization": f"Bearer {token}"}

    refused = claims.review(claim, headers=own)

    assert refusal(refused) == (403, "PERMISSION_DENIED", "claim_id", "OWN_CLAIM")
    assert refusal(claims.review(claim, actor="kim"))[:2] == (403, "PERMISSION_DENIED")
    assert done(claims.review(claim))["review"]["review"] == "approved"


def test_a_fact_is_made_of_claims_as_they_stand_and_shows_when_one_falls(api, claims):
    claim = claims.claim()
    source, _ = claims.source("inventory", claim)
    decision = done(claims.assess(claim))["assessment"]["id"]
    fact = {"claims": [[claim, 1], [source, 1]], "kind": "fact", **SINGLE, "assessment": decision}
    fact["content"] = {"format": "text", "value": "PostgreSQL it is"}
    before = claims.head()
    for changed, expected in (
        ({"claims": [[claim, 2]]}, (409, "VERSION_CONFLICT", "claims.0")),
        ({"claims": [[claim, 1], [claim, 1]]}, (400, "INVALID_REQUEST", "claims")),
        ({"claims": [["mem_nothing", 1]]}, (404, "NOT_FOUND", "claims.0")),
        ({"claims": [[claim, "1"]]}, (400, "INVALID_REQUEST", "claims.0")),
        ({"claims": []}, (400, "INVALID_REQUEST", "claims")),
        ({"claims": [[source, 1]]}, (400, "INVALID_REQUEST", "assessment")),
        ({"policy": TWO_INDEPENDENT}, (400, "INVALID_REQUEST", "policy")),
        ({"kind": "note"}, (400, "INVALID_REQUEST", "kind")),
    ):
        assert refusal(claims.post("/v1/facts", fact | changed))[:3] == expected
    matched = claims.post("/v1/facts", fact, headers={"If-Match": '"1"'})
    assert refusal(matched)[:3] == (400, "INVALID_REQUEST", "If-Match")
    assert claims.head() == before

    made = done(claims.post("/v1/facts", fact))["record"]

    assert made["kind"] == "fact"
    assert api.read(f"/v1/claims/{made['id']}")["policy"] == SINGLE_TRUSTED
    assert [one["id"] for one in api.read(f"/v1/claims?rests_on={claim}")["items"]] == [made["id"]]
    api.do("forget", {"memory_id": claim, "mode": "tombstone", "reason": "r"})
    assert "source_forgotten" in api.read(f"/v1/claims/{made['id']}")["gaps"]


def test_a_claim_with_more_than_ten_thousand_supports_is_never_validated(api, claims):
    claim = claims.claim()
    source, _ = claims.source("inventory", claim)
    left = 10_000
    while left:
        many = [envelope("relate", edge(source, claim)) for _ in range(min(left, 500))]
        sent = host_headers(actor="sam")
        done(api.client.post("/v1/memory/batch", json={"items": many}, headers=sent))
        left -= len(many)

    said = done(claims.assess(claim, {**SINGLE, "apply": True}))["assessment"]

    assert (said["complete"], said["recommended"]) == (False, "candidate")
    assert "evidence_incomplete" in {one["blocker"] for one in said["blockers"]}
    assert api.read(f"/v1/claims/{claim}/evidence")["complete"] is False


def test_nothing_is_learned_of_a_claim_that_is_private_or_of_another_session(api, claims, store):
    bob = {"actor": "bob", "workspace": "w2"}
    private = api.remember("a secret", kind="claim", visibility="private", names=bob)
    decided = claims.assess(private, **bob)
    setting = {"workspace": "w3", "actor": "op", "permissions": ["policy"]}
    token, _ = store.keys.create(name="op", **setting)
    strict = {"session_isolation": "strict"}
    sent = {"Authorization": f"Bearer {token}"}
    done(api.client.patch("/v1/settings", json=strict, headers=sent))
    theirs = {"actor": "ann", "workspace": "w3", "session": "theirs"}
    foreign = api.remember("of a session", kind="claim", names=theirs)
    elsewhere = claims.assess(foreign, **theirs)

    for claim, decision, names in (
        (private, done(decided)["assessment"]["id"], {"actor": "ann", "workspace": "w2"}),
        (foreign, done(elsewhere)["assessment"]["id"], {**theirs, "session": "mine"}),
    ):
        assert api.read("/v1/claims", **names)["items"] == []
        for path in ("", "/evidence", "/audit"):
            assert refusal(api.get(f"/v1/claims/{claim}{path}", **names))[0] == 404
        for path in ("", "/replay"):
            assert refusal(api.get(f"/v1/assessments/{decision}{path}", **names))[0] == 404
        assert refusal(claims.assess(claim, **names))[0] == 404
        page = api.read(f"/v1/reassessments?policy={SINGLE_TRUSTED}", **names)
        assert page["items"] == []
