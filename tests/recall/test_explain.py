"""`explain`: what was left out, and why (spec/operations.md §4 and §10, policy.md §2.8)."""

from __future__ import annotations

import pytest

from tests.recall.asking import ids

EXPLAIN = {"explain": True}


def excluded(world, objective="otter", by=None, **more):
    answer = world.recall(objective, (), by, more={**EXPLAIN, **more})
    return {(one["id"], one["version"]): one["reason"] for one in answer["excluded"]["items"]}


def test_an_answer_without_explain_has_no_explanation(world):
    answer = world.recall("otter")

    assert answer.keys().isdisjoint({"explained", "excluded", "conflicts", "skipped_expansions"})


def test_each_match_that_is_no_answer_has_the_first_reason_that_applies(world):
    later = world.remember("otter", valid_from="2999-01-01T00:00:00Z")
    ended = world.remember("otter", valid_until="2020-01-01T00:00:00Z")
    expired = world.remember("otter", expires_at="2020-01-01T00:00:00Z")
    both = world.remember(
        "otter", valid_until="2020-01-01T00:00:00Z", expires_at="2020-01-01T00:00:00Z"
    )
    forgotten_for_now = world.remember("otter")
    world.forget(forgotten_for_now, "expire", expires_at="2999-01-01T00:00:00Z")
    hidden = world.remember("otter")
    world.update(hidden, lifecycle="tombstoned")
    corrected = world.remember("otter")
    world.update(corrected, content={"format": "text", "value": "something else"})
    kept, original = world.remember("x"), world.remember("otter")
    world.consolidate([kept, original], canonical=kept)

    found = excluded(world)

    assert found == {
        (later, 1): "not_yet_valid",
        (ended, 1): "validity_ended",
        (expired, 1): "expired",
        (both, 1): "validity_ended",
        (forgotten_for_now, 1): "corrected",
        (forgotten_for_now, 2): "expired",
        (hidden, 1): "corrected",
        (hidden, 2): "hidden",
        (corrected, 1): "corrected",
        (original, 1): "corrected",
        (original, 2): "superseded",
    }


def test_reasons_are_counted_and_the_best_matches_listed(world):
    for i in range(210):
        world.remember(f"otter {'river ' * (i % 2)}", expires_at="2020-01-01T00:00:00Z")
    world.remember("otter", valid_from="2999-01-01T00:00:00Z")

    told = world.recall("otter river", more=EXPLAIN)["excluded"]

    assert told["counts"] == {"expired": 210, "not_yet_valid": 1}
    assert len(told["items"]) == 200
    scores = [one["score"] for one in told["items"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_a_forgotten_memory_is_not_found_by_its_words(world, mode):
    memory = world.remember("otter")
    world.update(memory, content={"format": "text", "value": "an otter again"})
    world.forget(memory, mode)

    assert excluded(world) == {}
    assert excluded(world, "again") == {}


def test_a_forgotten_version_is_not_found_by_its_words(world):
    memory = world.remember("first")
    world.update(memory, content={"format": "text", "value": "a leak"})
    world.update(memory, content={"format": "text", "value": "third"})
    world.forget(memory, scope="event", version=2)

    assert excluded(world, "leak") == {}
    assert ids(world.recall("leak")) == []
    assert ids(world.recall("third")) == [memory]


def test_a_queried_slot_is_listed_whole_with_what_was_deleted(world):
    rome = world.claim(slot="city", object="Rome")
    oslo = world.claim(slot="city", object="Oslo", more={"expires_at": "2020-01-01T00:00:00Z"})
    gone = world.claim(slot="city", object="a canary")
    world.forget(gone)
    world.claim(slot="town", object="Bergen", more={"expires_at": "2020-01-01T00:00:00Z"})
    world.update(rome, add_tags=["t"])

    answer = world.recall("nothing", more={**EXPLAIN, "slot": "city"})

    assert {(one["id"], one["version"]): one["reason"] for one in answer["excluded"]["items"]} == {
        (rome, 1): "corrected",
        (oslo, 1): "expired",
        (gone, 1): "deleted",
        (gone, 2): "deleted",
    }
    assert answer["excluded"]["counts"] == {"corrected": 1, "deleted": 2, "expired": 1}
    assert "canary" not in repr(answer)


def test_a_forgotten_version_of_a_queried_slot_is_listed_as_deleted(world):
    memory = world.claim(slot="city", object="Rome")
    world.update(memory, content={"format": "properties", "value": {"slot": "city", "object": "x"}})
    world.forget(memory, scope="event", version=2)
    world.claim(slot="city", object="Oslo")

    found = excluded(world, "nothing", slot="city", kinds=["claim"])

    assert found == {(memory, 2): "deleted", (memory, 3): "deleted"}
    assert excluded(world, "nothing", slot="city")[memory, 1] == "corrected"


def test_exclusions_are_those_within_the_filters(world):
    past = {"expires_at": "2020-01-01T00:00:00Z"}
    world.remember("otter", **past)
    red = world.remember("otter", tags=["red"], confidence=0.9, **past)

    assert excluded(world, tags=["red"]) == {(red, 1): "expired"}
    assert excluded(world, min_confidence=0.5) == {(red, 1): "expired"}
    assert excluded(world, kinds=["claim"]) == {}
    assert excluded(world, session_id="tuesday") == {}


def test_exclusions_are_those_of_the_basis(world):
    memory = world.remember("otter")
    position = world.log.head()
    world.update(memory, lifecycle="tombstoned")

    assert excluded(world, as_known_position=position) == {}
    assert excluded(world) == {(memory, 1): "corrected", (memory, 2): "hidden"}


def test_a_consolidated_memory_that_was_revived_and_hidden_again_is_hidden(world):
    kept, original = world.remember("x"), world.remember("otter")
    world.consolidate([kept, original], canonical=kept)
    world.update(original, lifecycle="active")
    world.update(original, lifecycle="superseded")

    assert excluded(world)[original, 4] == "hidden"


def test_conflicts_are_the_slots_with_different_values_and_no_winner(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    oslo = world.claim(slot="city", object="Oslo")
    world.claim(note="otter", slot="town", object="Bergen")
    world.claim(slot="country", object="Norway")
    world.claim(slot="country", object="Italy")
    city = {"slot": "city", "winner": None, "candidates": [rome, oslo], "decided_by": None}

    assert world.recall("otter", more=EXPLAIN)["conflicts"] == [city]
    queried = world.recall("nothing", more={**EXPLAIN, "slot": "country"})["conflicts"]
    assert [conflict["slot"] for conflict in queried] == ["country"]


def test_candidates_of_a_conflict_are_within_the_filters(world):
    world.claim(note="otter", slot="city", object="Rome", more={"tags": ["t"]})
    world.claim(slot="city", object="Oslo")

    assert world.recall("otter", more={**EXPLAIN, "tags": ["t"]})["conflicts"] == []


def test_what_was_not_followed_is_told_with_the_limit_to_raise(world):
    hub = world.remember("hub")
    leaves = [world.remember(f"leaf{i}") for i in range(2)]
    made = [world.relate(hub, leaf) for leaf in leaves]
    beyond = world.relate(leaves[1], world.remember("deep"))

    def skipped(**limits):
        return world.recall("zzzz", [hub], more=EXPLAIN, **limits)["skipped_expansions"]

    assert skipped(max_depth=3) == []
    assert skipped(max_depth=1) == [
        {
            "memory_id": leaves[1],
            "relationship_id": beyond,
            "why": "max_depth_reached",
            "raise": "max_depth",
        }
    ]
    assert skipped(max_cost=1) == [
        {
            "memory_id": hub,
            "relationship_id": made[1],
            "why": "cost_budget_exhausted",
            "raise": "max_cost",
        }
    ]
    assert skipped(supernode_threshold=1) == [
        {
            "memory_id": hub,
            "relationship_id": None,
            "why": "supernode_blocked",
            "raise": "supernode_threshold",
        }
    ]


def test_nothing_of_others_is_explained(world):
    world.claim(note="otter", slot="city", object="Rome")
    before = world.recall("otter", more={**EXPLAIN, "slot": "city"})
    past = {"expires_at": "2020-01-01T00:00:00Z"}
    bob = {"actor": "bob"}
    private = {"visibility": "private"}
    world.claim(bob, note="otter", slot="city", object="Oslo", more=private)
    world.claim(bob, note="otter", slot="city", object="Oslo", more={**private, **past})
    gone = world.claim(bob, note="otter", slot="city", object="Oslo", more=private)
    world.forget(gone, by=bob)
    world.claim({"workspace": "w2"}, note="otter", slot="city", object="Oslo", more=past)

    after = world.recall("otter", more={**EXPLAIN, "slot": "city"})

    for name in ("items", "explained", "excluded", "conflicts", "skipped_expansions"):
        assert after[name] == before[name]
