"""What is missing behind a claim, name by name."""

from __future__ import annotations

import pytest

from domain.claims.decisions import DecisionState
from domain.claims.gaps import gaps
from domain.claims.pieces import Fallen
from domain.claims.statement import Statement
from domain.claims.statuses import DAMAGED
from domain.events import Assessment
from domain.instants import server_time
from domain.visibility import Home
from tests.validation.evidence import NOW, against, claim, evidence, piece, rival, target


def stated(status=None, policy=None):
    return claim(statement=Statement("s", "p", 1, None, status, policy, None))


def assessed(recommended="candidate", seen=100):
    verdict = Assessment(
        policy="p/v1",
        definition="",
        recommended=recommended,
        blockers=[],
        dimensions={},
        basis={"position": seen, "as_of": server_time(NOW)},
        complete=True,
    )
    home = Home("s", "workspace", "ann")
    return DecisionState("dec_1", target("mem_", 0), "p/v1", home, "ann", "", 1, (), {}, verdict)


def found(*pieces, by=None, standing="known", **fields):
    said = evidence(*pieces, **{"about": stated("candidate"), "cited": 1, **fields})
    return gaps(said, by or assessed(), lambda _: standing)


SOUND = (piece(1), piece(2))


def test_a_claim_with_support_and_an_assessment_lacks_nothing():
    assert found(*SOUND) == ()


@pytest.mark.parametrize(
    ("gap", "told"),
    [
        ("no_source", lambda: found(cited=0, agreed=True)),
        (
            "source_forgotten",
            lambda: found(*SOUND, fallen=(Fallen(target("mem_", 9), "forgotten"),)),
        ),
        ("source_expired", lambda: found(*SOUND, fallen=(Fallen(target("mem_", 9), "expired"),))),
        (
            "source_superseded",
            lambda: found(*SOUND, fallen=(Fallen(target("mem_", 9), "superseded"),)),
        ),
        (
            "source_contradicted",
            lambda: found(*SOUND, fallen=(Fallen(target("mem_", 9), "contradicted"),)),
        ),
        ("never_corroborated", found),
        ("evidence_newer_than_assessment", lambda: found(*SOUND, newest_at=101)),
        ("unresolved_contradiction", lambda: found(*SOUND, against(3))),
        pytest.param(
            "unresolved_contradiction", lambda: found(*SOUND, rivals=(rival(3),)), id="rival"
        ),
        (
            "validated_without_policy",
            lambda: found(*SOUND, about=stated("validated"), by=assessed("validated")),
        ),
        (
            "unknown_policy",
            lambda: found(*SOUND, about=stated("candidate", "x/v1"), standing="unknown"),
        ),
        (
            "retired_policy",
            lambda: found(*SOUND, about=stated("candidate", "x/v1"), standing="retired"),
        ),
        ("status_differs_from_assessment", lambda: found(*SOUND, by=assessed("contested"))),
        ("decision_damaged", lambda: found(*SOUND, about=stated("rejected"), by=DAMAGED)),
        pytest.param(
            "status_differs_from_assessment",
            lambda: found(*SOUND, about=stated("rejected")),
            id="decided otherwise",
        ),
    ],
)
def test_each_gap_is_told_alone(gap, told):
    assert told() == (gap,)


def test_a_claim_that_nobody_assessed_says_so():
    assert gaps(evidence(*SOUND, about=stated(), cited=1), None, lambda _: "known") == (
        "no_assessment",
    )


@pytest.mark.parametrize(
    "told",
    [
        lambda: found(piece(1)),
        lambda: found(cited=2),
        lambda: found(agreed=True),
    ],
    ids=["supported", "two sources", "agreed with"],
)
def test_any_backing_is_a_corroboration(told):
    assert "never_corroborated" not in told()


def test_evidence_that_an_assessment_has_seen_is_not_newer():
    assert found(*SOUND, newest_at=100) == ()
