"""`explain` says of each item what its score is made of, its way, and what speaks against it."""

from __future__ import annotations

import json
import re
from functools import reduce
from operator import add
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.contract import RecallInput
from domain.visibility import Viewer
from projections.database import reading
from projections.lexical.analyzer import query_terms
from projections.lexical.parameters import NEIGHBOURS, PREFERRED_REPO_BOOST
from read_api.deadlines import Deadline
from read_api.explained_items import CONTESTS_MAX, explained_items
from read_api.pages import Given, make_page
from tests.recall.asking import ids, new_world
from tests.recall.recordings import LIMITS
from tests.recall.test_laws import FEW, HISTORIES, NUMBERS, History

EXPLAIN = {"explain": True}


def explained(world, objective="otter", seeds=(), by=None, *, more=None, **limits):
    answer = world.recall(objective, seeds, by, more={**EXPLAIN, **(more or {})}, **limits)
    assert [one["id"] for one in answer["explained"]] == ids(answer)
    return {one["id"]: one for one in answer["explained"]}


def terms(one):
    return {part["term"]: part for part in one["parts"] if part["part"] == "term"}


def in_order(scores):
    """Added up one by one: `sum` compensates for rounding from Python 3.12 on."""
    return reduce(add, scores, 0.0)


def test_each_word_is_told_with_its_weight_and_the_fields_in_which_it_stands(world):
    memory = world.remember(
        {
            "format": "text_and_properties",
            "value": {"text": "An otter swims", "properties": {"lake": ["otter", {"deep": "año"}]}},
        },
        tags=["reed"],
        kind="sighting",
        identity_key="otter:7",
    )

    found = terms(explained(world, "otter lake reed sighting ano heron")[memory])

    assert {name: part["fields"] for name, part in found.items()} == {
        "otter": ["text", "properties", "identity_key"],
        "lake": ["properties"],
        "reed": ["tags"],
        "sight": ["kind"],
        "sighting": ["kind"],
        "ano": ["properties"],
    }
    assert {name: part["weight"] for name, part in found.items()} == {
        **dict.fromkeys(("otter", "lake", "reed", "sight", "ano"), 1.0),
        "sighting": 0.25,
    }
    assert {(part["memory_id"], part["version"], part["lent"]) for part in found.values()} == {
        (memory, 1, False)
    }


def test_a_neighbour_that_lent_a_word_is_named_and_may_be_read(world):
    before = world.remember("where does the otter sleep")
    asked = world.remember("in the reeds")
    world.remember("an otter in the reeds", {"session": "tuesday"})

    one = explained(world, "otter reeds")[asked]

    lent = terms(one)["otter"]
    assert (lent["memory_id"], lent["version"], lent["lent"]) == (before, 1, True)
    assert lent["fields"] == ["text"]
    assert terms(one)["reed"]["lent"] is False
    own = terms(explained(world, "otter reeds")[before])["otter"]
    assert lent["score"] == own["score"] * NEIGHBOURS[0].share


def test_only_neighbours_that_the_asker_may_see_are_named(world):
    bob = {"actor": "bob"}
    world.remember("the otter", bob, visibility="private")
    gone = world.remember("the otter sleeps")
    world.remember("the otter", {"workspace": "w2"})
    asked = world.remember("in the reeds")
    away = world.remember("an otter", {"session": "tuesday"})
    world.forget(gone)

    found = explained(world, "otter reeds")

    assert set(terms(found[asked])) == {"reed", "reeds"}
    named = {part["memory_id"] for one in found.values() for part in terms(one).values()}
    assert named == {asked, away}


def test_a_way_along_relationships_is_told_step_by_step(world):
    seed, middle, end = (world.remember(text) for text in ("otter", "heron", "reed"))
    first = world.relate(middle, seed)
    second = world.relate(middle, end)

    found = explained(world)

    assert found[seed]["path"] == []
    assert found[end]["path"] == [
        {"from": seed, "relationship_id": first, "to": middle},
        {"from": middle, "relationship_id": second, "to": end},
    ]
    assert found[end]["parts"] == [{"part": "depth", "depth": 2, "score": 1 / 3}]


def test_a_preferred_repo_is_a_part_of_the_score(world):
    memory = world.claim(note="otter", repo="den")

    parts = explained(world, more={"prefer_repo": "den"})[memory]["parts"]

    assert [part["part"] for part in parts] == ["term", "preferred_repo", "depth"]
    assert parts[1]["score"] == PREFERRED_REPO_BOOST


def test_what_contests_an_item_is_named_whether_it_is_an_item_or_not(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    oslo = world.claim(slot="city", object="Oslo")
    world.claim(slot="city", object="Rome")
    doubt = world.remember("a doubt")
    edge = world.relate(doubt, rome, kind="contradicts")
    gone = world.claim(slot="city", object="Bergen")
    world.forget(gone)
    world.claim({"actor": "bob"}, slot="city", object="Pisa", more={"visibility": "private"})

    one = explained(world, max_depth=1)[rome]

    assert one["contested_by"] == [
        {"memory_id": oslo, "why": "slot", "relationship_id": None},
        {"memory_id": doubt, "why": "contradicts", "relationship_id": edge},
    ]
    assert one["more_contests"] == 0


def test_many_that_contest_an_item_are_counted(world):
    rome = world.claim(note="otter", slot="city", object="Rome")
    for number in range(CONTESTS_MAX + 3):
        world.claim(slot="city", object=f"Oslo {number}")

    one = explained(world)[rome]

    assert len(one["contested_by"]) == CONTESTS_MAX
    assert one["more_contests"] == 3


def test_an_explanation_adds_no_byte_to_items_and_takes_no_payload(world):
    for number in range(5):
        world.claim(note=f"otter {number}", slot="city", object=str(number))
    plainly = world.recall("otter", max_payload_bytes=1_000)
    told = world.recall("otter", more=EXPLAIN, max_payload_bytes=1_000)

    assert told["items"] == plainly["items"]
    assert told["usage"]["payload_bytes"] == plainly["usage"]["payload_bytes"]


class Ending:
    """A clock whose time is up after some looks at it."""

    def __init__(self, looks):
        self.looks = looks

    def __call__(self):
        self.looks -= 1
        return 0.0 if self.looks >= 0 else 2.0


def test_time_that_is_up_leaves_out_explanations_and_no_item(world):
    for number in range(3):
        world.claim(note=f"otter {number}", slot="city", object=str(number))
    said = RecallInput(objective="otter reeds", seed_ids=[], limits=LIMITS)
    terms = query_terms(said.objective)
    chosen = world.choose(said)
    with reading(world.views) as connection:
        made = make_page(connection, chosen, said, Given(), Deadline.after(60), told=False)

        def in_time(looks):
            clock = Ending(looks)
            told = explained_items(connection, made, terms, Deadline(0.0, 1.0, clock))
            return told, clock.looks

        whole, left = in_time(1_000)
        cut = [in_time(looks)[0] for looks in range(1_000 - left)]

    scores = [item.wire["score"] for item in made.shaped.items]
    seen = set()
    for told in (*cut, whole):
        assert [one["score"] for one in told] == scores
        for one in told:
            parts = one["parts"]
            stands = parts and parts[0]["fields"]
            seen.add((parts is None, stands is None, one["contested_by"] is None))
            if parts is not None:
                assert in_order(part["score"] for part in parts) == one["score"]
    assert seen == {
        (False, False, False),
        (False, True, False),
        (False, True, True),
        (True, True, True),
    }
    assert all(one["parts"] and one["contested_by"] for one in whole)


def test_what_was_forgotten_meanwhile_is_in_no_explanation(world):
    gone = world.remember("the otter sleeps")
    asked = world.remember("in the reeds")
    said = RecallInput(objective="otter reeds", seed_ids=[], limits=LIMITS)
    terms = query_terms(said.objective)
    chosen = world.choose(said)
    with reading(world.views) as connection:
        made = make_page(connection, chosen, said, Given(), Deadline.after(60), told=False)
        world.forget(gone, "application_delete")
        chosen.index.follow(world.log.head(), Deadline.after(60))

        told = explained_items(connection, made, terms, Deadline.after(60))

    one = next(one for one in told if one["id"] == asked)
    assert one["parts"] is None
    assert one["contested_by"] == []


@FEW
@given(
    HISTORIES,
    st.lists(NUMBERS, max_size=2),
    st.sampled_from(["otter", "river panda", "otter river stone panda observation"]),
    st.sampled_from(["ann", "bob"]),
)
def test_the_parts_of_every_item_are_its_score_to_the_bit(commands, seeds, objective, actor):
    with new_world() as world:
        history = History(world).run(commands)
        chosen = [history.memories[at] for at in seeds if at < len(history.memories)]
        by = {"actor": actor}

        answer = world.recall(objective, chosen, by, more=EXPLAIN, max_items=100)

        shown = {item["record"]["id"]: item for item in answer["items"]}
        hidden = {
            memory
            for memory in history.memories
            if not world.memory(memory).addressable_by(Viewer(actor))
        }
        for one in answer["explained"]:
            item = shown[one["id"]]
            assert one["version"] == item["record"]["version"]
            assert in_order(part["score"] for part in one["parts"]) == item["score"]
            assert [step["relationship_id"] for step in one["path"]] == item["path"]
            assert bool(one["contested_by"]) is item["contested"]
            for part in terms(one).values():
                assert part["fields"]
                assert part["memory_id"] not in hidden
            assert not {step["from"] for step in one["path"]} & hidden
            assert not {each["memory_id"] for each in one["contested_by"]} & hidden


@pytest.mark.parametrize("objective", ["zebra", "otter"])
def test_an_answer_without_a_match_is_explained_as_well(world, objective):
    seed = world.remember("heron")

    one = explained(world, objective, [seed])[seed]

    assert one["parts"] == [{"part": "depth", "depth": 0, "score": 1.0}]


def test_the_example_of_the_documents_is_what_is_answered(world):
    pages = (Path(__file__).parents[2] / "docs" / "semantics.md").read_text(encoding="utf-8")
    [said] = re.findall(r'\{"id": "mem_…b", "version": 1, "score".*?(?=\n```)', pages, re.DOTALL)
    lender = world.remember("Where does the otter sleep?", kind="note")
    asked = world.remember("It sleeps in the reed.", kind="note", tags=["reed"])

    told = json.dumps(explained(world, "otter reed")[asked])

    named = told.replace(lender, "mem_…a").replace(asked, "mem_…b")
    shown, documented = json.loads(named), json.loads(said)
    assert (shown["score"], shown["parts"]) == (documented["score"], documented["parts"])
    assert shown.keys() == documented.keys()
