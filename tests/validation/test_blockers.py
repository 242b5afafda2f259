"""All combinations of failing rules give exactly the blockers of those rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import pytest

from domain.validation.blockers import BLOCKERS, PIECE_BLOCKERS
from domain.validation.definition import parse_definition
from domain.validation.judgement import judge
from tests.validation.evidence import (
    DAY,
    DAY_SECONDS,
    NOW,
    POLICY,
    against,
    approval,
    claim,
    evidence,
    piece,
    rival,
    withdrawn,
)

EVERYTHING = parse_definition(
    {
        "independent_supports": 2,
        "source_kinds": ["observation"],
        "sources": {"trusted": ["lab:*"]},
        "trusted_only": True,
        "require_locator": True,
        "require_observed_at": True,
        "require_current": True,
        "max_age_seconds": 2 * DAY_SECONDS,
        "match_scope": True,
        "approvals": 1,
        "min_confidence": 0.5,
    }
)
"""A policy with every rule there is."""

PIECES = {
    "source_kind": {"kinds": frozenset({"rumour"})},
    "source_not_trusted": {"names": frozenset({"blog"})},
    "locator_missing": {"located": False},
    "observed_at_missing": {"observed_us": None},
    "not_current": {"until_us": NOW},
    "evidence_too_old": {"observed_us": NOW - 3 * DAY},
    "scope_mismatch": {"scope": {"region": "eu"}},
}
"""What makes a piece fail each rule, and no other one; but what is not dated is too old."""

WHOLE = {
    "contradiction": {"pieces": [against(90)]},
    "rival_claim": {"rivals": (rival(80),)},
    "contradiction_withdrawn": {"pieces": [withdrawn(91)], "withdrawn_at": 200},
    "approvals_missing": {"approvals": ()},
    "confidence_too_low": {"about": claim(confidence=0.4)},
    "evidence_incomplete": {"complete": False},
}
"""What makes the evidence as a whole fail each of the other rules."""


def subsets(names) -> Iterator[frozenset[str]]:
    names = list(names)
    of_each_size = (combinations(names, size) for size in range(len(names) + 1))
    return map(frozenset, chain.from_iterable(of_each_size))


def failing(broken: frozenset[str], supports: int):
    """Evidence of so many independent supports in which the rules named fail, and no others."""
    fields = {
        name: value for rule in broken & PIECES.keys() for name, value in PIECES[rule].items()
    }
    if {"observed_at_missing", "evidence_too_old"} <= broken:
        fields["observed_us"] = None
    pieces = [piece(number, **fields) for number in range(1, supports + 1)]
    said = {"approvals": (approval(),)}
    for rule in broken & WHOLE.keys():
        more = dict(WHOLE[rule])
        pieces += more.pop("pieces", [])
        said |= more
    return evidence(*pieces, **said)


def expected(broken: frozenset[str], supports: int) -> list[str]:
    names = set(broken)
    if "observed_at_missing" in names:
        names.add("evidence_too_old")
    if not supports:
        names -= PIECES.keys()
        names.add("no_support")
    elif supports < 2:
        names.add("insufficient_independent_support")
    return [name for name in BLOCKERS if name in names]


def recommended(names) -> str:
    if not names:
        return "validated"
    challenged = bool({"contradiction", "contradiction_withdrawn"} & set(names))
    if challenged and "no_support" in names:
        return "rejected"
    return "contested" if challenged or "rival_claim" in names else "candidate"


@pytest.mark.parametrize("supports", [0, 1, 2])
def test_every_combination_of_failing_rules_has_exactly_their_blockers(supports) -> None:
    """2¹³ combinations for each number of supports: 13 rules that fail or hold."""
    count = 0
    for broken in subsets([*PIECES, *WHOLE]):
        found = judge(failing(broken, supports), POLICY, EVERYTHING)
        names = expected(broken, supports)
        assert [one.name for one in found.blockers] == names, broken
        assert found.recommended == recommended(names), broken
        count += 1
    assert count == 2**13


def test_a_policy_blocks_by_no_rule_that_it_does_not_have() -> None:
    """Each rule alone, against evidence in which all of them fail."""
    of_pieces = {
        "source_kind": {"source_kinds": ["observation"]},
        "source_not_trusted": {"sources": {"trusted": ["lab:*"]}, "trusted_only": True},
        "locator_missing": {"require_locator": True},
        "observed_at_missing": {"require_observed_at": True},
        "not_current": {"require_current": True},
        "evidence_too_old": {"max_age_seconds": 2 * DAY_SECONDS},
        "scope_mismatch": {"match_scope": True},
    }
    tolerant = {
        "contradictions_allowed": None,
        "rivals_allowed": True,
        "withdrawn_allowed": True,
        "independent_supports": 1,
    }
    everything = failing(frozenset(PIECES) | (WHOLE.keys() - {"evidence_incomplete"}), 2)
    for blocker, rule in of_pieces.items():
        found = judge(everything, POLICY, parse_definition({**tolerant, **rule}))
        assert [one.name for one in found.blockers] == [blocker]
    assert judge(everything, POLICY, parse_definition(tolerant)).recommended == "validated"
    for blocker, rule in {
        "contradiction": {"contradictions_allowed": 0},
        "rival_claim": {"rivals_allowed": False},
        "approvals_missing": {"approvals": 1},
        "confidence_too_low": {"min_confidence": 0.5},
    }.items():
        found = judge(everything, POLICY, parse_definition({**tolerant, **rule}))
        assert [one.name for one in found.blockers] == [blocker]


PAIRS = [
    pair
    for pair in combinations(PIECE_BLOCKERS, 2)
    # What is not dated fails both.
    if pair != ("observed_at_missing", "evidence_too_old")
]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_rules_that_different_pieces_meet_are_not_met_together(first, second) -> None:
    """Given two supports for each of two rules, none meets both; one more that does is too few."""
    without = [piece(number, **PIECES[first]) for number in (1, 2)]
    without += [piece(number, **PIECES[second]) for number in (3, 4)]

    for more, names in ((0, ["rules_not_met_together"]), (1, ["rules_not_met_together"]), (2, [])):
        pieces = [*without, *(piece(10 + number) for number in range(more))]
        found = judge(evidence(*pieces, approvals=(approval(),)), POLICY, EVERYTHING)
        assert [one.name for one in found.blockers] == names


def test_blockers_come_with_their_figures_and_ids() -> None:
    both = evidence(piece(1, located=False), against(2), rivals=(rival(3),), approvals=())

    said = [one.as_json() for one in judge(both, POLICY, EVERYTHING).blockers]

    assert said == [
        {"blocker": "insufficient_independent_support", "needed": 2, "found": 1},
        {
            "blocker": "contradiction",
            "allowed": 0,
            "found": 1,
            "relationships": [against(2).edge[0]],
        },
        {"blocker": "rival_claim", "memories": [rival(3).memory[0]]},
        {
            "blocker": "locator_missing",
            "needed": 1,
            "found": 0,
            "relationships": [piece(1).edge[0]],
        },
        {"blocker": "approvals_missing", "needed": 1, "found": 0},
    ]


def test_the_combinations_of_a_policy_say_what_is_contested_and_rejected() -> None:
    """Rejected is looked for before contested, and a combination holds when all of it is there."""
    strict = parse_definition(
        {
            "independent_supports": 1,
            "require_locator": True,
            "contested_on": [["locator_missing"]],
            "rejected_on": [["locator_missing", "rival_claim"]],
        }
    )
    verdicts = {
        (True, False): "validated",
        (True, True): "candidate",
        (False, False): "contested",
        (False, True): "rejected",
    }
    for (located, challenged), verdict in verdicts.items():
        rivals = (rival(5),) if challenged else ()
        found = judge(evidence(piece(1, located=located), rivals=rivals), POLICY, strict)
        assert found.recommended == verdict
