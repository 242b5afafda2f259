"""Seeds, reasons, scores and filters: cases 38 to 44, 51 and 63 of the contract, and ours."""

from __future__ import annotations

import pytest

from tests.recall.asking import ids, outcomes

WHOLE = {"complete": True, "truncated": False, "outcomes": []}
ABSENT = "mem_00000000000000000000000000"


def test_matches_come_by_score_and_say_why(world):
    a, b = world.remember("red apple"), world.remember("red green apple")
    world.remember("blue")

    answer = world.recall("RED apple pear")

    assert sorted(ids(answer)) == sorted([a, b])
    scores = [item["score"] for item in answer["items"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert {tuple(item["selection_reasons"]) for item in answer["items"]} == {
        ("objective_lexical_match",)
    }
    assert answer["completeness"] == WHOLE
    assert answer["next_page_token"] is None
    assert answer["relationships"] == []


def test_nothing_found_is_a_complete_answer(world):
    answer = world.recall("nothing matches")

    assert answer["items"] == []
    assert answer["completeness"] == WHOLE
    assert answer["usage"]["items"] == 0


def test_equal_matches_come_by_id(world):
    made = [world.remember(f"gecko {i}") for i in range(12)]

    assert ids(world.recall("gecko", max_items=50)) == made


def test_explicit_seeds_come_first_in_the_order_of_the_request(world):
    a, b, c = world.remember("aaa"), world.remember("bbb"), world.remember("falcon")

    answer = world.recall("falcon", [b, a, b, ABSENT])

    assert ids(answer) == [b, a, c]
    scores = [item["score"] for item in answer["items"]]
    assert scores[:2] == [1.0, 1.0]
    assert scores[2] > 1.0
    assert [item["selection_reasons"] for item in answer["items"]] == [
        ["explicit_seed"],
        ["explicit_seed"],
        ["objective_lexical_match"],
    ]
    assert [item["path"] for item in answer["items"]] == [[], [], []]


def test_an_explicit_seed_that_matches_says_both(world):
    other, seed = world.remember("falcon falcon"), world.remember("one falcon among many words")

    answer = world.recall("falcon", [seed], max_items=1)

    assert ids(answer) == [seed]
    assert answer["items"][0]["selection_reasons"] == ["explicit_seed", "objective_lexical_match"]
    assert answer["items"][0]["score"] > 1.0
    assert ids(world.recall("falcon", [seed], page=answer["next_page_token"])) == [other]


def test_hidden_seeds_drop_out_silently(world):
    other = world.remember("heron", {"workspace": "w2"})
    private = world.remember("heron", {"actor": "bob"}, visibility="private")
    gone, expired = world.remember("x"), world.remember("y", expires_at="2000-01-01T00:00:00Z")
    world.forget(gone)

    answer = world.recall("heron", [other, private, gone, expired, "mem_x", ""])

    assert ids(answer) == []
    assert answer["completeness"] == WHOLE


def test_only_what_holds_at_the_basis_is_found(world):
    world.remember("lynx", expires_at="2000-01-01T00:00:00Z")
    world.remember("lynx", valid_from="2999-01-01T00:00:00Z")
    world.remember("lynx", valid_until="2000-01-01T00:00:00Z")
    held = world.remember(
        "lynx",
        expires_at="2999-01-01T00:00:00Z",
        valid_from="2000-01-01T00:00:00Z",
        valid_until="2999-01-01T00:00:00Z",
    )

    assert ids(world.recall("lynx")) == [held]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, "abc"),
        ({"session_id": "tuesday"}, "b"),
        ({"kinds": ["claim"]}, "c"),
        ({"kinds": ["claim", "observation"]}, "abc"),
        ({"tags": ["red"]}, "b"),
        ({"tags": ["red", "blue"]}, "bc"),
        ({"min_confidence": 0.5}, "c"),
        ({"epistemic_status": ["verified"]}, "c"),
        ({"slot": "city"}, "c"),
        ({"repo": "tools/one"}, "c"),
        ({"repo": "tools"}, ""),
    ],
)
def test_filters_restrict_what_is_returned(world, filters, found):
    made = {
        "a": world.remember("otter"),
        "b": world.remember("otter", {"session": "tuesday"}, tags=["red"], confidence=0.4),
        "c": world.claim(
            note="otter",
            slot="city",
            repo="tools/one",
            epistemic_status="verified",
            more={"kind": "claim", "tags": ["blue"], "confidence": 0.5},
        ),
    }

    assert set(ids(world.recall("otter", more=filters))) == {made[name] for name in found}


def test_filters_do_not_let_an_expansion_through(world):
    a, b = world.remember("otter", tags=["red"]), world.remember("other")
    world.relate(a, b)

    answer = world.recall("otter", more={"tags": ["red"]})

    assert ids(answer) == [a]
    assert answer["usage"]["cost"] == 1


def test_a_preferred_repo_comes_first_among_equals_and_says_so(world):
    one = world.claim(note="otter", repo="tools/one")
    two = world.claim(note="otter", repo="tools/two")

    plain = world.recall("otter", max_items=1)
    preferring = world.recall("otter", max_items=1, more={"prefer_repo": "tools/two"})

    assert ids(plain) == [one]
    assert ids(preferring) == [two]
    assert preferring["items"][0]["selection_reasons"] == [
        "objective_lexical_match",
        "preferred_repo",
    ]


def test_the_session_filter_goes_by_the_home_session(world):
    memory = world.remember("otter")
    world.update(memory, {"session": "tuesday"}, add_tags=["t"])

    assert ids(world.recall("otter", more={"session_id": "monday"})) == [memory]
    assert ids(world.recall("otter", more={"session_id": "tuesday"})) == []


def test_words_of_others_do_not_change_a_score(world):
    world.remember("otter in the river")
    before = world.recall("otter river")["items"]
    for _ in range(5):
        world.remember("otter", {"workspace": "w2"})
        world.remember("otter river", {"actor": "bob"}, visibility="private")

    assert world.recall("otter river")["items"] == before
    assert outcomes(world.recall("otter river")) == []
