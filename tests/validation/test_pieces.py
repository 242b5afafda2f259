"""How each piece of evidence is taken: what it counts for, and why it does not."""

from __future__ import annotations

import pytest

from domain.validation.definition import parse_definition
from domain.validation.judgement import judge
from tests.validation.evidence import (
    DAY,
    DAY_SECONDS,
    NOW,
    POLICY,
    against,
    claim,
    evidence,
    piece,
    withdrawn,
)


def judged(said, **rules):
    return judge(said, POLICY, parse_definition({"independent_supports": 1, **rules}))


def blocked(said, **rules):
    return [one.name for one in judged(said, **rules).blockers]


def test_each_piece_is_listed_with_its_tier_its_cluster_and_why_it_does_not_count() -> None:
    rated = {"trusted": ["lab:1"], "quarantine": ["rumour"]}
    pieces = [
        piece(1),
        piece(2, origins=frozenset({"lab:1"}), independent=False, located=False),
        piece(3, standing=False, located=False),
        piece(4, names=frozenset({"rumour"}), located=False),
        against(5),
        against(6, until_us=NOW),
        withdrawn(7, names=frozenset({"rumour"})),
    ]

    found = judged(evidence(*reversed(pieces)), sources=rated, require_locator=True).pieces

    assert [one.piece for one in found] == pieces
    own = piece(1).edge[0]
    assert [(one.tier, one.cluster, one.reasons) for one in found] == [
        ("trusted", own, ()),
        ("unrated", own, ("not_independent", "locator_missing")),
        ("unrated", None, ("withdrawn",)),
        ("quarantine", None, ("quarantined",)),
        ("unrated", against(5).edge[0], ()),
        ("unrated", None, ("not_current",)),
        ("quarantine", None, ("withdrawn", "quarantined")),
    ]
    assert found[1].as_json() == {
        "relationship_id": piece(2).edge[0],
        "relationship_version": 1,
        "memory_id": piece(2).memory[0],
        "memory_version": 1,
        "stance": "supports",
        "tier": "unrated",
        "cluster": own,
        "counts": False,
        "reasons": ["not_independent", "locator_missing"],
    }


def test_support_that_holds_no_more_counts_where_a_policy_does_not_mind() -> None:
    over = evidence(piece(1, until_us=NOW))

    assert blocked(over) == []
    assert blocked(over, require_current=True) == ["not_current"]
    assert blocked(evidence(piece(1, standing=False))) == ["no_support"]


def test_a_contradiction_counts_while_it_holds() -> None:
    for fields, names in (
        ({}, ["contradiction"]),
        ({"until_us": NOW + 1}, ["contradiction"]),
        ({"until_us": NOW}, []),
        ({"from_us": NOW}, ["contradiction"]),
        ({"from_us": NOW + 1}, []),
        # Whoever says that it depends on others says so of a contradiction.
        ({"independent": False}, ["contradiction"]),
    ):
        assert blocked(evidence(piece(1), against(2, **fields))) == names


def test_contradictions_of_one_origin_are_one() -> None:
    copies = [against(number, origins=frozenset({"lab:9"})) for number in (2, 3, 4)]

    assert blocked(evidence(piece(1), *copies), contradictions_allowed=1) == []
    other = evidence(piece(1), *copies, against(5))
    assert blocked(other, contradictions_allowed=1) == ["contradiction"]
    assert blocked(other, contradictions_allowed=2) == []


def test_what_does_not_count_may_show_that_two_others_are_of_one_origin() -> None:
    """A mirror that names both places, and no page: the two are copies all the same."""
    mirror = piece(3, origins=frozenset({"lab:1", "lab:2"}), located=False)
    said = evidence(piece(1), piece(2), mirror)

    names = blocked(said, independent_supports=2, require_locator=True)

    assert names == ["insufficient_independent_support"]


def test_documents_of_one_host_are_of_one_origin_where_a_policy_says_so() -> None:
    pieces = [piece(number, hosts=frozenset({"lab.example"})) for number in (1, 2)]

    assert blocked(evidence(*pieces), independent_supports=2) == []
    assert blocked(evidence(*pieces), independent_supports=2, group_by_host=True) == [
        "insufficient_independent_support"
    ]


@pytest.mark.parametrize(
    ("age_us", "names"),
    [(0, []), (DAY, []), (DAY + 1, ["evidence_too_old"]), (-DAY, [])],
)
def test_evidence_is_too_old_past_its_age(age_us, names) -> None:
    said = evidence(piece(1, observed_us=NOW - age_us))

    assert blocked(said, max_age_seconds=DAY_SECONDS) == names


@pytest.mark.parametrize(
    ("of_claim", "of_piece", "same"),
    [
        (None, None, True),
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, True),
        ("caf\u00e9", "cafe\u0301", True),
        ({"a": 1}, None, False),
        (None, {"a": 1}, False),
        ("eu", "EU", False),
    ],
)
def test_a_scope_is_the_same_or_it_is_not(of_claim, of_piece, same) -> None:
    said = evidence(piece(1, scope=of_piece), about=claim(scope=of_claim))

    assert blocked(said, match_scope=True) == ([] if same else ["scope_mismatch"])


def test_a_support_is_of_the_kinds_that_it_stands_on() -> None:
    said = evidence(piece(1, kinds=frozenset({"observation", "source"})))

    assert blocked(said, source_kinds=["source", "document"]) == []
    assert blocked(said, source_kinds=["document"]) == ["source_kind"]


def test_a_rule_on_pieces_asks_for_a_piece_that_may_open_a_cluster() -> None:
    dependent = piece(2, origins=frozenset({"lab:1"}), independent=False)
    said = evidence(piece(1, located=False), dependent)

    assert blocked(said, require_locator=True) == ["locator_missing"]
    assert blocked(evidence(dependent), require_locator=True) == [
        "insufficient_independent_support"
    ]


def test_a_rule_on_pieces_asks_for_support() -> None:
    """Also where no number was given: else a policy would be met by nothing at all."""
    asked = {"independent_supports": 0, "require_locator": True}

    assert blocked(evidence(), **asked) == ["no_support"]
    assert blocked(evidence(piece(1)), **asked) == []


def test_dimensions_leave_quarantine_out_and_know_what_is_trusted() -> None:
    said = evidence(
        piece(1, weight=0.5),
        piece(2, scope={"any": "json"}),
        piece(3, names=frozenset({"rumour"})),
        against(4, names=frozenset({"rumour"})),
    )

    rated = judged(said, sources={"trusted": ["lab:1"], "quarantine": ["rumour"]}).dimensions
    plain = judged(said).dimensions

    assert rated.as_json() == {
        "support_mass": 1.5,
        "independence": 2,
        "authority": 0.5 / 1.5,
        "temporal_cover": 1.0,
    }
    assert (plain.support_mass, plain.contradiction_mass, plain.authority) == (2.5, 1.0, None)


def test_a_judgement_is_told_with_its_grounds() -> None:
    said = judged(evidence(piece(1), complete=False)).as_json()

    assert said["recommended"] == "candidate"
    assert said["blockers"] == [{"blocker": "evidence_incomplete"}]
    assert said["dimensions"] == {"support_mass": 1.0, "independence": 1, "temporal_cover": 1.0}
    assert [one["counts"] for one in said["pieces"]] == [True]
