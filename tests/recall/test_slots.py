"""A slot is asked for by name and found by its keyed reference, which outlives its text."""

from __future__ import annotations

from tests.recall.asking import ids


def renewed(world):
    """A memory whose first text, which named its slot, was erased and then replaced."""
    memory = world.claim(note="otter", slot="city", object="Rome")
    world.forget(memory, "application_delete", scope="event", version=1)
    said = {"note": "otter", "object": "Oslo"}
    world.update(memory, content={"format": "properties", "value": said})
    return memory


def test_a_memory_is_found_in_its_slot_after_the_text_that_named_it_was_erased(world):
    memory = renewed(world)
    world.claim(note="otter", slot="town", object="Bergen")

    assert ids(world.recall("otter", more={"slot": "city"})) == [memory]


def test_it_is_told_to_disagree_with_another_one_of_the_slot(world):
    memory = renewed(world)
    other = world.claim(note="otter", slot="city", object="Rome")

    answer = world.recall("otter", more={"slot": "city", "explain": True})

    assert set(ids(answer)) == {memory, other}
    [conflict] = answer["conflicts"]
    assert (conflict["slot"], set(conflict["candidates"])) == ("city", {memory, other})


def test_who_names_a_slot_is_told_which_memory_of_it_was_erased_and_by_what(world):
    """Why nothing is there is the auditor's question (spec/policy.md §4, choice 12)."""
    memory = world.claim(note="otter", slot="city", object="Rome")
    world.forget(memory, "application_delete", scope="event", version=1)

    named, other = (
        world.recall("otter", more={"slot": slot, "explain": True}) for slot in ("city", "town")
    )

    assert ids(named) == []
    assert {(one["id"], one["reason"], one["by"]) for one in named["excluded"]["items"]} == {
        (memory, "deleted", f"{memory}@2")
    }
    assert "Rome" not in str(named)
    assert other["excluded"] == {"counts": {}, "items": []}


def test_a_filter_finds_no_slot_that_only_an_erased_text_has_named(world):
    memory = world.claim(note="otter", slot="city", object="Rome")
    world.forget(memory, "application_delete", scope="event", version=1)

    assert ids(world.recall("otter", more={"slot": "city"})) == []
