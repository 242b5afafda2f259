"""Releasing parked streams: who may, and what is recorded."""

from __future__ import annotations

import pytest

from commands.releasing import StreamReleases
from domain.errors import Code, MemorandaError
from domain.events import StreamReleased
from tests.circumstances import context

MEMORY = "mem_" + "0" * 26


@pytest.fixture
def releases(store):
    return StreamReleases(store.commands.engine, store.commands.keys)


def released(store):
    return store.log.after(0, 10, workspace="system", topics=(StreamReleased.TOPIC,))


def test_what_an_operator_decides_is_an_event_of_the_system(store, releases):
    operator = context(actor="olga", permissions=frozenset({"operate"}))

    first = releases.release(operator, "retry", projection="records", workspace="w", stream=MEMORY)
    second = releases.release(operator, "skip", projection="records", workspace="w", stream=MEMORY)

    events = released(store)
    assert [event.position for event in events] == [first, second]
    assert [event.version for event in events] == [1, 2]
    assert {event.stream[:7] for event in events} == {"system_"}
    assert {event.context.actor for event in events} == {"olga"}
    [fact] = events[1].facts
    assert (fact.mode, fact.target_id) == ("skip", MEMORY)
    assert (fact.payload.projection, fact.payload.workspace) == ("records", "w")


def test_nobody_else_may(store, releases):
    with pytest.raises(MemorandaError) as refusal:
        releases.release(context(), "skip", projection="records", workspace="w", stream=MEMORY)

    assert refusal.value.code is Code.PERMISSION_DENIED
    assert released(store) == []


def test_what_is_no_id_is_refused(store, releases):
    operator = context(permissions=frozenset({"operate"}))
    with pytest.raises(MemorandaError) as refusal:
        releases.release(operator, "skip", projection="records", workspace="w", stream="mem_1")

    assert (refusal.value.code, refusal.value.field) == (Code.INVALID_REQUEST, "stream")
    assert released(store) == []
