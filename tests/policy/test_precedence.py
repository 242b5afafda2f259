"""One winner a slot, conflicts, and named policies (spec/policy.md §2.9)."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import pytest

from domain.contract import RecallInput
from domain.errors import Code, MemorandaError
from domain.resolver.policies import (
    NEWEST_RECORDED,
    POLICIES,
    SURFACE_ALL,
    Candidate,
    Conflict,
    policy_named,
)
from tests.policy.builders import ask, assertion, correction, told

NEWEST = POLICIES[NEWEST_RECORDED]


def candidate(id: str = "m", **changes: Any) -> Candidate:
    plain = Candidate(
        id=id,
        root_id="m",
        root_recorded_us=5,
        from_us=5,
        recorded_us=5,
        value=id.encode(),
    )
    return plain._replace(**changes)


@pytest.mark.parametrize(
    ("better", "worse", "decided"),
    [
        (
            candidate("a", root_id="a", root_recorded_us=6, from_us=1, recorded_us=1),
            candidate("z", root_id="z", recorded_us=9),
            "recorded_at",
        ),
        (
            candidate("a", root_id="a", from_us=6, recorded_us=1),
            candidate("z", root_id="z", recorded_us=9),
            "valid_from",
        ),
        (candidate("a", root_id="y"), candidate("z", root_id="x", recorded_us=9), "event_id"),
        (candidate("a", from_us=6), candidate("z", recorded_us=9), "correction_order"),
        (candidate("a", recorded_us=6), candidate("z"), "correction_order"),
        (candidate("z"), candidate("a"), "correction_order"),
    ],
)
def test_each_component_decides_where_those_before_it_are_equal(
    better: Candidate, worse: Candidate, decided: str
) -> None:
    for order in ([better, worse], [worse, better]):
        verdict = NEWEST(order)
        assert verdict.selected == (better,)
        assert verdict.conflict == Conflict(tuple(sorted("az")), better.id, decided)  # type: ignore[arg-type]


def test_a_conflict_names_what_decided_against_the_closest_of_another_value() -> None:
    first = candidate("b", root_id="b", root_recorded_us=7, value=b"x")
    same = candidate("a", root_id="a", root_recorded_us=7, value=b"x")
    close = candidate("c", root_id="c", root_recorded_us=7, from_us=3)
    far = candidate("d", root_id="d", root_recorded_us=1)
    for order in itertools.permutations([first, same, close, far]):
        verdict = NEWEST(list(order))
        assert verdict.conflict == Conflict(("b", "c", "d"), "b", "valid_from")
        assert verdict.conflict.losers == ("c", "d")
        reasons = {one.id: (one.reason, one.by) for one in verdict.excluded}
        assert reasons == {
            "a": ("same_value", "b"),
            "c": ("shadowed", "b"),
            "d": ("shadowed", "b"),
        }


@pytest.mark.parametrize("policy", sorted(POLICIES))
def test_one_candidate_or_equal_values_are_no_conflict(policy: str) -> None:
    alone = POLICIES[policy]([candidate()])
    assert (alone.selected, alone.excluded, alone.conflict) == ((candidate(),), (), None)
    equal = [candidate("a", value=b"x"), candidate("b", value=b"x")]
    assert POLICIES[policy](equal).conflict is None


def test_everything_is_surfaced_best_first_and_nothing_decided() -> None:
    events = [assertion("a", 1), assertion("b", 3), assertion("c", 2, "value of b")]
    answer = ask(*events, policy=SURFACE_ALL)
    assert (answer.selected, answer.excluded) == (("b", "c", "a"), ())
    assert answer.conflicts == (Conflict(("a", "b", "c"), None, None),)
    assert answer.conflicts[0].losers == ()


def test_values_are_equal_in_every_unicode_spelling_and_json_by_content() -> None:
    spelled = [assertion("a", 1, "caf\u00e9"), assertion("b", 2, "cafe\u0301")]
    assert told(ask(*spelled))["a"] == "same_value by b"
    json = [assertion("a", 1, {"x": 1, "y": [2]}), assertion("b", 2, {"y": [2], "x": 1})]
    assert told(ask(*json))["a"] == "same_value by b"
    assert told(ask(assertion("a", 1, 1), assertion("b", 2, True)))["a"] == "shadowed by b"


def test_a_late_correction_keeps_the_place_of_its_root() -> None:
    events = [assertion("a", 1), assertion("b", 2), correction("c", "a", 9)]
    assert told(ask(*events)) == {"a": "corrected by c", "b": "selected", "c": "shadowed by b"}


def test_a_policy_that_is_not_registered_is_refused_with_those_that_are() -> None:
    with pytest.raises(MemorandaError) as caught:
        policy_named("newest-recorded/v2")
    assert (caught.value.code, caught.value.field) == (Code.INVALID_REQUEST, "policy")
    assert all(name in caught.value.message for name in POLICIES)
    with pytest.raises(MemorandaError):
        ask(assertion("a", 1), policy="newest")


def test_a_recall_takes_the_registered_policies_and_no_others() -> None:
    accepted = get_args(RecallInput.model_fields["policy"].annotation)
    assert sorted(accepted) == sorted(POLICIES)


def test_a_limit_cuts_what_was_selected_and_says_so() -> None:
    answer = ask(assertion("a", 1), assertion("b", 2), policy=SURFACE_ALL, limit=1)
    assert told(answer) == {"b": "selected", "a": "rank_cutoff"}
