"""Pages and payload budgets: cases 54 to 61 of the contract, and ours."""

from __future__ import annotations

import pytest

from domain.contract import RecallInput
from domain.errors import Code, MemorandaError
from projections.database import reading
from read_api import page_tokens
from read_api.deadlines import Deadline
from read_api.pages import Given, make_page
from tests.recall.asking import edges, ids, outcomes
from tests.recall.recordings import LIMITS

LARGE = {"max_items": 200, "max_payload_bytes": 10**6, "max_cost": 10**6}


def refusal(world, *asked, **more):
    with pytest.raises(MemorandaError) as refused:
        world.recall(*asked, **more)
    return refused.value.code


def test_pages_neither_repeat_nor_skip(world):
    made = [world.remember(f"panda {i}") for i in range(5)]

    pages = list(world.pages("panda", max_items=2))

    assert [ids(page) for page in pages] == [made[:2], made[2:4], made[4:]]
    assert pages[0]["completeness"] == {"complete": False, "truncated": True, "outcomes": []}
    assert pages[2]["completeness"]["complete"]
    assert pages[2]["usage"]["items"] == 1
    assert len({page["recall_id"] for page in pages}) == 3


def test_a_page_that_is_just_full_is_the_last(world):
    made = [world.remember(f"panda {i}") for i in range(5)]

    answer = world.recall("panda", max_items=5)

    assert ids(answer) == made
    assert answer["next_page_token"] is None
    assert answer["completeness"]["complete"]


def test_a_token_is_bound_to_question_actor_and_workspace(world):
    for i in range(3):
        world.remember(f"panda {i}")
    token = world.recall("panda", max_items=1)["next_page_token"]

    assert refusal(world, "pandas", page=token) is Code.NOT_FOUND
    assert refusal(world, "panda", page=token, more={"tags": ["t"]}) is Code.NOT_FOUND
    assert refusal(world, "panda", (), {"workspace": "w2"}, page=token) is Code.NOT_FOUND
    assert refusal(world, "panda", (), {"actor": "bob"}, page=token) is Code.NOT_FOUND
    assert len(ids(world.recall("panda", page=token, max_items=7, max_depth=1))) == 2


def test_what_we_never_signed_is_refused(world):
    for i in range(3):
        world.remember(f"panda {i}")
    token = world.recall("panda", max_items=1)["next_page_token"]
    last = "AA" if token[-2:] != "AA" else "BB"

    for forged in ("!!!", "", token[:-2] + last, "e30", token + "=", token + "A", token.upper()):
        assert refusal(world, "panda", page=forged) is Code.INVALID_REQUEST, forged


def test_every_flipped_bit_of_a_token_is_noticed(world):
    for i in range(2):
        world.remember(f"panda {i}")
    token = world.recall("panda", max_items=1)["next_page_token"]

    for at in range(len(token)):
        other = "A" if token[at] != "A" else "B"
        forged = token[:at] + other + token[at + 1 :]
        assert refusal(world, "panda", page=forged) is Code.INVALID_REQUEST


def test_a_token_pins_the_basis(world):
    made = [world.remember(f"panda {i}") for i in range(3)]
    first = world.recall("panda", max_items=1)
    world.remember("panda late")
    world.update(made[1], content={"format": "text", "value": "changed"})
    world.clock.now += 10**12

    rest = world.recall("panda", page=first["next_page_token"], max_items=9)

    assert ids(rest) == made[1:]
    assert rest["basis"] == first["basis"]
    assert rest["items"][0]["record"]["content"]["value"] == "panda 1"


def test_what_is_forgotten_between_pages_is_neither_shown_nor_makes_others_repeat_or_skip(world):
    made = [world.remember(f"panda {i}") for i in range(6)]
    first = world.recall("panda", max_items=2)
    world.forget(made[0])
    world.forget(made[3], "application_delete")

    rest = world.recall("panda", page=first["next_page_token"], max_items=9)

    assert ids(rest) == [made[2], made[4], made[5]]


def test_the_payload_budget_holds_and_what_it_cuts_off_comes_next(world):
    made = [world.remember(f"koala {i}") for i in range(4)]
    whole = world.recall("koala")["usage"]["payload_bytes"]

    answer = world.recall("koala", max_payload_bytes=whole - 50)

    assert ids(answer) == made[:3]
    assert answer["completeness"] == {
        "complete": False,
        "truncated": True,
        "outcomes": ["payload_budget_exhausted"],
    }
    assert answer["usage"]["items"] == 3
    assert answer["usage"]["payload_bytes"] <= whole - 50
    assert ids(world.recall("koala", page=answer["next_page_token"])) == made[3:]


def test_an_item_comes_with_the_relationships_that_it_completes_or_not_at_all(world):
    a, b = world.remember("koala 1"), world.remember("koala 2")
    edge = world.relate(a, b)
    whole = world.recall("koala")["usage"]["payload_bytes"]

    first, second = world.pages("koala", max_payload_bytes=whole - 20)

    assert (ids(first), edges(first)) == ([a], [])
    assert (ids(second), edges(second)) == ([b], [edge])


def test_an_item_that_no_page_can_hold_is_announced_then_skipped_by_name(world):
    small = [world.remember("koala") for _ in range(2)]
    large = [world.remember("koala " + "x" * 3000) for _ in range(2)]
    last = world.remember("koala and so many other words that it comes last of all of them")
    world.relate(small[0], large[0])

    pages = list(world.pages("koala", [small[0], large[0], small[1]], max_payload_bytes=2500))

    assert [ids(page) for page in pages] == [[small[0]], [small[1], last]]
    assert [outcomes(page) for page in pages] == [
        ["payload_budget_exhausted"],
        ["item_exceeds_payload_budget", "item_exceeds_payload_budget"],
    ]
    assert sorted(pages[1]["skipped_items"]) == large
    assert pages[0]["skipped_items"] == []
    assert all(edges(page) == [] for page in pages)
    assert pages[1]["completeness"] == {
        "complete": False,
        "truncated": True,
        "outcomes": ["item_exceeds_payload_budget"] * 2,
    }


def test_a_budget_of_one_byte_gives_nothing_and_says_so(world):
    world.remember("koala")

    first, second = world.pages("koala", max_payload_bytes=1)

    assert first["items"] == []
    assert outcomes(first) == ["payload_budget_exhausted"]
    assert second["items"] == []
    assert outcomes(second) == ["item_exceeds_payload_budget"]


def test_what_was_skipped_for_its_size_is_not_skipped_again(world):
    large = world.remember("koala " + "x" * 3000)
    made = [world.remember(f"koala and many other words {i}") for i in range(3)]

    pages = list(world.pages("koala", [large], max_payload_bytes=2500, max_items=2))

    assert [page["skipped_items"] for page in pages] == [[], [large], []]
    assert [ids(page) for page in pages] == [[], made[:1], made[1:]]


def test_relationships_that_no_page_can_hold_with_their_item_are_left_out_and_said(world):
    a, b = world.remember("koala"), world.remember("koala")
    made = [world.relate(a, b, properties={"x": "y" * 500}) for _ in range(3)]

    pages = list(world.pages("koala", max_items=1, max_payload_bytes=1700))

    assert [ids(page) for page in pages] == [[a], [b]]
    assert edges(pages[1]) == made[: len(edges(pages[1]))]
    assert 0 < len(edges(pages[1])) < 3
    assert outcomes(pages[1]) == ["payload_budget_exhausted"]


def test_a_question_has_a_thousand_pages(world, monkeypatch):
    monkeypatch.setattr(page_tokens, "PAGES_MAX", 2)
    for i in range(4):
        world.remember(f"panda {i}")
    first = world.recall("panda", max_items=1)
    second = world.recall("panda", max_items=1, page=first["next_page_token"])

    with pytest.raises(MemorandaError, match="at most 2 pages: ask again") as refused:
        world.recall("panda", max_items=1, page=second["next_page_token"])

    assert refused.value.code is Code.INVALID_REQUEST


def test_a_page_whose_earlier_recall_was_lost_is_not_found(world):
    for i in range(3):
        world.remember(f"panda {i}")
    token = world.recall("panda", max_items=1)["next_page_token"]
    world.log.lose_tail(1)
    world.remember("something else")

    assert refusal(world, "panda", page=token) is Code.NOT_FOUND


def test_a_page_that_runs_out_of_time_while_it_is_filled_goes_on_with_the_next(world):
    made = [world.remember("otter") for _ in range(150)]
    said = RecallInput(objective="otter", seed_ids=[], limits={**LIMITS, **LARGE})
    world.recall("otter")
    chosen = world.choose(said)

    def filled(looks_at_the_clock):
        left = iter(range(looks_at_the_clock))
        deadline = Deadline(0, 1, lambda: 0.0 if next(left, None) is not None else 2.0)
        with reading(world.views) as connection:
            page = make_page(connection, chosen, said, Given(), deadline, told=False)
        items = [item.id for item in page.shaped.items]
        return items, page.more, [one["outcome"] for one in page.outcomes]

    pages = [filled(looks) for looks in range(140, 170)]

    assert (made[:100], True, ["timeout"]) in pages
    assert (made, False, []) in pages
    assert all(items == made[: len(items)] for items, _, _ in pages)
    assert all(said == ([] if items == made else ["timeout"]) for items, _, said in pages)
