"""What is known about slots: the same as what a recall of the slot says, at every basis."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import MemorandaError
from domain.instants import server_time
from domain.resolver.policies import NEWEST_RECORDED, SURFACE_ALL
from domain.workspace_settings import WorkspaceSettings
from read_api import slots as slots_module
from tests.recall.asking import Asker, ids, new_world
from tests.recall.test_slot_policy import MOMENT, MOMENTS, SLOTS, STEPS, Mirror, hold_as_others

POLICIES = (SURFACE_ALL, NEWEST_RECORDED)
NEWEST = {"policy": NEWEST_RECORDED}


def reasons(answer: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    return {one["id"]: (one["reason"], one["by"]) for one in answer["excluded"]}


def listed(world: Asker, by: dict[str, Any] | None = None, **asked: Any) -> dict[str, Any]:
    """The items of all pages, by the name of the slot."""
    items = [item for page in world.slot_pages(by, **asked) for item in page["items"]]
    assert len({item["slot"] for item in items}) == len(items)
    return {item["slot"]: item for item in items}


def versions(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"id": one["id"], "version": one["version"]} for one in answer["items"]]


def test_all_that_is_eligible_is_selected_the_newest_first_and_told_to_disagree(world):
    older = world.claim(slot="city", object="Rome")
    newer = world.claim(slot="city", object="Oslo")
    world.claim(slot="town", object="Bergen")

    answer = world.slot("city")

    assert answer["selected"] == [newer, older] == [item["id"] for item in answer["items"]]
    assert answer["policy"] == SURFACE_ALL
    assert answer["conflicts"] == [
        {"winner": None, "losers": [], "candidates": [older, newer], "decided_by": None}
    ]
    assert answer["excluded"] == []


def test_one_wins_where_the_policy_says_so_and_the_others_are_told_to_have_lost(world):
    same = world.claim(slot="city", object="Oslo")
    older = world.claim(slot="city", object="Rome")
    newer = world.claim(slot="city", object="Oslo")
    ended = world.claim(slot="city", object="Athens", more={"valid_until": "2020-01-01T00:00:00Z"})

    answer = world.slot("city", **NEWEST)

    assert answer["selected"] == [newer]
    assert reasons(answer) == {
        same: ("same_value", f"{newer}@1"),
        older: ("shadowed", f"{newer}@1"),
        ended: ("validity_ended", None),
    }
    [conflict] = answer["conflicts"]
    assert (conflict["winner"], conflict["losers"]) == (newer, [older])


@pytest.mark.parametrize("mode", ["tombstone", "application_delete"])
def test_what_is_forgotten_stays_the_answer_of_then_and_is_not_shown(world, mode):
    older = world.claim(slot="city", object="Rome")
    newer = world.claim(slot="city", object="Oslo")
    before = world.log.head()
    world.forget(newer, mode)

    past = world.slot("city", as_known_position=before, **NEWEST)

    assert (past["selected"], past["items"]) == ([], [])
    assert reasons(past)[newer] == ("payload_erased", f"{newer}@2")
    assert "Oslo" not in repr(past)
    assert world.slot("city", **NEWEST)["selected"] == [older]


def test_where_all_are_surfaced_what_is_forgotten_since_is_no_answer_of_then(world):
    older = world.claim(note="otter", slot="city", object="Rome")
    newer = world.claim(note="otter", slot="city", object="Oslo")
    before = world.log.head()
    world.forget(newer)

    past = world.slot("city", as_known_position=before)

    more = {"slot": "city", "as_known_position": before, "explain": True}
    recalled = world.recall("otter", more=more)
    assert past["selected"] == ids(recalled) == [older]
    assert past["conflicts"] == recalled["conflicts"] == []
    assert reasons(past) == {newer: ("deleted", None)}


def test_a_slot_that_only_an_erased_text_has_named_tells_ids_and_is_not_listed(
    world,
):
    memory = world.claim(slot="city", object="Rome")
    before = world.log.head()
    world.forget(memory, "application_delete", scope="event", version=1)

    for basis in ({}, {"as_known_position": before}):
        for policy in POLICIES:
            named = world.slot("city", policy=policy, **basis)
            assert (named["selected"], named["items"]) == ([], [])
            assert {one["id"] for one in named["excluded"]} == {memory}
            assert "Rome" not in str(named)
            assert listed(world, policy=policy, **basis) == {}


def test_no_more_records_are_read_than_are_asked_for(world):
    made = [world.claim(slot="city", object=str(n)) for n in range(4)]

    answer = world.slot("city", limit=2)

    assert answer["selected"] == made[::-1]
    assert [item["id"] for item in answer["items"]] == made[:1:-1]


def test_slots_whose_memories_disagree_are_listed_alone(world):
    for slot, *said in (("a", "x", "y"), ("b", "x", "x"), ("c", "x"), ("d", "y", "x")):
        for one in said:
            world.claim(slot=slot, object=one)

    assert set(listed(world)) == {"a", "b", "c", "d"}
    assert set(listed(world, conflicts=True)) == {"a", "d"}
    found = listed(world, conflicts=True, **NEWEST)
    assert {len(item["selected"]) for item in found.values()} == {1}
    assert {len(item["candidates"]) for item in found.values()} == {2}


def test_pages_have_every_slot_once_at_the_basis_of_the_first_page(world):
    made = {str(n): world.claim(slot=str(n), object="x") for n in range(7)}

    found: dict[str, Any] = {}
    for page in world.slot_pages(limit=3):
        found |= {item["slot"]: item["selected"] for item in page["items"]}
        for n in range(3):
            world.claim(slot=f"later {n} {len(found)}", object="x")
        basis = page["basis"]

    assert found == {slot: [{"id": one, "version": 1}] for slot, one in made.items()}
    assert basis["position"] < world.log.head()


def test_a_page_looks_at_a_bounded_number_of_slots_and_says_how_to_go_on(world, monkeypatch):
    monkeypatch.setattr(slots_module, "SCANNED_MAX", 2)
    for n in range(5):
        world.claim(slot=str(n), object="x")
    world.claim(slot="4", object="y")

    pages = list(world.slot_pages(conflicts=True))

    assert [len(page["items"]) for page in pages if page["items"]] == [1]
    assert len(pages) == 3


def test_what_a_page_with_filters_has_no_room_for_is_on_the_next_one(world):
    for n in range(5):
        world.claim(slot=str(n), object="x")
        world.claim(slot=str(n), object="y")

    for filters in ({"conflicts": True}, {"changed_since": "0"}):
        pages = list(world.slot_pages(limit=2, **filters))
        assert [len(page["items"]) for page in pages] == [2, 2, 1]
        assert len(listed(world, limit=2, **filters)) == 5


def test_a_cursor_is_one_of_its_question(world):
    for n in range(3):
        world.claim(slot=str(n), object="x")
    cursor = next(world.slot_pages(limit=1))["next_cursor"]

    with pytest.raises(MemorandaError) as refused:
        next(world.slot_pages(policy=NEWEST_RECORDED, cursor=cursor))

    assert refused.value.field == "cursor"


def test_what_changed_is_told_with_what_was_selected_then(world):
    kept = world.claim(slot="kept", object="x")
    updated = world.claim(slot="updated", object="x")
    gone = world.claim(slot="gone", object="x")
    mark = world.log.head()
    said = {"slot": "updated", "object": "y"}
    world.update(updated, content={"format": "properties", "value": said})
    world.update(gone, lifecycle="expired")
    new = world.claim(slot="new", object="x")

    found = listed(world, changed_since=str(mark), as_of=server_time(world.clock.now))

    assert {slot: (one["before"], one["selected"]) for slot, one in found.items()} == {
        "updated": ([{"id": updated, "version": 1}], [{"id": updated, "version": 2}]),
        "gone": ([{"id": gone, "version": 1}], []),
        "new": ([], [{"id": new, "version": 1}]),
    }
    assert kept not in repr(found)


def test_what_ended_since_has_changed_and_for_one_instant_it_has_not(world):
    end = server_time(world.clock.now + 1_000_000)
    world.claim(slot="city", object="x", more={"valid_until": end})
    then = server_time(world.clock.now)
    world.clock.now += 2_000_000

    assert set(listed(world, changed_since=then)) == {"city"}
    assert listed(world, changed_since=then, as_of=then) == {}


# --- Laws -------------------------------------------------------------------------------------

AS_OF = st.just(MOMENTS[-1]) | MOMENT
"""Often late, when most of what is stated holds."""


@settings(max_examples=40, deadline=None)
@given(STEPS, st.sampled_from(POLICIES), st.data())
def test_a_slot_says_at_every_basis_what_a_recall_of_it_says(steps, policy, data):
    with new_world() as world:
        mirror, heads = Mirror(world), []
        for step, at in steps:
            mirror.do(step, at)
            heads.append(world.log.head())
        for slot in SLOTS:
            basis = {
                "as_known_position": data.draw(st.sampled_from(heads)),
                "as_of": data.draw(AS_OF),
            }
            more = {"policy": policy, "explain": True, "slot": slot, **basis}
            recalled = world.recall("otter", more=more)

            answer = world.slot(slot, policy=policy, **basis)

            assert sorted(answer["selected"]) == sorted(ids(recalled))
            assert {tuple(one.values()) for one in answer["excluded"]} == {
                (one["id"], one["version"], one["reason"], one.get("by"))
                for one in recalled["excluded"]["items"]
            }
            assert [(one["winner"], one["candidates"]) for one in answer["conflicts"]] == [
                (one["winner"], one["candidates"]) for one in recalled["conflicts"]
            ]
            item = listed(world, policy=policy, **basis).get(slot)
            assert versions(answer) == (item["selected"] if item else [])


@settings(max_examples=25, deadline=None)
@given(STEPS, st.sampled_from(POLICIES), AS_OF)
def test_an_answer_of_then_stays_but_for_what_is_forgotten(steps, policy, as_of):
    with new_world() as world:
        mirror = Mirror(world)
        then = []
        for step, at in steps:
            mirror.do(step, at)
            head = world.log.head()
            then += [(slot, head, world.slot(slot, policy=policy, as_of=as_of)) for slot in SLOTS]
        for slot, head, answer in then:
            again = world.slot(slot, policy=policy, as_of=as_of, as_known_position=head)
            left = [one for one in answer["selected"] if one not in mirror.gone]
            assert again["selected"] == left


@settings(max_examples=40, deadline=None)
@given(STEPS, st.sampled_from(POLICIES), st.none() | AS_OF, st.data())
def test_exactly_those_slots_changed_whose_two_answers_differ(steps, policy, as_of, data):
    with new_world() as world:
        mirror, heads = Mirror(world), [0]
        for step, at in steps:
            mirror.do(step, at)
            heads.append(world.log.head())
        known, since = data.draw(st.sampled_from(heads)), data.draw(st.sampled_from(heads))
        asked = {"policy": policy, "as_known_position": known, "as_of": as_of}

        pages = list(world.slot_pages(changed_since=str(since), limit=1, **asked))

        def answer(slot: str, told: dict[str, Any]) -> list[dict[str, Any]]:
            basis = {"as_known_position": told["position"], "as_of": told["as_of"]}
            return versions(world.slot(slot, policy=policy, **basis))

        expected = {
            slot: (answer(slot, pages[0]["since"]), answer(slot, pages[0]["basis"]))
            for slot in SLOTS
        }
        found = {
            item["slot"]: (item["before"], item["selected"])
            for page in pages
            for item in page["items"]
        }
        assert found == {
            slot: two for slot, two in expected.items() if as_set(two[0]) != as_set(two[1])
        }


def as_set(selected: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(one["id"], one["version"]) for one in selected}


OTHERS = st.lists(
    st.tuples(
        st.sampled_from([{"workspace": "elsewhere"}, {"actor": "bob"}, {"session": "tuesday"}]),
        st.sampled_from([*SLOTS, "more"]),
        st.sampled_from("xyz"),
        st.booleans(),
    ),
    max_size=5,
)


@settings(max_examples=25, deadline=None)
@given(STEPS, OTHERS, st.sampled_from(POLICIES), AS_OF)
def test_what_others_hold_changes_nothing(steps, others, policy, as_of):
    """Private memories of others, other workspaces, and other sessions where these are strict."""
    answers = []
    for extra in ([], others):
        with new_world() as world:
            mirror = Mirror(world)
            for step, at in steps:
                mirror.do(step, at)
            asked = {"policy": policy, "as_of": as_of}
            hold_as_others(world, extra)
            strict = {"settings": WorkspaceSettings(session_isolation="strict")}
            answers.append(
                [
                    *(world.slot(slot, strict, **asked) for slot in (*SLOTS, "more")),
                    *world.slot_pages(strict, limit=1, **asked),
                    *world.slot_pages(strict, limit=1, changed_since="3", **asked),
                ]
            )
    assert [plain(one) for one in answers[0]] == [plain(one) for one in answers[1]]


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    """Without positions, which are those of the log, and cursors, which hold them."""
    kept = {k: v for k, v in answer.items() if k not in {"position", "basis", "since"}}
    if "next_cursor" in kept:
        kept["next_cursor"] = kept["next_cursor"] is None
    return kept
