"""What each permission opens in a trace: reading the records, forgetting the reasons."""

from __future__ import annotations

import pytest

from tests.recall.asking import new_world

SETS = [
    {"trace", *more}
    for more in ((), ("read",), ("forget",), ("write", "consolidate"), ("read", "forget"))
]


@pytest.fixture
def world():
    with new_world() as world:
        yield world


def by(permissions):
    return {"permissions": frozenset(permissions)}


@pytest.mark.parametrize("permissions", SETS, ids=lambda names: "+".join(sorted(names)))
def test_records_need_read_and_reasons_need_forget(world, permissions):
    # Given a memory that was hidden for a reason
    memory = world.remember("otter")
    world.forget(memory, "expire", expires_at="2030-01-01T00:00:00Z")
    # When
    told = world.trace("memory", memory, by(permissions))["versions"]
    # Then
    assert [("record" in version) for version in told] == ["read" in permissions] * 2
    reason = "because" if "forget" in permissions else None
    assert [version["reason"] for version in told] == [None, reason]
    assert ("otter" in repr(told)) == ("read" in permissions)


@pytest.mark.parametrize("permissions", SETS, ids=lambda names: "+".join(sorted(names)))
def test_the_text_of_a_tombstoned_memory_needs_both(world, permissions):
    memory = world.remember("otter")
    world.forget(memory)

    told = world.trace("memory", memory, by(permissions))

    assert ("otter" in repr(told)) == ({"read", "forget"} <= permissions)


@pytest.mark.parametrize("permissions", SETS, ids=lambda names: "+".join(sorted(names)))
def test_the_question_of_a_recall_needs_read(world, permissions):
    world.remember("otter")
    recall = world.recall("an otter?")["recall_id"]

    told = world.trace("recall", recall, by(permissions))

    assert ("otter" in repr(told)) == ("read" in permissions)


@pytest.mark.parametrize("permissions", SETS, ids=lambda names: "+".join(sorted(names)))
def test_a_question_that_found_what_was_forgotten_since_needs_both(world, permissions):
    memory = world.remember("otter")
    recall = world.recall("an otter?")["recall_id"]
    world.forget(memory)

    told = world.trace("recall", recall, by(permissions))

    assert ("otter" in repr(told)) == ({"read", "forget"} <= permissions)
