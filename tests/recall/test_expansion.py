"""The queue: cases 37, 45 to 50, 52, 53 and 75 of the contract, and ours."""

from __future__ import annotations

import pytest

from tests.recall.asking import edges, ids, outcomes


@pytest.fixture
def star(world):
    """A hub, its three leaves, something behind the first leaf, and the four edges."""
    hub = world.remember("hub")
    leaves = [world.remember(f"leaf{i}") for i in range(3)]
    made = [
        world.relate(hub, leaves[0]),
        world.relate(leaves[1], hub),
        world.relate(hub, leaves[2]),
    ]
    deep = world.remember("deep")
    made.append(world.relate(leaves[0], deep))
    return hub, leaves, deep, made


def test_the_depth_bounds_how_far_relationships_are_followed(world, star):
    hub, leaves, deep, made = star

    one = world.recall("zzzz", [hub], max_depth=1)
    two = world.recall("zzzz", [hub], max_depth=2)

    assert ids(one) == [hub, *leaves]
    assert [item["score"] for item in one["items"]] == [1.0, 0.5, 0.5, 0.5]
    assert one["items"][1]["selection_reasons"] == ["authorized_relationship_depth_1"]
    assert (one["usage"]["cost"], one["usage"]["depth"]) == (3, 1)
    assert edges(one) == made[:3]
    assert ids(two) == [hub, *leaves, deep]
    assert two["items"][4]["score"] == pytest.approx(1 / 3, abs=1e-12)
    assert two["items"][4]["selection_reasons"] == ["authorized_relationship_depth_2"]
    assert two["items"][4]["path"] == [made[0], made[3]]
    assert (two["usage"]["cost"], two["usage"]["depth"]) == (7, 2)


@pytest.mark.parametrize(
    ("max_cost", "found", "cost", "said", "followed"),
    [
        (2, 1, 2, ["cost_budget_exhausted"], 0),
        (4, 2, 4, ["cost_budget_exhausted"], 1),
        (7, 4, 7, ["cost_budget_exhausted"], 3),
        (8, 5, 7, [], 4),
    ],
)
def test_the_cost_budget_stops_the_queue_once(world, star, max_cost, found, cost, said, followed):
    hub, leaves, deep, made = star

    answer = world.recall("zzzz", [hub], max_depth=2, max_cost=max_cost)

    assert ids(answer) == [hub, *leaves, deep][:found]
    assert answer["usage"]["cost"] == cost
    assert outcomes(answer) == said
    assert answer["completeness"]["truncated"] is bool(said)
    assert edges(answer) == made[:followed]
    assert answer["next_page_token"] is None


def test_a_cost_that_is_just_enough_is_no_outcome(world):
    solo = world.remember("solo")
    world.relate(solo, solo)

    answer = world.recall("zzzz", [solo], max_depth=5, max_cost=1)

    assert ids(answer) == [solo]
    assert answer["completeness"]["complete"]
    assert answer["usage"]["cost"] == 1


def test_a_cost_budget_never_hides_a_seed(world, star):
    hub, leaves, deep, _ = star

    answer = world.recall("zzzz", [hub, deep, leaves[2]], max_cost=1)

    assert ids(answer) == [hub, deep, leaves[2]]
    assert outcomes(answer) == ["cost_budget_exhausted"]


def test_a_supernode_is_not_expanded_and_said_once_for_each_node(world, star):
    hub, leaves, _, _ = star

    whole = world.recall("zzzz", [hub], supernode_threshold=3)
    blocked = world.recall("zzzz", [hub], supernode_threshold=2)
    both = world.recall("zzzz", [hub, leaves[0]], supernode_threshold=1)

    assert len(ids(whole)) == 5
    assert whole["completeness"]["complete"]
    assert ids(blocked) == [hub]
    assert outcomes(blocked) == ["supernode_blocked"]
    assert blocked["usage"]["cost"] == 0
    assert blocked["completeness"]["truncated"]
    assert outcomes(both) == ["supernode_blocked", "supernode_blocked"]


def test_edges_that_do_not_hold_do_not_make_a_supernode(world):
    hub, leaf = world.remember("hub"), world.remember("leaf")
    for _ in range(5):
        world.relate(hub, leaf, lifecycle="expired")
    kept = world.relate(hub, leaf)

    answer = world.recall("zzzz", [hub], supernode_threshold=1)

    assert ids(answer) == [hub, leaf]
    assert edges(answer) == [kept]


def test_private_edges_of_others_do_not_make_a_supernode(world):
    hub, leaf = world.remember("hub"), world.remember("leaf")
    bob = {"actor": "bob"}
    for _ in range(3):
        world.relate(hub, world.remember("secret", bob, visibility="private"), bob)
    world.relate(hub, leaf)

    assert ids(world.recall("zzzz", [hub], supernode_threshold=1)) == [hub, leaf]
    assert outcomes(world.recall("zzzz", [hub], bob, supernode_threshold=3)) == [
        "supernode_blocked"
    ]


def test_parallel_edges_and_self_loops_are_followed_once_each(world):
    a, b = world.remember("a1"), world.remember("b1")
    made = sorted([world.relate(a, b), world.relate(b, a), world.relate(a, a)])

    answer = world.recall("zzzz", [a], max_depth=1)

    assert answer["usage"]["cost"] == 3
    assert edges(answer) == made
    assert ids(world.recall("zzzz", [a], max_depth=1, supernode_threshold=3)) == [a, b]


def test_edges_that_were_not_traversed_are_not_shown(world):
    a, b, c = world.remember("aa"), world.remember("bb"), world.remember("cc")
    made = [world.relate(a, b), world.relate(a, c)]
    world.relate(b, c)

    assert edges(world.recall("zzzz", [a], max_depth=1)) == made


def test_looking_at_an_edge_to_something_hidden_costs_and_shows_nothing(world):
    hidden = world.remember("lynx", expires_at="2000-01-01T00:00:00Z")
    seen = world.remember("m1")
    world.relate(seen, hidden)

    answer = world.recall("zzzz", [hidden, seen])

    assert ids(answer) == [seen]
    assert answer["usage"]["cost"] == 1
    assert answer["relationships"] == []


@pytest.mark.parametrize(
    "bounds",
    [
        {"expires_at": "2000-01-01T00:00:00Z"},
        {"valid_from": "2999-01-01T00:00:00Z"},
        {"valid_until": "2000-01-01T00:00:00Z"},
        {"lifecycle": "expired"},
    ],
)
def test_an_edge_that_does_not_hold_costs_nothing(world, bounds):
    a, b = world.remember("n1"), world.remember("n2")
    world.relate(a, b, **bounds)

    answer = world.recall("zzzz", [a])

    assert ids(answer) == [a]
    assert answer["usage"]["cost"] == 0


def test_an_edge_to_a_forgotten_memory_costs_and_shows_nothing(world):
    a, b = world.remember("a"), world.remember("b")
    world.relate(a, b)
    world.forget(b, "application_delete")

    answer = world.recall("zzzz", [a])

    assert ids(answer) == [a]
    assert answer["usage"]["cost"] == 1
    assert answer["relationships"] == []


def test_a_node_with_very_many_edges_is_counted_no_further_than_the_threshold(world):
    hub = world.remember("hub")
    leaves = [world.remember("leaf") for _ in range(3)]
    made = [world.relate(hub, leaves[i % 3]) for i in range(1_200)]

    blocked = world.recall("zzzz", [hub], max_depth=1, supernode_threshold=1_100)
    whole = world.recall(
        "zzzz",
        [hub],
        max_depth=1,
        max_cost=2_000,
        supernode_threshold=10**30,
        max_payload_bytes=10**7,
    )
    bounded = world.recall("zzzz", [hub], max_depth=1, supernode_threshold=1_200, max_cost=5)

    assert outcomes(blocked) == ["supernode_blocked"]
    assert ids(whole) == [hub, *leaves]
    assert whole["usage"]["cost"] == 1_200
    assert edges(whole) == sorted(made)
    assert outcomes(bounded) == ["cost_budget_exhausted"]
    assert bounded["usage"]["cost"] == 5


def test_an_edge_is_shown_as_it_stood_at_the_basis(world):
    a, b = world.remember("a"), world.remember("b")
    edge = world.relate(a, b, confidence=0.5)
    before = world.log.head()
    world.update(edge, confidence=0.9)

    then = world.recall("zzzz", [a], more={"as_known_position": before})
    now = world.recall("zzzz", [a])

    assert then["relationships"][0]["confidence"] == 0.5
    assert now["relationships"][0]["confidence"] == 0.9
