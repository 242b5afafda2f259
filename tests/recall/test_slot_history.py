"""The history of a slot: at every position and for every instant what is answered there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import MemorandaError
from domain.instants import server_time
from domain.resolver.policies import NEWEST_RECORDED, SURFACE_ALL
from domain.workspace_settings import WorkspaceSettings
from read_api import slot_history
from tests.recall.asking import Asker, new_world
from tests.recall.test_slot_policy import MOMENTS, SLOTS, STEPS, Mirror, hold_as_others
from tests.recall.test_slot_reading import OTHERS, POLICIES
from tests.recall.world import START_US

NEWEST = {"policy": NEWEST_RECORDED}
BETWEEN = [server_time(START_US + 500_000 + 1_000_000 * n) for n in range(-1, 8)]
INSTANTS = st.sampled_from([*MOMENTS, *BETWEEN])


def entries(world: Asker, slot: str, **asked: Any) -> list[dict[str, Any]]:
    """All pages of a history."""
    found, after = [], 0
    while after is not None:
        page = world.slot_history(slot, after=after, **asked)
        found += page["entries"]
        after = page["next_after"]
    return found


def said(told: list[dict[str, Any]], position: int, at: str) -> tuple[list[str], list[Any]]:
    """What a history says of a position and an instant (as the server writes it)."""
    known = [one for one in told if one["position"] <= position]
    for part in known[-1]["answers"] if known else ():
        if part["from"] <= at and (part["until"] is None or at < part["until"]):
            return [one["id"] for one in part["selected"]], part["conflicts"]
    return [], []


def test_each_event_that_changed_the_answer_is_told_with_what_was_answered_when(world):
    ends = MOMENTS[5]
    first = world.claim(slot="city", object="Rome", more={"valid_from": MOMENTS[1]})
    world.claim(slot="town", object="Bergen")
    second = world.claim(
        slot="city", object="Oslo", more={"valid_from": MOMENTS[3], "valid_until": ends}
    )

    told = world.slot_history("city")

    at = {event.stream: event.position for event in world.log.after(0, 99) if event.version == 1}
    assert [(e["position"], e["event"]) for e in told["entries"]] == [
        (at[first], f"{first}@1"),
        (at[second], f"{second}@1"),
    ]
    rome, both = ([{"id": first, "version": 1}], []), {first, second}
    parts = [(p["from"], p["until"], p["selected"]) for p in told["entries"][1]["answers"]]
    assert [(start, end) for start, end, _ in parts] == [
        (MOMENTS[1], MOMENTS[3]),
        (MOMENTS[3], ends),
        (ends, None),
    ]
    assert parts[0][2] == parts[2][2] == rome[0]
    assert {one["id"] for one in parts[1][2]} == both
    [conflict] = told["entries"][1]["answers"][1]["conflicts"]
    assert set(conflict["candidates"]) == both
    assert (told["policy"], told["next_after"]) == (SURFACE_ALL, None)
    appended = [server_time(world.log.appended_at(entry["position"])) for entry in told["entries"]]
    assert [entry["appended_at"] for entry in told["entries"]] == appended


def test_what_changes_no_answer_is_no_entry(world):
    memory = world.claim(slot="city", object="Rome")
    world.claim(slot="city", object="Rome", more={"valid_until": MOMENTS[0]})
    before = entries(world, "city", **NEWEST)
    world.claim(slot="town", object="x")

    world.forget(memory, "expire", expires_at=server_time(world.clock.now + 10_000_000))

    assert entries(world, "city", **NEWEST)[: len(before)] == before
    assert entries(world, "nothing") == []


def test_what_is_forgotten_is_in_the_history_by_its_id_alone_and_blocks_as_it_did(world):
    older = world.claim(slot="city", object="Rome")
    newer = world.claim(slot="city", object="Oslo")
    before = world.log.head()
    world.forget(newer, "application_delete")

    surfaced, chosen = entries(world, "city"), entries(world, "city", **NEWEST)

    assert "Oslo" not in repr(chosen)
    assert newer not in repr(surfaced)
    at = server_time(world.clock.now + 5_000_000)
    assert said(chosen, before, at)[0] == []
    assert said(chosen, before + 1, at)[0] == said(surfaced, before, at)[0] == [older]


def test_pages_are_the_whole_history_cut(world):
    for n in range(7):
        world.claim(slot="city", object=str(n))

    whole = world.slot_history("city")
    first = world.slot_history("city", limit=3)

    assert len(whole["entries"]) == 7
    assert first["entries"] == whole["entries"][:3]
    assert first["next_after"] == whole["entries"][2]["position"]
    assert entries(world, "city", limit=3) == entries(world, "city", limit=1) == whole["entries"]


@pytest.mark.parametrize(("name", "least"), [("ROWS_MAX", 4), ("JUDGED_MAX", 0)])
def test_a_page_looks_at_a_bounded_number_of_versions(world, monkeypatch, name, least):
    made = [world.claim(slot="city", object=str(n)) for n in range(3)]
    for memory in made:
        for n in range(3):
            content = {"format": "properties", "value": {"slot": "city", "object": f"{n}"}}
            world.update(memory, content=content)
    whole = entries(world, "city")

    monkeypatch.setattr(slot_history, name, least)

    assert len(world.slot_history("city")["entries"]) < len(whole)
    assert entries(world, "city") == whole


def test_a_slot_that_holds_too_much_at_once_is_refused_and_not_cut(world, monkeypatch):
    monkeypatch.setattr(slot_history, "STANDING_MAX", 2)
    made = [world.claim(slot="city", object=str(n)) for n in range(2)]
    world.forget(made[0])
    world.claim(slot="city", object="2")
    assert len(entries(world, "city")) == 2

    world.claim(slot="city", object="3")

    with pytest.raises(MemorandaError) as refused:
        world.slot_history("city")
    assert refused.value.field == "slot"


# --- Laws -------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(STEPS, st.sampled_from(POLICIES), st.integers(1, 3), st.data())
def test_a_history_says_of_every_basis_what_is_answered_there(steps, policy, limit, data):
    with new_world() as world:
        mirror, heads = Mirror(world), [0]
        for step, at in steps:
            mirror.do(step, at)
            heads.append(world.log.head())
        for slot in SLOTS:
            told = entries(world, slot, policy=policy, limit=limit)
            assert [one["position"] for one in told] == sorted({one["position"] for one in told})
            bases = st.tuples(st.integers(0, heads[-1]), INSTANTS)
            for position, at in data.draw(st.lists(bases, min_size=3, max_size=8)):
                basis = {"as_known_position": position, "as_of": at}
                answer = world.slot(slot, policy=policy, **basis)
                assert said(told, position, at) == (answer["selected"], answer["conflicts"])
            for before, after in zip([[], *(one["answers"] for one in told)], told, strict=False):
                assert before != after["answers"]


@settings(max_examples=15, deadline=None)
@given(STEPS, OTHERS, st.sampled_from(POLICIES))
def test_what_others_hold_is_in_no_history(steps, others, policy):
    told = []
    for extra in ([], others):
        with new_world() as world:
            mirror = Mirror(world)
            for step, at in steps:
                mirror.do(step, at)
            hold_as_others(world, extra)
            strict = {"settings": WorkspaceSettings(session_isolation="strict")}
            told.append(
                [
                    {**world.slot_history(slot, strict, policy=policy), "position": None}
                    for slot in (*SLOTS, "more")
                ]
            )
    assert told[0] == told[1]
