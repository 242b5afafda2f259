"""Whose approvals count, and what a withdrawn contradiction leaves behind until one does."""

from __future__ import annotations

import pytest

from domain.validation.definition import parse_definition
from domain.validation.judgement import judge
from domain.validation.shipped import REVIEWER_APPROVAL, SHIPPED
from tests.validation.evidence import (
    NOW,
    POLICY,
    against,
    approval,
    claim,
    evidence,
    piece,
    withdrawn,
)

TWO = parse_definition({"independent_supports": 1, "approvals": 2})
ONE = parse_definition({"independent_supports": 1, "approvals": 1})
SUPPORTED = parse_definition({"independent_supports": 1})


def found(said, definition=ONE, policy=POLICY):
    judged = judge(said, policy, definition)
    return [(one.name, one.said.get("found")) for one in judged.blockers]


SUPPORT = (piece(1),)


def approved(*approvals, pieces=SUPPORT, **fields):
    return evidence(*pieces, approvals=approvals, **fields)


def test_people_are_counted_and_not_what_they_say() -> None:
    assert found(approved(approval("ann"), approval("bob", position=101)), TWO) == []
    twice = approved(approval("ann"), approval("ann", position=101))
    assert found(twice, TWO) == [("approvals_missing", 1)]


@pytest.mark.parametrize(
    ("words", "missing"),
    [([True], 0), ([True, False], 1), ([False, True], 0), ([False], 1), ([True, False, True], 0)],
)
def test_the_latest_word_of_each_counts(words, missing) -> None:
    said = [approval("ann", approved=word, position=100 + at) for at, word in enumerate(words)]

    assert len(found(approved(*reversed(said)))) == missing


def test_the_rejection_of_one_takes_back_no_approval_of_another() -> None:
    said = approved(approval("ann"), approval("bob", approved=False, position=101))

    assert found(said) == []


def test_an_approval_counts_under_its_own_policy() -> None:
    assert found(approved(approval(policy="own/v2"))) == [("approvals_missing", 0)]
    withdrawn_elsewhere = approved(
        approval(), approval(approved=False, position=101, policy="own/v2")
    )
    assert found(withdrawn_elsewhere) == []


@pytest.mark.parametrize(
    "pieces",
    [
        [piece(1), piece(2, authors=frozenset({"ann", "x"}))],
        [piece(1), piece(2, until_us=NOW, authors=frozenset({"ann"}))],
    ],
    ids=["of a support", "of a support that holds no more"],
)
def test_nobody_approves_of_evidence_that_they_wrote(pieces) -> None:
    assert found(approved(approval("ann"), pieces=pieces)) == [("approvals_missing", 0)]
    assert found(approved(approval("bob"), pieces=pieces)) == []


def test_nobody_approves_of_a_claim_or_a_contradiction_that_they_wrote() -> None:
    assert found(approved(approval("claimant"))) == [("approvals_missing", 0)]
    tolerant = parse_definition({"approvals": 1, "contradictions_allowed": 1})
    own = against(2, authors=frozenset({"ann"}))
    said = approved(approval("ann"), pieces=(piece(1), own))
    assert found(said, tolerant) == [("approvals_missing", 0)]


def test_who_wrote_what_does_not_count_may_approve() -> None:
    """What was withdrawn or is in quarantine supports nothing."""
    rated = parse_definition(
        {"independent_supports": 1, "approvals": 1, "sources": {"quarantine": ["rumour"]}}
    )
    gone = piece(2, standing=False, authors=frozenset({"ann"}))
    quarantined = piece(3, names=frozenset({"rumour"}), authors=frozenset({"ann"}))

    assert found(approved(approval("ann"), pieces=(piece(1), gone, quarantined)), rated) == []


def test_a_claim_that_needs_no_support_is_approved_by_a_person_alone() -> None:
    people = parse_definition({"approvals": 1})

    assert judge(approved(approval(), pieces=()), POLICY, people).recommended == "validated"
    assert found(evidence(), people) == [("approvals_missing", 0)]


def test_the_shipped_policy_wants_a_support_and_a_reviewer() -> None:
    shipped = SHIPPED[REVIEWER_APPROVAL]
    said = approved(approval(policy=REVIEWER_APPROVAL))

    assert found(said, shipped, REVIEWER_APPROVAL) == []
    assert found(evidence(), shipped, REVIEWER_APPROVAL) == [
        ("no_support", 0),
        ("approvals_missing", 0),
    ]


@pytest.mark.parametrize(
    ("approvals", "blocked"),
    [
        ([], True),
        ([approval(position=199)], True),
        ([approval(position=201)], False),
        ([approval(position=199), approval(approved=False, position=201)], True),
        ([approval(position=201), approval(approved=False, position=202)], True),
        ([approval("claimant", position=201)], True),
        ([approval("judge", position=201, policy="own/v2")], True),
        ([approval("critic", position=201)], True),
    ],
)
def test_a_withdrawn_contradiction_blocks_until_somebody_else_approves(approvals, blocked) -> None:
    """Also where it was withdrawn by an end of its validity."""
    critic = {"authors": frozenset({"critic"})}
    for gone in (withdrawn(2, **critic), against(2, until_us=NOW, **critic)):
        said = evidence(piece(1), gone, approvals=tuple(approvals), withdrawn_at=200)

        judged = judge(said, POLICY, SUPPORTED)

        assert judged.recommended == ("contested" if blocked else "validated")
        assert [one.name for one in judged.blockers] == ["contradiction_withdrawn"] * blocked


@pytest.mark.parametrize(
    ("rules", "blocked"),
    [
        ({}, True),
        ({"withdrawn_allowed": True}, False),
        ({"contradictions_allowed": None}, False),
        ({"contradictions_allowed": 1}, True),
        ({"contradictions_allowed": 2}, False),
    ],
)
def test_a_policy_may_tolerate_what_was_withdrawn_as_what_stands(rules, blocked) -> None:
    """Two contradictions: one stands where the policy tolerates one, and one was withdrawn."""
    definition = parse_definition({"independent_supports": 1, **rules})
    pieces = [piece(1), withdrawn(2)]
    if rules.get("contradictions_allowed"):
        pieces.append(against(3))

    for said in (evidence(*pieces), evidence(*[one for one in pieces if one.standing])):
        judged = judge(said._replace(withdrawn_at=200), POLICY, definition)
        assert [one.name for one in judged.blockers] == ["contradiction_withdrawn"] * blocked


def test_without_support_a_withdrawn_contradiction_is_a_ground_to_reject() -> None:
    judged = judge(evidence(withdrawn(2), withdrawn_at=200), POLICY, SUPPORTED)

    assert judged.recommended == "rejected"
    assert judged.blockers[1].as_json() == {
        "blocker": "contradiction_withdrawn",
        "allowed": 0,
        "found": 1,
        "relationships": [withdrawn(2).edge[0]],
    }


def test_an_author_is_one_whatever_else_is_theirs() -> None:
    about = claim(authors=frozenset({"ann", "bob"}))

    said = approved(approval("ann"), approval("bob", position=101), about=about)

    assert found(said) == [("approvals_missing", 0)]


@pytest.mark.parametrize("status", ["contested", "rejected"])
def test_a_combination_that_names_contradictions_holds_for_withdrawn_ones(status) -> None:
    """Else whoever takes a contradiction back would make a candidate of the claim."""
    combinations = {"contested_on": [], "rejected_on": []} | {f"{status}_on": [["contradiction"]]}
    definition = parse_definition({"independent_supports": 1, **combinations})

    stands = judge(evidence(piece(1), against(2)), POLICY, definition)
    gone = judge(evidence(piece(1), withdrawn(2), withdrawn_at=200), POLICY, definition)

    assert stands.recommended == gone.recommended == status
    assert [one.name for one in gone.blockers] == ["contradiction_withdrawn"]


@pytest.mark.parametrize(
    ("confidence", "names"),
    [(None, ["confidence_too_low"]), (0.49, ["confidence_too_low"]), (0.5, []), (1.0, [])],
)
def test_a_claim_is_as_sure_as_a_policy_asks_and_says_so(confidence, names) -> None:
    sure = parse_definition({"independent_supports": 1, "min_confidence": 0.5})
    said = evidence(piece(1), about=claim(confidence=confidence))

    assert [one.name for one in judge(said, POLICY, sure).blockers] == names
